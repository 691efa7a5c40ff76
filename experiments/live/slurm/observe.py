"""From a snapshot of a cluster to one scheduling round."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from planbatch.experiments.common.text import duration
from planbatch.experiments.live.slurm.marks import NEUTRAL, Target, requested_begin
from planbatch.experiments.live.slurm.pool import (
    GPUS,
    MEMORY,
    ObserveOptions,
    Pool,
    Remark,
    Usage,
    first_names,
    partition_resource,
    pool_of,
    reservation_remarks,
    usage_of,
    windows_of,
)
from planbatch.experiments.live.slurm.snapshot import UNREADABLE, LiveJob, LiveNode, LivePartition, Snapshot
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.round import Round, RunningTable, job_table

#: Slurm's reasons (manual page of squeue, JOB REASON CODES) for which a job never starts unless it is changed.
_NEVER = frozenset(
    ("PartitionTimeLimit", "BadConstraints", "AccountNotAllowed", "QOSNotAllowed", "InvalidAccount", "InvalidQOS",
     "DependencyNeverSatisfied", "PartitionConfig", "FrontEndDown", "DeadLine")
)  # fmt: skip
#: Beginnings of reasons that are limits of users, accounts and qualities of service.
_LIMITS = ("QOS", "Assoc", "Max", "Licenses", "BurstBuffer")
#: The id of a task is the array's number times this, plus the task's number, which is below 4,000,001.
TASK_IDS = 10_000_000


#: A heading and a sentence: why a job cannot be planned.
Obstacle = tuple[str, str]


@dataclass(frozen=True)
class WaitingJob:
    """A job, or a task of an array, that is planned."""

    job: LiveJob  # its row of the queue
    task: int | None  # the task, if the row stands for several
    #: Nodes or CPUs; requested time (s).
    amount: int
    walltime: int
    further: Mapping[str, int]  # amounts of other resources, by name

    @property
    def target(self) -> Target:
        """Its identity from tick to tick."""
        return Target(self.job.key, self.task)

    @property
    def id(self) -> int:
        """Its number in round files: Slurm's, or that of the array times 10,000,000 and the task's."""
        return self.job.job_id if self.task is None else self.job.job_id * TASK_IDS + self.task

    @property
    def label(self) -> str:
        """Its name for people: ``59_1`` is a task of the array 59."""
        if self.task is not None and self.job.array is not None:
            return f"{self.job.array.job_id}_{self.task}"
        return self.job.label


def row_and_task(number: int) -> tuple[int, int | None]:
    """Return the numbers of the row and of its task, None for none, of a job's number in round files.

    >>> row_and_task(60), row_and_task(590000002)
    ((60, None), (59, 2))
    """
    row, task = divmod(number, TASK_IDS)
    return (row, task) if row else (task, None)


class Queue:
    """Sorts the waiting jobs of a snapshot into those that can be planned and those that cannot."""

    def __init__(self, snapshot: Snapshot, pool: Pool, options: ObserveOptions) -> None:
        self.snapshot, self.pool, self.options = snapshot, pool, options
        self.jobs: list[WaitingJob] = []  # those that can be planned, in Slurm's order
        self.left_out: list[Remark] = []  # the others
        self.noted: list[Remark] = []  # remarks on some that are planned
        usable = pool.usable.values()
        self._partitions = {part.name: part for part in snapshot.partitions}
        self._choices: dict[str, list[LivePartition]] = {}
        self._gpus = sum(node.gpus for node in usable)
        self._all_gpus = sum(node.gpus for node in pool.nodes.values())
        self._largest = _of_largest([node.cpus for node in usable])
        self._memory = _of_largest([node.memory for node in usable])
        self._capacity = pool.capacity
        self._parts = {part: pool.amount(names) for part, names in pool.divided.items()}
        #: Nodes of every partition, usable or not.
        self._sizes = Counter(name for node in pool.nodes.values() for name in node.partitions)
        self._free = pool.free(snapshot)
        self._running_tasks = Counter(
            job.array.job_id for job in snapshot.jobs if job.running and job.array is not None
        )
        for job in snapshot.jobs:
            if job.state == UNREADABLE:
                self._leave_out(job, "not readable", job.reason)
            elif job.pending:
                self._sort_in(job)

    def _leave_out(self, job: LiveJob, kind: str, why: str) -> None:
        self.left_out.append(Remark(kind, job.label, job.user, why))

    def _sort_in(self, job: LiveJob) -> None:
        obstacle = (
            self._foreign_obstacle(job)
            or self._start_obstacle(job)
            or self._size_obstacle(job)
            or self._slurm_obstacle(job)
        )
        if obstacle is not None:
            self._leave_out(job, *obstacle)
            return
        walltime, amount = self._walltime(job), self._amount(job)
        amounts = self._further(job, amount)
        for task in self._tasks(job):
            self.jobs.append(WaitingJob(job, task, amount, walltime, amounts))
        if job.required or job.features:
            nodes = ",".join(job.required[:4]) or job.features
            why = f"asks for {nodes}: counted, not placed"
            self.noted.append(Remark("placement", job.label, job.user, why))

    def _partitions_of(self, job: LiveJob) -> list[LivePartition]:
        """The planned partitions that a job may run in."""
        if job.partition not in self._choices:
            self._choices[job.partition] = [
                self._partitions.get(name) or LivePartition(name, ())
                for name in job.partition.split(",")
                if name in (self.options.partitions or (name,))
            ]
        return self._choices[job.partition]

    def _foreign_obstacle(self, job: LiveJob) -> Obstacle | None:
        """Jobs that are not the driver's to plan."""
        if not self._partitions_of(job):
            return "foreign partition", f"partition {job.partition} is not planned"
        if job.held:
            whom = "its user" if job.held == "user" else "an administrator"
            return f"held by {whom}", job.reason or "priority 0"
        if job.het_job:
            return "heterogeneous", f"a part of {job.het_job}, whose parts start together"
        if job.reservation:
            return "reservation", f"waits for the reservation {job.reservation}"
        return None

    def _start_obstacle(self, job: LiveJob) -> Obstacle | None:
        """Jobs that may not start now, whatever is free."""
        if "never" in job.dependency.lower() or job.reason in _NEVER:
            return "never starts", job.reason
        if "(unfulfilled)" in job.dependency or job.reason == "Dependency":
            return "dependency", job.dependency
        if job.reason.startswith(_LIMITS):
            return "limit", job.reason
        if not any(part.up for part in self._partitions_of(job)):
            return "partition is down", job.partition
        wait = requested_begin(job) - self.snapshot.time
        if wait > 0:
            return "begins later", f"in {duration(wait)}"
        return None

    def _size_obstacle(self, job: LiveJob) -> Obstacle | None:
        """Jobs that cannot start on the nodes that are up, or never."""
        partitions, pool = self._partitions_of(job), self.pool
        sizes = [self._sizes.get(part.name, len(pool.nodes)) for part in partitions]
        most = max(min(size, part.max_nodes or size) for size, part in zip(sizes, partitions, strict=True))
        if job.nodes > most:
            return "never starts", f"{job.nodes} nodes, above the {most} of {job.partition}"
        limit = job.time_limit
        if limit and all(part.max_time and limit > part.max_time for part in partitions):
            return "never starts", f"time limit {duration(limit)}, above that of {job.partition}"
        if job.gpus > self._all_gpus:
            return "never starts", f"{job.gpus} GPUs, more than there are"
        room = max(self._parts.get(part.name, self._capacity) for part in partitions)
        needs = [
            (self._amount(job), room, pool.unit),
            (job.nodes, len(pool.usable), "nodes"),
            (job.gpus, self._gpus, "GPUs"),
        ]
        if pool.memory:
            needs.append((self._wanted_memory(job), self._memory[-1], "MB"))
        for needed, up, what in needs:
            if needed > up:
                return "too large now", f"needs {needed:,} {what}, {up:,} are up"
        return None

    def _slurm_obstacle(self, job: LiveJob) -> Obstacle | None:
        """Jobs that Slurm does not start, and those that ask for nodes that are busy, or asked for before them."""
        if job.reason not in NEUTRAL:
            return "refused by Slurm", job.reason
        whole = job.exclusive or self.pool.unit == "nodes"
        each = -(-job.cpus // max(job.nodes, 1))
        demands = {name: self.pool.amount((name,)) if whole else each for name in job.required}
        for name, amount in demands.items():
            if self._free.get(name, -1) < amount:
                return "named nodes", f"asks for {name}, which is not free"
        for name, amount in demands.items():
            self._free[name] -= amount
        return None

    def _wanted_memory(self, job: LiveJob) -> int:
        """Memory in all (MB); a job that takes whole nodes has all of the largest ones."""
        if job.exclusive:
            return self._memory[: max(job.nodes, 1) + 1][-1]
        return job.tres.get("mem", 0)

    def _amount(self, job: LiveJob) -> int:
        """Nodes or CPUs; a job that takes whole nodes is counted with the largest ones."""
        if self.pool.unit == "nodes":
            return max(job.nodes, 1)
        if job.exclusive:
            return max(self._largest[: max(job.nodes, 1) + 1][-1], 1)
        return max(job.cpus, job.nodes, 1)

    def _further(self, job: LiveJob, amount: int) -> dict[str, int]:
        """Amounts of the other resources; a job that may run in several partitions takes none of theirs."""
        names = [part.name for part in self._partitions_of(job)]
        further = {GPUS: job.gpus, MEMORY: self._wanted_memory(job)}
        if len(names) == 1 and names[0] in self._parts:
            further[partition_resource(names[0])] = amount
        return further

    def _walltime(self, job: LiveJob) -> int:
        """The requested time: without one, the partition's default or largest, or else the one of the options (s)."""
        if job.time_limit is not None:
            return max(job.time_limit, 1)
        limits = (part.default_time or part.max_time for part in self._partitions_of(job))
        walltime = next((limit for limit in limits if limit), self.options.default_limit)
        why = f"planned with {duration(walltime)}"
        self.noted.append(Remark("no time limit", job.label, job.user, why))
        return walltime

    def _tasks(self, job: LiveJob) -> Iterator[int | None]:
        """The tasks of a row that are planned: no more than may run at once, and no more than the options say."""
        array = job.array
        if array is None or not array.tasks:
            yield None
            return
        room, why = self.options.most_tasks, "not planned: --tasks"
        running = self._running_tasks[array.job_id]
        if array.most and array.most - running < room:
            room = max(array.most - running, 0)
            why = f"wait for its limit of {array.most} at once"
        yield from array.tasks[:room]
        surplus = len(array.tasks) - room
        if surplus > 0:
            self._leave_out(job, "array", f"{surplus:,} more tasks {why}")
        if array.cut_off:
            why = "Slurm cut off the list of its tasks; set SLURM_BITSTR_LEN=0"
            self._leave_out(job, "array", why)


def _of_largest(sizes: Sequence[int]) -> list[int]:
    """Total of the largest 0, 1, 2, … nodes."""
    return [0, *accumulate(sorted(sizes, reverse=True))]


@dataclass(frozen=True)
class Observation:
    """A snapshot as a scheduling round.

    Experimental: it may change in any release.

    Attributes
    ----------
    snapshot : Snapshot
        The snapshot.
    pool : Pool
        What of the cluster is planned.
    problem : Round
        The round.
    jobs : tuple of WaitingJob
        The waiting jobs in the order of the round.
    left_out : tuple of Remark
        Waiting jobs that are not in the round, and why.
    noted : tuple of Remark
        Nodes that are not usable or reserved, running jobs past their end, and assumptions about waiting jobs.

    Examples
    --------
    >>> from planbatch.experiments import Snapshot, observe
    >>> snapshot = Snapshot.example()
    >>> seen = observe(snapshot)
    >>> len(seen.problem), seen.left_out, seen.noted
    (1, (), ())
    """

    snapshot: Snapshot
    pool: Pool
    problem: Round
    jobs: tuple[WaitingJob, ...]
    left_out: tuple[Remark, ...]
    noted: tuple[Remark, ...]

    @property
    def source(self) -> str:
        """A short description of the round."""
        version = f", Slurm {self.snapshot.version}" if self.snapshot.version else ""
        name = self.snapshot.cluster or "a Slurm cluster"
        return f"{name} at {self.snapshot.time}, {self.pool.unit} as processors{version}"


def observe(snapshot: Snapshot, options: ObserveOptions | None = None) -> Observation:
    """Make a scheduling round of a snapshot.

    Experimental: it may change in any release.

    Parameters
    ----------
    snapshot : Snapshot
        The cluster at one moment.
    options : ObserveOptions, optional
        Which part of the cluster is planned, and in which units.

    Raises
    ------
    ValueError
        If a partition is not there, or no node is usable.

    Examples
    --------
    >>> from planbatch.experiments import Snapshot, observe
    >>> observe(Snapshot.example()).problem
    Round(at 1970-01-01 00:01:40, 1 waiting, 0 running, 1 of 1 processor free)
    """
    options = options or ObserveOptions()
    pool = pool_of(snapshot, options)
    if not pool.capacity:
        states = sorted({node.state.lower() for node in pool.nodes.values()})
        raise ValueError(f"no node is usable: {len(pool.nodes)} are {' or '.join(states) or 'known'}")
    queue = Queue(snapshot, pool, options)
    jobs = sorted(queue.jobs, key=lambda job: job.job.submit_time)
    problem = _round(snapshot, pool, options, jobs)
    noted = [*_unusable(pool), *reservation_remarks(snapshot, pool), *_overruns(snapshot, options), *queue.noted]
    return Observation(snapshot, pool, problem, tuple(jobs), tuple(queue.left_out), tuple(noted))


def _round(snapshot: Snapshot, pool: Pool, options: ObserveOptions, jobs: Sequence[WaitingJob]) -> Round:
    """Lay the running and the waiting jobs out in columns."""
    now, resources = snapshot.time, pool.resources
    running = usage_of(snapshot, pool, options)

    def table(rows: Sequence[Usage] | Sequence[WaitingJob]) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
        amounts = [[row.further.get(resource.name, 0) for resource in resources] for row in rows]
        return np.array(amounts, dtype=np.int64).reshape(len(rows), len(resources))

    def column(values: Sequence[int]) -> IntArray:
        return np.array(values, dtype=np.int64)

    return Round(
        now,
        pool.capacity,
        RunningTable(column([one.amount for one in running]), column([one.end for one in running]), table(running)),
        job_table(
            column([min(one.job.submit_time, now) for one in jobs]),
            column([one.amount for one in jobs]),
            column([one.walltime for one in jobs]),
            column([one.job.deadline or NEVER for one in jobs]),
            user=column([one.job.user_id for one in jobs]),
            demands=table(jobs),
        ),
        ids=column([one.id for one in jobs]),
        resources=resources,
        windows=windows_of(snapshot, pool, options),
        epoch=0,  # times are Unix times
    )


def _unusable(pool: Pool) -> list[Remark]:
    """Nodes that are not usable, those of one state and reason together."""
    groups: dict[tuple[str, str], list[LiveNode]] = defaultdict(list)
    for name, node in pool.nodes.items():
        if name not in pool.usable:
            groups["+".join((node.state, *sorted(node.flags))).lower(), node.reason].append(node)
    remarks = []
    for (state, reason), nodes in groups.items():
        names = first_names([node.name for node in nodes])
        count = f" ({len(nodes)})" if len(nodes) > 1 else ""
        why = f"{state}: {reason}" if reason else state
        remarks.append(Remark("not usable", f"{names}{count}", "", why))
    return remarks


def _overruns(snapshot: Snapshot, options: ObserveOptions) -> list[Remark]:
    """Running jobs that are past their end, and those that never end."""
    remarks = []
    limit, slack = duration(options.default_limit), duration(options.slack)
    for job in snapshot.jobs:
        if not job.running or job.state == "COMPLETING":
            continue
        overrun = snapshot.time - job.end_time
        if job.time_limit is None:
            why = f"expected to end {limit} after its start"
            remarks.append(Remark("runs without limit", job.label, job.user, why))
        elif job.end_time and overrun >= 0:
            why = f"{duration(overrun)} past its end; expected to end in {slack}"
            remarks.append(Remark("overruns", job.label, job.user, why))
    return remarks
