"""Slurm's backfill and the driver on one cluster, in simulated time: what promises, guards and delays cost and give.

    python -m benchmarks.live.simulated LOG [--seeds 5] [--policy plan-wait] [--promise 2x] [--guard 0.05x]

The driver is the real one: its planner and its commands. Slurm is a model: once a second the jobs whose begin time has
come are tried in the order of their numbers until one does not fit (its loop, which updates and submissions do not
wake), and once a second, at another time, backfill plans them all in that order, by their limits, and starts those that
fit. The jobs are those of ``compare_with_slurm``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from benchmarks.live.compare_with_slurm import CPUS, NODES, LabJob, lab_jobs, ratios
from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.live.planning import Guard
from planbatch.experiments.live.slurm.client import LINE
from planbatch.experiments.live.slurm.commands import commands_for, lines_of
from planbatch.experiments.live.slurm.marks import DriveRules
from planbatch.experiments.live.slurm.planner import Memory, Planner
from planbatch.experiments.live.slurm.pool import ObserveOptions
from planbatch.experiments.live.slurm.snapshot import JobKey, LiveJob, LiveNode, Snapshot
from planbatch.experiments.workloads.load import workload_of_source
from planbatch.planner.decoder import decode
from planbatch.planner.model import IntArray
from planbatch.planner.round import Round
from tests.live.lab.processes import arguments

#: Length of a step (s), when the simulation begins (s), and how long after backfill the main loop looks at jobs (s).
STEP, EPOCH, LOOP = 0.1, 1_000_000, 0.3


@dataclass(frozen=True)
class Delays:
    """What takes how long (s): to notice that a job has ended, to see that jobs came or ended, to plan and to act."""

    end: float = 0.2
    poll: float = 0.2
    act: float = 0.15


class Cluster:
    """Slurm, as far as it matters here; ``parked``: jobs arrive with a begin time ahead, as in strict mode."""

    def __init__(self, jobs: Sequence[LabJob], delays: Delays, parked: bool) -> None:
        self.jobs, self.delays, self.parked = jobs, delays, parked
        self.submit = np.array([job.submit for job in jobs])
        self.procs = np.array([job.procs for job in jobs])
        self.limit = np.array([60 * job.minutes for job in jobs])
        self.start = np.full(len(jobs), np.inf)
        self.free_at = np.full(len(jobs), np.inf)
        self.begin = np.zeros(len(jobs), dtype=np.int64)
        self.mark = [""] * len(jobs)
        self.now, self.news = 0.0, False

    @property
    def time(self) -> int:
        """The time on its clock (s)."""
        return EPOCH + int(self.now)

    @property
    def running(self) -> IntArray:
        """The jobs that have processors."""
        return np.flatnonzero((self.start <= self.now) & (self.free_at > self.now))

    @property
    def eligible(self) -> IntArray:
        """The jobs that wait and may start."""
        waiting = (self.submit <= self.now) & np.isinf(self.start)
        return np.flatnonzero(waiting & (self.begin <= self.time))

    @property
    def free(self) -> int:
        """Processors that nobody has."""
        return NODES * CPUS - int(self.procs[self.running].sum())

    def advance(self) -> None:
        """Go on by a step: ends and submissions, then Slurm's two schedulers."""
        before, self.now = self.now, round(self.now + STEP, 1)
        came = np.flatnonzero((self.submit > before) & (self.submit <= self.now))
        for k in came if self.parked else ():
            self.begin[k] = self.time + 600
            self.mark[k] = f"planbatch:asked=0:begin={self.begin[k]}"
        if len(came) or ((self.free_at > before) & (self.free_at <= self.now)).any():
            self.news = True
        fraction = round(self.now % 1, 1)
        if fraction == LOOP:
            for k in self.eligible.tolist():
                if self.procs[k] > self.free:
                    break
                self._launch(k)
        if fraction == 0.0 and self.free and len(waiting := self.eligible):
            for k in waiting[self._backfilled(waiting) == int(self.now)].tolist():
                self._launch(k)

    def _backfilled(self, waiting: IntArray) -> IntArray:
        """Starts of a plan in the order of numbers."""
        now, busy = int(self.now), self.running
        ends = np.maximum(self.start[busy].astype(int) + self.limit[busy], now + 1)
        problem = Round.of(
            capacity=NODES * CPUS, now=now,
            running=list(zip(self.procs[busy].tolist(), ends.tolist(), strict=True)),
            waiting=[(int(self.submit[k]), int(self.procs[k]), int(self.limit[k])) for k in waiting],
        )  # fmt: skip
        return decode(problem, np.arange(len(waiting))).start

    def _launch(self, k: int) -> None:
        self.start[k] = self.now
        self.free_at[k] = self.now + self.jobs[k].seconds + self.delays.end

    def snapshot(self) -> Snapshot:
        """Take a snapshot; running jobs get CPUs from the first nodes on."""
        free = dict.fromkeys((f"n{k + 1}" for k in range(NODES)), CPUS)
        rows, busy = [], set(self.running.tolist())
        for k in np.flatnonzero(self.submit <= self.now).tolist():
            waits = bool(np.isinf(self.start[k]))
            if not waits and k not in busy:
                continue
            state = {"state": "PENDING", "reason": "BeginTime" if self.begin[k] > self.time else "Priority"}
            if not waits:
                began = EPOCH + int(self.start[k])
                state = {"state": "RUNNING", "start_time": began, "end_time": began + int(self.limit[k]),
                         "allocated": _allocated(free, int(self.procs[k]))}  # fmt: skip
            key = JobKey(k + 1, EPOCH + int(self.submit[k]))
            rows.append(LiveJob(key, "j", "ann", "a", "main", 1, int(self.procs[k]), **state,
                                time_limit=int(self.limit[k]), begin_time=int(self.begin[k]),
                                admin_comment=self.mark[k], priority=1))  # fmt: skip
        nodes = tuple(LiveNode(name, "IDLE", frozenset(), CPUS, partitions=("main",)) for name in free)
        return Snapshot(self.time, tuple(rows), nodes)

    def script(self, lines: Sequence[str]) -> None:
        """Do as told, unless a job has started."""
        for line in lines:
            words = LINE.fullmatch(line)
            assert words is not None
            k = int(words["job"]) - 1
            if np.isinf(self.start[k]):
                begin = words["begin"] or "now"
                self.begin[k] = max(0 if begin == "now" else int(begin[3:]), self.time)
                self.mark[k] = words["mark"] or ""


def _allocated(free: dict[str, int], needed: int) -> tuple[str, ...]:
    """Take CPUs of nodes; their names."""
    names = []
    for name, left in free.items():
        if needed and left:
            names.append(name)
            free[name], needed = left - min(left, needed), needed - min(left, needed)
    return tuple(names)


def waits(jobs: Sequence[LabJob], side: str, planner: Planner | None = None, delays: Delays = Delays()) -> IntArray:
    """Simulate a side, ``slurm``, ``strict`` or ``soft``; the waits (s)."""
    cluster = Cluster(jobs, delays, side == "strict")
    memory: Memory = {}
    lines: list[str] = []
    tick, looked, due = 0.5, 0.0, np.inf
    while np.isinf(cluster.start).any():
        cluster.advance()
        if planner is None:
            continue
        if cluster.now >= due:
            cluster.script(lines)
            due = np.inf
        if due == np.inf and (cluster.now >= tick or (cluster.news and cluster.now >= looked + delays.poll)):
            snapshot = cluster.snapshot()
            planned = planner(snapshot, memory)
            memory, cluster.news, looked = planned.memory, False, cluster.now
            acts = cluster.now + delays.act
            lines = lines_of(commands_for(snapshot, planned.starts, EPOCH + int(acts), planner.rules, planned.early))
            due, tick = acts, cluster.now + planner.rules.every
            if side == "strict":
                to_come = [start for start in planned.starts.values() if start > cluster.time]
                tick = min([tick, *(start - EPOCH for start in to_come)])
    return (np.floor(cluster.start) - np.floor(cluster.submit)).astype(np.int64)


def main() -> None:
    """Print a row per policy, promise, guard and delay: waits divided by those of Slurm's backfill."""
    options = arguments(__doc__, "log", seeds=5, sides="strict,soft", policy="plan-wait", promise="2x",
                      guard="none,0s,0.05x", poll="0.2", act="0.15")  # fmt: skip
    log = workload_of_source(options.log)
    workloads = [lab_jobs(log, 300, 270, seed) for seed in range(1, options.seeds + 1)]
    alone = [waits(jobs, "slurm") for jobs in workloads]
    means, longest = [f"{each.mean():.1f}" for each in alone], [int(each.max()) for each in alone]
    print("Slurm: mean", means, "longest", longest)
    lists = (options.policy, options.promise, options.guard, options.poll, options.act, options.sides)
    for policy, promise, guard, poll, act, side in product(*(one.split(",") for one in lists)):
        delays = Delays(poll=float(poll), act=float(act))
        rules = DriveRules("strict" if side == "strict" else "soft", every=1.0)
        planner_policy = make_policy(policy, promise=promise)
        planner = Planner(planner_policy, rules, ObserveOptions(unit="cpus"), guard=Guard.parse(guard))
        means, longest = ratios([waits(jobs, side, planner, delays) for jobs in workloads], alone)
        print(f"{policy}, promise {promise}, guard {guard}, looks {delays.poll:g} s, acts {delays.act:g} s, {side}: "
              f"mean {np.mean(means):+.0%} ({min(means):+.0%} to {max(means):+.0%}), "
              f"longest {np.mean(longest):.2f} × ({min(longest):.2f} to {max(longest):.2f})", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
