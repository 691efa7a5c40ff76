"""Small clusters, written down; and a plain model of what a controller does with the driver's lines (Slurm 22.05.8)."""

import re
from collections.abc import Iterable
from dataclasses import replace
from threading import Event, Lock
from typing import Any

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.live.slurm.client import LINE, Answer
from planbatch.experiments.live.slurm.commands import Command, lines_of
from planbatch.experiments.live.slurm.drive import Driver
from planbatch.experiments.live.slurm.marks import DriveRules, Target
from planbatch.experiments.live.slurm.planner import Planner
from planbatch.experiments.live.slurm.snapshot import JobArray, JobKey, LiveJob, LiveNode, LivePartition, Snapshot

#: The time of all snapshots here, unless a test says otherwise (s).
NOW = 1_000_000
STRICT = DriveRules("strict", every=5, poll=0, grace=15)
SOFT = DriveRules("soft", every=5, poll=0, horizon=600)


def waiting(number: int, nodes: int = 1, limit: int | None = 600, **fields) -> LiveJob:
    """A job that waits for whole nodes; ``submit`` is when it was submitted, 100 s ago by default."""
    plain = {
        "name": f"job {number}", "user": "ann", "account": "a", "partition": "main", "nodes": nodes, "cpus": nodes * 4,
        "state": "PENDING", "reason": "Resources", "time_limit": limit, "exclusive": True, "user_id": 7,
        "priority": 0 if fields.get("held") else 10,
    }  # fmt: skip
    key = JobKey(number, fields.pop("submit", NOW - 100), fields.pop("restarts", 0))
    return LiveJob(key=key, **(plain | fields))


def running(number: int, names: str, end: int, **fields) -> LiveJob:
    """A job that runs on nodes, given as ``1 2``, until so many seconds from now; it began an hour ago."""
    nodes = tuple(f"n{name}" for name in names.split())
    plain = {
        "state": "RUNNING", "reason": "", "start_time": NOW - 3600, "end_time": NOW + end, "allocated": nodes,
        "submit": NOW - 4000, "limit": 3600 + end,
    }  # fmt: skip
    return waiting(number, len(nodes), **(plain | fields))


def array(number: int, tasks: int, most: int | None = None, **fields) -> LiveJob:
    """An array whose tasks all wait."""
    row = JobArray(number, None, tuple(range(tasks)), most=most)
    return waiting(number, array=row, **fields)


def job(number: int, mark: str = "", **fields) -> LiveJob:
    """A job that waits; ``mark`` goes behind ``planbatch:``."""
    plain = {"admin_comment": f"planbatch:{mark}" if mark else "", "reason": ""}
    return waiting(number, **(plain | fields))


def parked(number: int, later: int = 600, asked: int = 0, **fields) -> LiveJob:
    """A job whose begin time ``job_submit.lua`` or the driver put so many seconds ahead."""
    plain = {"begin_time": NOW + later, "reason": "BeginTime"}
    return job(number, f"asked={asked}:begin={NOW + later}", **(plain | fields))


def freed(number: int, ago: int = 0, **fields) -> LiveJob:
    """A job that was released so many seconds ago."""
    return parked(number, -ago, **({"reason": "Priority"} | fields))


def arrived(number: int, **fields) -> LiveJob:
    """A parked job of all eight nodes, one minute; the lower its number, the later it was submitted."""
    return parked(number, **({"nodes": 8, "limit": 60, "submit": NOW - number} | fields))


def small(number: int, **fields) -> LiveJob:
    """The same of one node."""
    return arrived(number, **({"nodes": 1} | fields))


def node(name: str, state: str = "IDLE", *flags: str, **fields) -> LiveNode:
    """A node of four CPUs in the partition main."""
    plain = {"cpus": 4, "partitions": ("main",)}
    return LiveNode(name, state, frozenset(flags), **(plain | fields))


def cluster(*jobs: LiveJob, nodes: int | tuple[LiveNode, ...] = 4, now: int = NOW, **fields) -> Snapshot:
    """A cluster of so many nodes n1, n2, …, all in the partition main, whose longest jobs take a day."""
    machine = nodes if isinstance(nodes, tuple) else tuple(node(f"n{k + 1}") for k in range(nodes))
    members = tuple(each.name for each in machine if "main" in each.partitions)
    parts = fields.pop("partitions", (LivePartition("main", members, max_time=86400),))
    return Snapshot(now, jobs, machine, parts, "lab", "22.05.8", fields.pop("reservations", ()))


def snapshot(*jobs: LiveJob, now: int = NOW) -> Snapshot:
    """A cluster of eight nodes."""
    return cluster(*jobs, nodes=8, now=now)


def plan(*starts: tuple[LiveJob, int]) -> dict[Target, int]:
    """Planned starts, from now."""
    return {Target(each.key): NOW + later for each, later in starts}


def by_number(snapshot: Snapshot, number: int) -> LiveJob:
    return next(each for each in snapshot.jobs if each.job_id == number)


def applied(snapshot: Snapshot, lines: Iterable[str]) -> Snapshot:
    """The cluster after some lines: what is released has not started yet; begin times that have passed become now."""
    jobs = {each.job_id: each for each in snapshot.jobs}
    for line in lines:
        words = LINE.fullmatch(line)
        assert words, f"the model does not know {line!r}"
        changed = jobs[int(words["job"])]
        if words["begin"]:
            begin = snapshot.time if words["begin"] == "now" else int(words["begin"][3:])
            changed = replace(changed, begin_time=max(begin, snapshot.time), reason="BeginTime")
        if words["mark"] is not None:
            changed = replace(changed, admin_comment=words["mark"])
        jobs[changed.job_id] = changed
    return replace(snapshot, jobs=tuple(jobs.values()))


def after(snapshot: Snapshot, commands: Iterable[Command]) -> Snapshot:
    """The cluster after all lines of some commands."""
    return applied(snapshot, lines_of(list(commands)))


class Cluster:
    """A model of a cluster of eight nodes, as a client and as something to read.

    ``faults`` are raised one after the other; begin times of the jobs in ``refused`` are refused with some words, and
    the mark is kept, as Slurm 22.05.8 does.
    """

    def __init__(self, *jobs: LiveJob, refused: dict[int, str] | None = None) -> None:
        self.now, self.queue = NOW, snapshot(*jobs)
        self.faults: list[Exception] = []
        self.sent: list[str] = []
        self.refused = refused or {}
        self.one_at_a_time = Lock()  # drivers send lines side by side

    def clock(self) -> float:
        return float(self.now)

    def wait(self, seconds: int) -> None:
        self.now += seconds

    def read(self) -> Snapshot:
        if self.faults:
            raise self.faults.pop(0)
        return replace(self.queue, time=self.now)

    def change(self, **fields: Any) -> None:
        """Change every job that waits and that nobody holds."""
        jobs = (replace(each, **fields) if each.pending and not each.held else each for each in self.queue.jobs)
        self.queue = replace(self.queue, jobs=tuple(jobs))

    def change_nodes(self, **fields: Any) -> None:
        """Change every node but the first."""
        first, *others = self.queue.nodes
        nodes = (first, *(replace(each, **fields) for each in others))
        self.queue = replace(self.queue, nodes=nodes)

    def script(self, lines: Iterable[str]) -> list[Answer]:
        with self.one_at_a_time:
            answers = [self._answer(line) for line in lines]
            self.sent += [answer.line for answer in answers]
            changes = [one.line if one.done else re.sub(r" StartTime=\S+", "", one.line) for one in answers]
            self.queue = applied(self.queue, changes)
        return answers

    def _answer(self, line: str) -> Answer:
        number = int(line.split("JobId=")[1].split(maxsplit=1)[0])
        if number in self.refused and " StartTime=" in line:
            return Answer(line, False, self.refused[number].format(number))
        return Answer(line, True)


def driver(cluster: Cluster, folder, rules=STRICT, policy="fcfs", **fields) -> Driver:
    """A driver of a model; ``policy`` is a name or a policy."""
    planner_policy = make_policy(policy) if isinstance(policy, str) else policy
    planner = fields.pop("planner", None) or Planner(planner_policy, rules)
    return Driver(cluster, planner, rules, folder, clock=cluster.clock, read=cluster.read, **fields)


def run_for(one: Driver, cluster: Cluster, ticks: int) -> list[Any]:
    """Let a driver run for some ticks of five seconds; return them."""
    records: list[Any] = []

    class Impatient(Event):
        def wait(self, timeout=None):
            cluster.now += 5
            if len(records) >= ticks:
                self.set()
            return self.is_set()

    with one.exclusive():
        one.run(Impatient(), records.append, {})
    return records
