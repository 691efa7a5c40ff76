"""From a snapshot of a cluster to one scheduling round."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from planbatch.experiments.common.text import duration
from planbatch.experiments.live.slurm.marks import NEUTRAL, asked_begin
from planbatch.experiments.live.slurm.pool import (
    GPUS,
    MEMORY,
    Held,
    ObserveOptions,
    Pool,
    Remark,
    free_cpus,
    held_by_jobs,
    partition_resource,
    pool_of,
    reservation_remarks,
    windows_of,
)
from planbatch.experiments.live.slurm.snapshot import (
    UNREADABLE,
    LiveJob,
    LiveNode,
    LivePartition,
    Snapshot,
)
from planbatch.planner.model import NEVER
from planbatch.planner.round import Round, RunningTable, job_table

#: Slurm's reasons (manual page of squeue, JOB REASON CODES) for which a job never starts unless it is changed.
_NEVER = frozenset(
    ("PartitionTimeLimit", "BadConstraints", "AccountNotAllowed", "QOSNotAllowed", "InvalidAccount", "InvalidQOS",
     "DependencyNeverSatisfied", "PartitionConfig", "FrontEndDown", "DeadLine")
)  # fmt: skip
#: Beginnings of reasons that are limits of users, accounts and qualities of service.
_LIMITS = ("QOS", "Assoc", "Max", "Licenses", "BurstBuffer")
#: An id of a task: the array's number times this, and the task's number. Task numbers are below 4,000,001.
TASK_IDS = 10_000_000


@dataclass(frozen=True)
class WaitingJob:
    """A job, or a task of an array, that is planned.

    Attributes
    ----------
    job : LiveJob
        Its row of the queue.
    task : int, optional
        The task that it is of a row that stands for several.
    amount, walltime : int
        Nodes or CPUs; requested time (s).
    further : mapping of str to int
        Amounts of other resources, by name.
    """

    job: LiveJob
    task: int | None
    amount: int
    walltime: int
    further: Mapping[str, int]

    @property
    def id(self) -> int:
        """Its number in round files: Slurm's, or that of the array times 10,000,000 and the task's."""
        return self.job.job_id if self.task is None else self.job.job_id * TASK_IDS + self.task

    @property
    def label(self) -> str:
        """How people call it: ``59_1`` is a task of the array 59."""
        if self.task is not None and self.job.array is not None:
            return f"{self.job.array.job_id}_{self.task}"
        return self.job.label


class Queue:
    """Sorts the waiting jobs of a snapshot into those that can be planned and those that cannot.

    Parameters
    ----------
    snapshot, pool, options
        What is there, and what of it is planned.

    Attributes
    ----------
    planned : list of WaitingJob
        In Slurm's order.
    left_out, noted : list of Remark
        Jobs that are not planned, and remarks on some that are.
    """

    def __init__(self, snapshot: Snapshot, pool: Pool, options: ObserveOptions) -> None:
        self.snapshot, self.pool, self.options = snapshot, pool, options
        self.planned: list[WaitingJob] = []
        self.left_out: list[Remark] = []
        self.noted: list[Remark] = []
        self._partitions = {part.name: part for part in snapshot.partitions}
        self._gpus = sum(node.gpus for node in pool.usable.values())
        self._all_gpus = sum(node.gpus for node in pool.nodes.values())
        self._running_tasks = Counter(
            job.array.job_id for job in snapshot.jobs if job.running and job.array is not None
        )
        nodes = pool.usable.values()
        self._largest = _largest_first([node.cpus for node in nodes])
        self._memory = _largest_first([node.memory for node in nodes])
        self._capacity = pool.capacity
        self._parts = {part: pool.amount(names) for part, names in pool.divided.items()}
        self._sizes = self._configured()
        self._free = free_cpus(snapshot, pool)
        for job in snapshot.jobs:
            if job.state == UNREADABLE:
                self._leave_out(job, "not readable", job.reason)
            elif job.pending:
                self._sort_in(job)

    def _configured(self) -> dict[str, int]:
        """Nodes of every partition, usable or not."""
        sizes: dict[str, int] = {}
        for node in self.pool.nodes.values():
            for name in node.partitions:
                sizes[name] = sizes.get(name, 0) + 1
        return sizes

    def _leave_out(self, job: LiveJob, kind: str, why: str, what: str = "") -> None:
        self.left_out.append(Remark(kind, what or job.label, job.user, why))

    def _sort_in(self, job: LiveJob) -> None:
        found = self._obstacle(job)
        if found is not None:
            self._leave_out(job, *found)
            return
        walltime = self._walltime(job)
        amount = self._amount(job)
        further = self._further(job, amount)
        for task in self._tasks(job):
            self.planned.append(WaitingJob(job, task, amount, walltime, further))
        if job.required or job.features:
            wanted = ",".join(job.required[:4]) or job.features
            self.noted.append(
                Remark("placement", job.label, job.user, f"asks for {wanted}: counted, not placed")
            )

    def _obstacle(self, job: LiveJob) -> tuple[str, str] | None:
        """Return why a job cannot be planned, as a heading and a sentence; None if it can."""
        return (
            self._foreign(job) or self._blocked(job) or self._too_large(job) or self._elsewhere(job)
        )

    def _chosen(self, job: LiveJob) -> list[str]:
        """The planned partitions that a job may run in."""
        wanted = job.partition.split(",")
        return [
            name
            for name in wanted
            if not self.options.partitions or name in self.options.partitions
        ]

    def _foreign(self, job: LiveJob) -> tuple[str, str] | None:
        """Jobs that are not ours to plan."""
        if not self._chosen(job):
            return "foreign partition", f"partition {job.partition} is not planned"
        if job.held:
            whom = "its user" if job.held == "user" else "an administrator"
            return f"held by {whom}", job.reason or "priority 0"
        if job.het_job:
            return "heterogeneous", f"a part of {job.het_job}, whose parts start together"
        if job.reservation:
            return "reservation", f"waits for the reservation {job.reservation}"
        return None

    def _blocked(self, job: LiveJob) -> tuple[str, str] | None:
        """Jobs that may not start now, whatever is free."""
        if "never" in job.dependency.lower() or job.reason in _NEVER:
            return "never starts", job.reason
        if "(unfulfilled)" in job.dependency or job.reason == "Dependency":
            return "dependency", job.dependency
        if job.reason.startswith(_LIMITS):
            return "limit", job.reason
        if all(not self._partition(name).up for name in self._chosen(job)):
            return "partition is down", job.partition
        wait = asked_begin(job) - self.snapshot.time
        if wait > 0:
            return "begins later", f"in {duration(wait)}"
        return None

    def _partition(self, name: str) -> LivePartition:
        return self._partitions.get(name) or LivePartition(name, ())

    def _too_large(self, job: LiveJob) -> tuple[str, str] | None:
        """Jobs that cannot start on the nodes that are up, or never."""
        chosen = [self._partition(name) for name in self._chosen(job)]
        sizes = [self._sizes.get(part.name, len(self.pool.nodes)) for part in chosen]
        allowed = [
            min(size, part.max_nodes or size) for size, part in zip(sizes, chosen, strict=True)
        ]
        if job.nodes > max(allowed):
            return "never starts", f"{job.nodes} nodes, above the {max(allowed)} of {job.partition}"
        longest = [part.max_time for part in chosen]
        if job.time_limit and all(limit and job.time_limit > limit for limit in longest):
            return (
                "never starts",
                f"time limit {duration(job.time_limit)}, above that of {job.partition}",
            )
        if job.gpus > self._all_gpus:
            return "never starts", f"{job.gpus} GPUs, more than there are"
        amount, names = (
            self._amount(job),
            [name for name in self._chosen(job) if name in self._parts],
        )
        room = (
            max(self._parts[name] for name in names)
            if len(names) == len(chosen)
            else self._capacity
        )
        if amount > room or job.nodes > len(self.pool.usable) or job.gpus > self._gpus:
            return "too large now", f"{amount} {self.pool.unit}, and {room} are up"
        if self.pool.memory and (wanted := self._wanted_memory(job)) > self._memory[-1]:
            return "too large now", f"{wanted:,} MB, and {self._memory[-1]:,} are up"
        return None

    def _wanted_memory(self, job: LiveJob) -> int:
        """Memory in all (MB); a job that takes whole nodes has all of the largest ones."""
        if job.exclusive:
            return self._memory[: max(job.nodes, 1) + 1][-1]
        return job.tres.get("mem", 0)

    def _elsewhere(self, job: LiveJob) -> tuple[str, str] | None:
        """Jobs that Slurm does not start, and those that ask for nodes that are busy, or asked for before them."""
        if job.reason not in NEUTRAL:
            return "refused by Slurm", job.reason
        needed = {}
        for name in job.required:
            node = self.pool.usable.get(name)
            whole = job.exclusive or self.pool.unit == "nodes"
            each = -(-job.cpus // max(job.nodes, 1))
            needed[name] = node.cpus if node is not None and whole else each
            if self._free.get(name, -1) < needed[name]:
                return "named nodes", f"asks for {name}, which is not free"
        for name, cpus in needed.items():
            self._free[name] -= cpus
        return None

    def _amount(self, job: LiveJob) -> int:
        """Nodes or CPUs; a job that takes whole nodes is counted with the largest ones."""
        if self.pool.unit == "nodes":
            return max(job.nodes, 1)
        if job.exclusive:
            return max(self._largest[: max(job.nodes, 1) + 1][-1], 1)
        return max(job.cpus, job.nodes, 1)

    def _further(self, job: LiveJob, amount: int) -> dict[str, int]:
        """Amounts of the other resources; a job that may run in several partitions takes none of theirs."""
        names = self._chosen(job)
        further = (
            {partition_resource(names[0]): amount}
            if len(names) == 1 and names[0] in self._parts
            else {}
        )
        if self.pool.memory and (wanted := self._wanted_memory(job)):
            further[MEMORY] = wanted
        return further | ({GPUS: job.gpus} if job.gpus else {})

    def _walltime(self, job: LiveJob) -> int:
        """The requested time: without one, the partition's default or largest, or else the one of the options (s)."""
        if job.time_limit is not None:
            return max(job.time_limit, 1)
        parts = [self._partition(name) for name in self._chosen(job)]
        known = [part.default_time or part.max_time for part in parts]
        found = next((limit for limit in known if limit), self.options.default_limit)
        self.noted.append(
            Remark("no time limit", job.label, job.user, f"planned with {duration(found)}")
        )
        return found

    def _tasks(self, job: LiveJob) -> Iterator[int | None]:
        """The tasks of a row that are planned: no more than may run at once, and no more than the options say."""
        array = job.array
        if array is None or not array.tasks:
            yield None
            return
        room, why = self.options.most_tasks, "not planned: --tasks"
        if array.most:
            running = self._running_tasks[array.job_id]
            if array.most - running < room:
                room, why = (
                    max(array.most - running, 0),
                    f"wait for its limit of {array.most} at once",
                )
        yield from array.tasks[:room]
        rest = len(array.tasks) - room
        if rest > 0:
            self._leave_out(job, "array", f"{rest:,} more tasks {why}")
        if array.cut_off:
            self._leave_out(
                job, "array", "Slurm cut off the list of its tasks; set SLURM_BITSTR_LEN=0"
            )


def _largest_first(sizes: Sequence[int]) -> list[int]:
    """What the largest 0, 1, 2, … nodes have together."""
    return [0, *accumulate(sorted(sizes, reverse=True))]


#: Most names of nodes that a remark spells out.
NAMED = 6


@dataclass(frozen=True)
class Observation:
    """A snapshot as a scheduling round.

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
    >>> from planbatch.experiments import JobKey, LiveJob, LiveNode, Snapshot, observe
    >>> node = LiveNode("n1", "IDLE", frozenset(), cpus=8)
    >>> job = LiveJob(
    ...     JobKey(7, 90), "demo", "ann", "physics", "main", nodes=1, cpus=8, state="PENDING", time_limit=600,
    ...     exclusive=True,
    ... )
    >>> snapshot = Snapshot(100, (job,), (node,))
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
        """What the round is of, in a few words."""
        version = f", Slurm {self.snapshot.version}" if self.snapshot.version else ""
        name = self.snapshot.cluster or "a Slurm cluster"
        return f"{name} at {self.snapshot.time}, {self.pool.unit} as processors{version}"


def observe(snapshot: Snapshot, options: ObserveOptions | None = None) -> Observation:
    """Make a scheduling round of a snapshot.

    Parameters
    ----------
    snapshot : Snapshot
        The cluster at one moment.
    options : ObserveOptions, optional
        What is planned, and how it is counted.

    Raises
    ------
    ValueError
        If a partition is not there, or no node is usable.

    Examples
    --------
    >>> from planbatch.experiments import JobKey, LiveJob, LiveNode, Snapshot, observe
    >>> node = LiveNode("n1", "IDLE", frozenset(), cpus=8)
    >>> job = LiveJob(
    ...     JobKey(7, 90), "demo", "ann", "physics", "main", nodes=1, cpus=8, state="PENDING", time_limit=600,
    ...     exclusive=True,
    ... )
    >>> snapshot = Snapshot(100, (job,), (node,))
    >>> observe(snapshot).problem
    Round(at 1970-01-01 00:01:40, 1 waiting, 0 running, 1 of 1 processor free)
    """
    options = options or ObserveOptions()
    pool = pool_of(snapshot, options)
    if not pool.capacity:
        states = sorted({node.state.lower() for node in pool.nodes.values()})
        raise ValueError(
            f"no node is usable: {len(pool.nodes)} are {' or '.join(states) or 'known'}"
        )
    queue = Queue(snapshot, pool, options)
    jobs = sorted(queue.planned, key=lambda job: job.job.submit_time)
    problem = _round(snapshot, pool, held_by_jobs(snapshot, pool, options), jobs)
    problem = replace(problem, windows=windows_of(snapshot, pool, options))
    reserved = reservation_remarks(snapshot, pool, NAMED)
    noted = [*_nodes(pool), *reserved, *_overruns(snapshot, options), *queue.noted]
    return Observation(snapshot, pool, problem, tuple(jobs), tuple(queue.left_out), tuple(noted))


def _round(
    snapshot: Snapshot, pool: Pool, running: Sequence[Held], jobs: Sequence[WaitingJob]
) -> Round:
    """Lay the running and the waiting jobs out in columns."""
    now, resources = snapshot.time, pool.resources

    def table(
        rows: Sequence[Held] | Sequence[WaitingJob],
    ) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
        amounts = [[row.further.get(resource.name, 0) for resource in resources] for row in rows]
        return np.array(amounts, dtype=np.int64).reshape(len(rows), len(resources))

    def column(values: Sequence[int]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        return np.array(values, dtype=np.int64)

    return Round(
        now,
        pool.capacity,
        RunningTable(
            column([one.amount for one in running]),
            column([one.end for one in running]),
            table(running),
        ),
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
        epoch=0,  # times are Unix times
    )


def _nodes(pool: Pool) -> list[Remark]:
    """Nodes that are not usable, those of one state and reason together."""
    groups: dict[tuple[str, str], list[LiveNode]] = defaultdict(list)
    for name, node in pool.nodes.items():
        if name not in pool.usable:
            groups["+".join((node.state, *sorted(node.flags))).lower(), node.reason].append(node)
    found = []
    for (state, reason), nodes in groups.items():
        names = ",".join(node.name for node in nodes[:NAMED]) + ("…" if len(nodes) > NAMED else "")
        shown = f"{names} ({len(nodes)})" if len(nodes) > 1 else names
        found.append(Remark("not usable", shown, "", f"{state}{f': {reason}' if reason else ''}"))
    return found


def _overruns(snapshot: Snapshot, options: ObserveOptions) -> list[Remark]:
    """Running jobs that are past their end, and those that never end."""
    found = []
    limit, slack = duration(options.default_limit), duration(options.slack)
    for job in snapshot.jobs:
        if not job.running or job.state == "COMPLETING":
            continue
        late = snapshot.time - job.end_time
        if job.time_limit is None:
            why = f"expected to end {limit} after its start"
            found.append(Remark("runs without limit", job.label, job.user, why))
        elif job.end_time and late >= 0:
            why = f"{duration(late)} past its end; expected to end in {slack}"
            found.append(Remark("overruns", job.label, job.user, why))
    return found
