"""A small simulator that speaks Batsim 4's protocol, as the manual has it: it asks, and checks what it is answered."""

import heapq
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from planbatch.experiments.live.batsim.protocol import parse_machines

Ask = Callable[[dict], dict]
#: By how much Batsim 4.2.0's messages come after the instant of their events (s); in this order.
LATE = {"REQUESTED_CALL": 0.0001, "JOB_SUBMITTED": 0.0002, "NOTIFY": 0.0003, "JOB_COMPLETED": 0.0009}


@dataclass(frozen=True)
class PeerJob:
    """One job of the workload; times in whole seconds, ``walltime`` None for none."""

    name: str
    submit: int
    procs: int
    walltime: int | None
    runtime: int
    extra: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What became of the jobs: start, end, machines; or rejected."""

    start: dict[str, float]
    end: dict[str, float]
    machines: dict[str, frozenset[int]]
    rejected: list[str]
    messages: int


class Peer:
    """Simulates a platform of equal machines.

    Parameters
    ----------
    machines : int
        How many.
    jobs : sequence of PeerJob
        The workload.
    outages : sequence of (begin, end, machines)
        When machines are not available, and which.
    late : float
        By how much each message comes after its instant, as with Batsim (s).
    together : bool
        Whether all events of an instant come in one message; else each in one of its own, as late as Batsim's
        (:data:`LATE`): wake-ups first, jobs that end last.
    """

    def __init__(self, machines: int, jobs: Sequence[PeerJob], outages: Sequence[tuple[int, int, str]] = (),
                 late: float = 0.0, together: bool = True) -> None:  # fmt: skip
        self.machines, self.jobs = machines, {job.name: job for job in jobs}
        self.late, self.together = late, together
        self.heap: list[tuple[float, int, int, str, dict]] = []
        self.count = 0
        self.off: set[int] = set()
        self.start: dict[str, float] = {}
        self.end: dict[str, float] = {}
        self.alloc: dict[str, frozenset[int]] = {}
        self.rejected: list[str] = []
        self.messages = 0
        for job in jobs:
            self.push(job.submit, 1, "JOB_SUBMITTED", {"job_id": job.name, "job": self.described(job)})
        for begin, end, which in outages:
            for when, kind in ((begin, "event_machine_unavailable"), (end, "event_machine_available")):
                self.push(when, 2, "NOTIFY", {"type": kind, "resources": which})

    def described(self, job: PeerJob) -> dict:
        """The job as the workload file has it."""
        row = {"id": job.name, "subtime": job.submit, "res": job.procs, "profile": "p", **job.extra}
        return row if job.walltime is None else {**row, "walltime": job.walltime}

    def push(self, when: float, rank: int, kind: str, data: dict) -> None:
        self.count += 1
        heapq.heappush(self.heap, (when, rank, self.count, kind, data))

    def run(self, ask: Ask) -> Outcome:
        resources = [{"id": i, "name": f"n{i}", "state": "idle", "properties": {}} for i in range(self.machines)]
        self.exchange(ask, 0.0, [("SIMULATION_BEGINS", {
            "nb_resources": self.machines, "nb_compute_resources": self.machines, "config": {},
            "compute_resources": resources, "workloads": {"w0": "w.json"}, "profiles": {}})])  # fmt: skip
        now = 0.0
        while self.heap:
            now = self.heap[0][0]
            events = []
            while self.heap and self.heap[0][0] == now and (self.together or not events):
                _, _, _, kind, data = heapq.heappop(self.heap)
                events.append((kind, data))
                self.note(kind, data, now)
            late = self.late if self.together else LATE[events[0][0]]
            self.exchange(ask, now, events, late)
        self.exchange(ask, now, [("SIMULATION_ENDS", {})], self.late)
        return Outcome(self.start, self.end, self.alloc, self.rejected, self.messages)

    def note(self, kind: str, data: dict, now: float) -> None:
        if kind == "JOB_COMPLETED":
            self.end[data["job_id"]] = now
        elif kind == "NOTIFY":
            which = parse_machines(data["resources"])
            self.off = self.off | which if data["type"].endswith("unavailable") else self.off - which

    def exchange(self, ask: Ask, instant: float, events: list[tuple[str, dict]], late: float = 0.0) -> None:
        now = instant + late
        rows = [{"timestamp": now, "type": kind, "data": data} for kind, data in events]
        reply = ask({"now": now, "events": rows})
        self.messages += 1
        assert reply["now"] >= now
        before = now
        for event in reply["events"]:
            assert before <= event["timestamp"] <= reply["now"]
            before = event["timestamp"]
            getattr(self, event["type"].lower())(event["data"], instant)

    def execute_job(self, data: dict, now: float) -> None:
        """Start a job; nothing that is in use, or off, may be used."""
        job, machines = self.jobs[data["job_id"]], parse_machines(data["alloc"])
        assert now >= job.submit
        assert len(machines) == job.procs
        assert job.name not in self.start
        busy = {m for name, own in self.alloc.items() if name not in self.end for m in own}
        assert not machines & (busy | self.off)
        assert max(machines) < self.machines
        self.start[job.name], self.alloc[job.name] = now, machines
        killed = job.walltime is not None and job.runtime >= job.walltime
        length = job.walltime if killed else job.runtime
        state = "COMPLETED_WALLTIME_REACHED" if killed else "COMPLETED_SUCCESSFULLY"
        self.push(now + length, 3, "JOB_COMPLETED", {
            "job_id": job.name, "job_state": state, "return_code": 0, "alloc": data["alloc"]})  # fmt: skip

    def reject_job(self, data: dict, now: float) -> None:
        assert data["job_id"] not in self.start
        self.rejected.append(data["job_id"])

    def call_me_later(self, data: dict, now: float) -> None:
        assert data["timestamp"] > now
        self.push(data["timestamp"], 0, "REQUESTED_CALL", {})


def through_text(answer: Callable[[bytes], bytes]) -> Ask:
    """Ask something that takes and gives text."""
    return lambda message: json.loads(answer(json.dumps(message).encode()))
