"""Prometheus metrics of the driver, and its health, over HTTP on the loopback device."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from planbatch.experiments.live.slurm.tick import OBSERVING, Tick

#: The only address; access from elsewhere needs a proxy.
ADDRESS = "127.0.0.1"
#: One connection is served at a time, for no longer than that (s).
LONGEST = 5.0
#: Number of periods without a good tick after which the driver is unhealthy.
PATIENCE = 3


class Meter:
    """Counts what the driver does, in ticks of so many seconds; a ``ValueError`` without ``prometheus_client``."""

    def __init__(self, every: float) -> None:
        try:
            from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
        except ImportError:
            raise ValueError(
                "metrics: prometheus_client is not installed; run: pip install 'planbatch[slurm]'"
            ) from None
        self.every = every
        self._good, self._fault, self._observing = time.time(), "", False
        self.registry = CollectorRegistry()

        def metric(kind: Callable[..., Any], name: str, about: str, *labels: str) -> Any:
            return kind(f"planbatch_{name}", about, labels, registry=self.registry)

        about = "Lines to jobs that had started, or ended, since they were read."
        self._late = metric(Counter, "late_lines", about)
        about = "Ticks that failed, or whose commands were refused."
        self._faults = metric(Counter, "faults", about, "kind")
        self._ticks = metric(Counter, "ticks", "Ticks of the driver.")
        self._commands = metric(Counter, "commands", "Commands to jobs.", "action")
        self._refused = metric(Counter, "refused_lines", "Lines that Slurm refused.")
        self._seconds = metric(Histogram, "tick_seconds", "Time that a tick took.")
        self._last = metric(Gauge, "last_good_tick_time_seconds", "When the last good tick was.")
        self._jobs = metric(Gauge, "jobs", "Jobs in the queue.", "state")
        about = "Ticks in a row in which a node was idle that a waiting job could have had."
        self._idle = metric(Gauge, "idle_ticks", about)
        about = "1 while the driver acts, 0 while it lets Slurm have its way."
        self._driving = metric(Gauge, "driving", about)
        about = "Waits as planned, so far and to come."
        self._wait = metric(Gauge, "planned_wait_seconds", about, "figure")

    def __call__(self, tick: Tick) -> None:
        """Update the metrics with a tick."""
        self._ticks.inc()
        self._observing = tick.observing
        self._idle.set(tick.idle)
        self._driving.set(not tick.observing)
        self._fault = tick.fault or tick.refusal
        self._seconds.observe(tick.seconds)
        self._refused.inc(len(tick.refused))
        self._late.inc(len(tick.late))
        for command in tick.commands if tick.answers else ():
            self._commands.labels(command.action).inc()
        if tick.fault:
            self._faults.labels(tick.kind).inc()
            return
        if tick.refused:
            self._faults.labels("refused").inc()
        self._good = time.time()
        self._last.set(self._good)
        if tick.cluster_plan is None:
            return
        observation, plan = tick.cluster_plan.observation, tick.cluster_plan.plan
        running = sum(job.running for job in observation.snapshot.jobs)
        counts = {"planned": len(observation.jobs), "left out": len(observation.left_out), "running": running}
        for state, count in counts.items():
            self._jobs.labels(state).set(count)
        if len(observation.jobs):
            waits = plan.start - plan.problem.jobs.submit
            self._wait.labels("mean").set(float(waits.mean()))
            self._wait.labels("longest").set(float(waits.max()))

    def health(self) -> dict[str, Any]:
        """Say whether the driver is well, since when it has had no good tick (s), and what went wrong in the last."""
        silent = time.time() - self._good
        well = silent <= PATIENCE * self.every + 5 and not self._observing
        fault = self._fault or (OBSERVING if self._observing else "")
        return {"well": well, "silent": round(silent, 1), "fault": fault}


@contextmanager
def metrics_server(meter: Meter, port: int) -> Iterator[int]:
    """Answer ``/metrics`` and ``/health`` on the loopback device as long as the context lasts; give the port.

    ``OSError`` if the port is taken; 0 is any that is free.
    """

    class Handler(BaseHTTPRequestHandler):
        def setup(self) -> None:
            super().setup()
            self.ends = threading.Timer(LONGEST, self.connection.shutdown, (socket.SHUT_RDWR,))
            self.ends.start()

        def finish(self) -> None:
            self.ends.cancel()
            super().finish()

        def do_GET(self) -> None:
            status, kind, body = _answer(meter, self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            """Log nothing: every scrape would be a line."""

    try:
        server = HTTPServer((ADDRESS, port), Handler)
    except OSError as error:
        raise OSError(f"metrics: port {port} of {ADDRESS} cannot be bound ({error.strerror})") from error
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answer(meter: Meter, path: str) -> tuple[int, str, bytes]:
    """Return the status, the content type and the text of an answer."""
    if path == "/health":
        health = meter.health()
        return ((200 if health["well"] else 503), "application/json", json.dumps(health).encode() + b"\n")
    if path == "/metrics":
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        return 200, CONTENT_TYPE_LATEST, generate_latest(meter.registry)
    return 404, "text/plain", b"there are /metrics and /health\n"
