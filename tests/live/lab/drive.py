"""A driver of the lab, in a process of its own."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

from planbatch.experiments.live.journal import TickRecord, read_ticks
from planbatch.experiments.live.slurm.heartbeat import HEARTBEAT, last_beat
from tests.live.lab.processes import PATIENCE, wait_until
from tests.live.lab.ready import forked

#: The folder of the driver's lock and heartbeat, in the lab's.
STATE = "driver"


class Drive:
    """A driver in a process of its own; a context that ends with it.

    Parameters
    ----------
    conf : Path
        Slurm's configuration; everything else stands beside it.
    name : str
        Its journal and its output are named after it.
    words : sequence of str
        Words of the command behind ``planbatch slurm``.
    owner : str
        As whom it runs; its journal is beside its lock and heartbeat if that is not root.
    """

    def __init__(self, conf: Path, name: str, words: Sequence[str], owner: str = "root") -> None:
        self.conf, self.state = conf, conf.parent / STATE
        self.journal = (conf.parent if owner == "root" else self.state) / f"{name}.jsonl"
        self.output = conf.parent / f"{name}.out"
        flags = ["--state", str(self.state), "--journal", str(self.journal), "--conf", str(conf)]
        self.output.touch()
        environment = {**os.environ, "SLURM_CONF": str(conf)}
        self.process = forked(["slurm", *words, *flags], self.output, environment, owner)

    def __enter__(self) -> "Drive":
        wait_until("the driver drives", self.drives)
        return self

    def __exit__(self, *error: object) -> None:
        if any(error):
            print(self.output_text()[-4000:])
        if self.process.is_alive():
            self.process.terminate()
        if self.ended() is None:
            self.kill()

    def drives(self) -> bool:
        """Whether it has done a tick."""
        if not self.process.is_alive():
            raise RuntimeError(f"the driver ended: {self.output_text()}")
        beat = last_beat(self.state / HEARTBEAT)
        started = time.time() - _age(self.process.pid)
        return beat is not None and beat >= int(started)

    def kill(self) -> None:
        """Kill it, as a crash would."""
        self.process.kill()
        self.process.join()

    def ended(self) -> int | None:
        """Wait for its end; its exit code, None if it goes on."""
        self.process.join(PATIENCE)
        return self.process.exitcode

    def output_text(self) -> str:
        """What it printed."""
        return self.output.read_text()

    def ticks(self) -> list[TickRecord]:
        """All ticks of its journal."""
        return list(read_ticks(self.journal))

    def commands(self) -> list[tuple[int, str, int]]:
        """The numbers of the jobs that got commands, what these were, and when, by the journal."""
        return [
            (row["job"][0], row["action"], line["time"])
            for tick in self.ticks()
            for line in tick.others
            for row in line.get("commands", ())
        ]

    def releases(self) -> list[int]:
        """The numbers of the jobs that were released."""
        return [number for number, action, _ in self.commands() if action == "release"]

    def planned_starts(self) -> dict[int, list[tuple[int, int]]]:
        """For each job, the times of the plans that had it, and its starts in them."""
        results: dict[int, list[tuple[int, int]]] = {}
        for tick in self.ticks():
            for number, (start, *_) in tick.starts.items() if tick.plan else ():
                if start is not None:
                    results.setdefault(number, []).append((tick.time, start))
        return results


def _age(pid: int) -> float:
    """Seconds since a process began."""
    ticks = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    uptime = float(Path("/proc/uptime").read_text().split()[0])
    return uptime - ticks / os.sysconf("SC_CLK_TCK")
