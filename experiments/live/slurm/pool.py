"""What of a cluster is planned: its usable nodes, as whole nodes or as CPUs and GPUs, and what runs on them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Literal

import numpy as np

from planbatch.experiments.common.text import duration
from planbatch.experiments.live.slurm.snapshot import RESERVED_FLAGS, LiveJob, LiveNode, Snapshot
from planbatch.planner.resources import Resource, Windows
from planbatch.planner.settings import Setting

Unit = Literal["nodes", "cpus"]
#: Name of the resource besides nodes or CPUs.
GPUS = "gpus"
#: Name of the resource of memory (MB).
MEMORY = "memory"
#: Time within which Slurm starts a released job (s): two to three with its default settings.
LAG = 3
#: Maximum number of node names in a remark.
MOST_NAMES = 6


@dataclass(frozen=True)
class ObserveOptions:
    """Which part of the cluster is planned, and in which units; flags of ``planbatch slurm observe`` say what each is.

    Experimental: it may change in any release.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> from planbatch.experiments import ObserveOptions, Snapshot, observe
    >>> snapshot = Snapshot.example()
    >>> observe(snapshot, ObserveOptions(unit="cpus")).problem.capacity
    8
    """

    # fmt: off
    partitions: Annotated[tuple[str, ...], Setting(
        "Plan this partition only; may be repeated.  [default: all]", "PARTITION", flag="--partition")] = ()
    unit: Annotated[Unit | None, Setting(
        "What the first resource is.  [default: nodes if all jobs take whole nodes, else cpus]")] = None
    slack: Annotated[int, Setting("How long a job that is past its end is expected to run on.", "TIME")] = 60
    default_limit: Annotated[int, Setting(
        "Time limit of jobs that have none, in partitions that have none.", "TIME")] = 7 * 86400
    most_tasks: Annotated[int, Setting("How many tasks of one array are planned.", "N", flag="--tasks")] = 1000
    memory: Annotated[bool, Setting(
        "Count memory as well as CPUs, over all nodes, where Slurm gives it to jobs (CR_*_Memory).",
        flag="--count-memory")] = False
    # fmt: on

    def __post_init__(self) -> None:
        for name, value in (("slack", self.slack), ("default-limit", self.default_limit), ("tasks", self.most_tasks)):
            if value < 1:
                raise ValueError(f"{name}: {value} is below 1")


@dataclass(frozen=True)
class Remark:
    """A remark on a job, or on nodes (then without a user), under a heading."""

    kind: str
    what: str
    user: str
    why: str


@dataclass(frozen=True)
class Usage:
    """Nodes or CPUs that are in use, amounts of other resources by name, and the expected end (s)."""

    amount: int
    further: Mapping[str, int]
    end: int


@dataclass(frozen=True)
class Pool:
    """The nodes that are planned."""

    unit: Unit  # the unit of the first resource
    nodes: Mapping[str, LiveNode]  # all nodes of the planned partitions, by name
    usable: Mapping[str, LiveNode]  # the nodes that are up
    divided: Mapping[str, frozenset[str]]  # partitions with only a part of the nodes, with the names of their nodes
    memory: bool = False  # whether memory counts: whole nodes have it all

    def amount(self, names: Iterable[str]) -> int:
        """Nodes or CPUs that are usable among some nodes."""
        up = [self.usable[name] for name in names if name in self.usable]
        return len(up) if self.unit == "nodes" else sum(node.cpus for node in up)

    @property
    def capacity(self) -> int:
        """Nodes or CPUs that are usable."""
        return self.amount(self.usable)

    @property
    def resources(self) -> tuple[Resource, ...]:
        """The other resources: GPUs and memory if there are any, and partitions with a part of the nodes."""
        nodes, memory = self.usable.values(), 0
        if self.memory:
            memory = sum(node.memory for node in nodes)
        amounts = [(GPUS, sum(node.gpus for node in nodes), ""), (MEMORY, memory, "MB")]
        for name, members in self.divided.items():
            amounts.append((partition_resource(name), self.amount(members), self.unit))
        return tuple(Resource(name, amount, unit) for name, amount, unit in amounts if amount)

    def parts(self, amounts: Mapping[str, int]) -> dict[str, int]:
        """Amounts of the partitions' resources, given those of nodes by name."""
        return {
            partition_resource(part): sum(amounts[name] for name in amounts.keys() & members)
            for part, members in self.divided.items()
        }

    def allocation(self, job: LiveJob) -> dict[str, int]:
        """Nodes or CPUs that a running job holds on each usable node: all if exclusive, else an even share."""
        whole = job.exclusive or self.unit == "nodes"
        parts = self.evenly(job, job.cpus)
        most = {name: self.amount((name,)) for name in parts}
        return most if whole else {name: min(part, most[name]) for name, part in parts.items()}

    def evenly(self, job: LiveJob, total: int) -> dict[str, int]:
        """Divide a number over the nodes of a running job; the parts of the usable ones."""
        return {
            name: share_of(total, len(job.allocated), i) for i, name in enumerate(job.allocated) if name in self.usable
        }

    def free(self, snapshot: Snapshot) -> dict[str, int]:
        """Nodes or CPUs of each usable node that no job has."""
        free = {name: self.amount((name,)) for name in self.usable}
        for job in snapshot.jobs:
            for name, amount in self.allocation(job).items() if job.running else ():
                free[name] = max(free[name] - amount, 0)
        return free


def share_of(total: int, parts: int, i: int) -> int:
    """Return one part of a number that is divided as evenly as whole numbers allow."""
    return total // parts + (i < total % parts)


def partition_resource(partition: str) -> str:
    """Return the name of the resource that limits a partition to its nodes."""
    return f"partition {partition}"


def pool_of(snapshot: Snapshot, options: ObserveOptions) -> Pool:
    """Return the nodes of a snapshot that are planned; ``ValueError`` if a partition is not there."""
    members = _members_of(snapshot)
    for name in options.partitions:
        if name not in members:
            raise ValueError(f"partition: there is no {name!r}; there are {', '.join(sorted(members)) or 'none'}")
    partitions = options.partitions or tuple(members)
    names = {name for part in partitions for name in members[part]}
    nodes = {node.name: node for node in snapshot.nodes if not members or node.name in names}
    reserved = snapshot.reserved  # nodes that are away for these come back at a time that is known
    usable = {
        name: node
        for name, node in nodes.items()
        if node.usable or (name in reserved and node.usable_without(RESERVED_FLAGS))
    }
    divided = {
        name: members[name] & usable.keys()
        for name in sorted(partitions)
        if members[name] & usable.keys() != usable.keys()
    }
    requested_partitions = {name for job in snapshot.jobs if job.pending for name in job.partition.split(",")}
    divided = {name: part for name, part in divided.items() if name in requested_partitions}
    unit = options.unit or _unit_of(snapshot, nodes)
    return Pool(unit, nodes, usable, divided, options.memory and unit == "cpus")


def _members_of(snapshot: Snapshot) -> dict[str, frozenset[str]]:
    """The names of the nodes of every partition."""
    members: dict[str, set[str]] = {part.name: set(part.nodes) for part in snapshot.partitions}
    for node in snapshot.nodes:
        for name in node.partitions:
            members.setdefault(name, set()).add(node.name)
    return {name: frozenset(names) for name, names in members.items()}


def _unit_of(snapshot: Snapshot, nodes: Mapping[str, LiveNode]) -> Unit:
    """Whole nodes if every job takes whole nodes, else CPUs.

    Where nodes are always given as a whole (select/linear), jobs do not say so, but have all CPUs of their nodes.
    """
    running = [job for job in snapshot.jobs if job.running and nodes.keys() & set(job.allocated)]
    pending = [job for job in snapshot.jobs if job.pending]

    def whole(job: LiveJob) -> bool:
        return job.cpus >= sum(nodes[name].cpus for name in job.allocated if name in nodes)

    if all(job.exclusive for job in (*running, *pending)):
        return "nodes"
    exclusive = all(job.exclusive for job in running)
    return "nodes" if not exclusive and all(map(whole, running)) else "cpus"


def expected_end(job: LiveJob, now: int, options: ObserveOptions) -> int:
    """Return when a running job is expected to end (s): at its limit; one past it, or ending, after the slack."""
    if job.state == "COMPLETING":
        return now + options.slack
    if job.time_limit is None:
        end = job.start_time + options.default_limit
    else:
        end = job.end_time or job.start_time + job.time_limit
    return end if end > now else now + options.slack


def usage_of(snapshot: Snapshot, pool: Pool, options: ObserveOptions) -> list[Usage]:
    """Return the use of the usable nodes by running jobs, never above the capacities."""
    running = [
        (job, expected_end(job, snapshot.time, options))
        for job in snapshot.jobs
        if job.running and any(name in pool.usable for name in job.allocated)
    ]
    usage = _by_node(running, pool) if pool.unit == "nodes" else _by_cpus(running, pool)
    return _within(usage, pool)


def _by_node(running: Sequence[tuple[LiveJob, int]], pool: Pool) -> list[Usage]:
    """Whole nodes: each is free when the last of its jobs ends."""
    until: dict[str, int] = {}
    gpus: dict[str, int] = defaultdict(int)
    for job, end in running:
        for name, part in pool.evenly(job, job.gpus).items():
            until[name] = max(until.get(name, 0), end)
            gpus[name] += part
    groups: dict[tuple[int, frozenset[str]], list[str]] = defaultdict(list)
    for name, end in until.items():
        parts = frozenset(part for part, names in pool.divided.items() if name in names)
        groups[end, parts].append(name)
    usage = []
    for (end, _), names in sorted(groups.items(), key=lambda item: (item[0][0], item[1])):
        further = pool.parts(dict.fromkeys(names, 1))
        further[GPUS] = sum(min(gpus[name], pool.usable[name].gpus) for name in names)
        usage.append(Usage(len(names), further, end))
    return usage


def _by_cpus(running: Sequence[tuple[LiveJob, int]], pool: Pool) -> list[Usage]:
    """CPUs: those that a job has on usable nodes; memory likewise."""
    usage = []
    for job, end in running:
        cpus = pool.allocation(job)
        gpus = sum(min(n, pool.usable[name].gpus) for name, n in pool.evenly(job, job.gpus).items())
        memory = 0
        for name, part in pool.evenly(job, job.tres.get("mem", 0)).items():
            most = pool.usable[name].memory
            memory += most if job.exclusive else min(part, most)
        further = {**pool.parts(cpus), GPUS: gpus, MEMORY: memory}
        usage.append(Usage(sum(cpus.values()), further, end))
    return usage


def _within(usage: Sequence[Usage], pool: Pool) -> list[Usage]:
    """Cut the use to the capacities: Slurm may overcommit CPUs, or spread those of a job unevenly."""
    remaining = {resource.name: resource.capacity for resource in pool.resources}
    free, within = pool.capacity, []
    for one in usage:
        amount = min(one.amount, free)
        if not amount:
            continue
        further = {name: min(count, remaining[name]) for name, count in one.further.items() if name in remaining}
        free -= amount
        for name, count in further.items():
            remaining[name] -= count
        within.append(Usage(amount, further, one.end))
    return within


# Reservations

#: Begin, end (s) and amount.
Span = tuple[int, int, int]


def windows_of(snapshot: Snapshot, pool: Pool, options: ObserveOptions) -> Windows:
    """Return the windows of a snapshot's reservations, of the pool's resources, the earliest first.

    A node that is reserved is away from the begin of the reservation to its end, but for what running jobs have of it:
    these keep it. Reservations that overlap take a node once.
    """
    names = [resource.name for resource in pool.resources]
    amounts: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * (1 + len(names)))
    busy: dict[str, list[Span]] = defaultdict(list)
    for job in snapshot.jobs:
        for name, amount in pool.allocation(job).items() if job.running else ():
            busy[name].append((snapshot.time, expected_end(job, snapshot.time, options), amount))
    for name, reserved in _reserved_spans(snapshot, pool).items():
        node = pool.usable[name]
        total = pool.amount((name,))
        for start, end, amount in reserved_rest(total, reserved, busy[name], snapshot.time):
            whole = {} if busy[name] else {GPUS: node.gpus, MEMORY: node.memory}
            row, further = amounts[start, end], {**whole, **pool.parts({name: amount})}
            row[0] += amount
            for i, resource in enumerate(names, 1):
                row[i] += further.get(resource, 0)
    order = sorted(amounts)
    table = np.array([amounts[span] for span in order], dtype=np.int64)
    times = np.array(order, dtype=np.int64).reshape(-1, 2)
    return Windows(times[:, 0], times[:, 1], table.reshape(len(order), 1 + len(names)))


def reserved_rest(total: int, reserved: Sequence[Span], busy: Sequence[Span], now: int) -> list[Span]:
    """Return what reservations take of one node, piece by piece, from ``now`` on.

    ``total`` is what the node has; spans are begin, end (s) and amount, of its reservations and of what running jobs
    have of it.

    >>> reserved_rest(1, [(50, 90, 1)], [(0, 70, 1)], now=10)
    [(70, 90, 1)]
    >>> reserved_rest(8, [(0, 60, 8), (40, 90, 4)], [(0, 20, 2)], now=10)
    [(10, 20, 6), (20, 60, 8), (60, 90, 4)]
    """
    cuts = sorted({max(when, now) for span in (*reserved, *busy) for when in span[:2]})
    pieces: list[Span] = []
    for begin, end in pairwise(cuts):
        reserved_amount, busy_amount = (
            sum(amount for first, last, amount in spans if first <= begin < last) for spans in (reserved, busy)
        )
        amount = min(reserved_amount, total - busy_amount)
        if amount <= 0:
            continue
        joined = bool(pieces) and pieces[-1][1:] == (begin, amount)
        pieces.append((pieces.pop()[0] if joined else begin, end, amount))
    return pieces


def _reserved_spans(snapshot: Snapshot, pool: Pool) -> dict[str, list[Span]]:
    """For every reserved node that is usable, when, and how much of it; whole nodes are reserved by a part of them."""
    spans: dict[str, list[Span]] = defaultdict(list)
    for one in snapshot.reservations:
        for i, name in enumerate(one.nodes):
            amount = pool.amount((name,))
            if pool.unit == "cpus" and one.cpus is not None:
                amount = min(amount, share_of(one.cpus, len(one.nodes), i))
            if amount:
                spans[name] += [(start, end, amount) for start, end in one.times(snapshot.time)]
    return spans


def first_names(names: Sequence[str]) -> str:
    """Write the first names of nodes.

    >>> first_names(["n1", "n2"]), first_names([f"n{k}" for k in range(9)])
    ('n1,n2', 'n0,n1,n2,n3,n4,n5…')
    """
    return ",".join(names[:MOST_NAMES]) + ("…" if len(names) > MOST_NAMES else "")


def reservation_remarks(snapshot: Snapshot, pool: Pool) -> list[Remark]:
    """Describe what is reserved, when and for whom."""
    remarks = []
    for one in snapshot.reservations:
        names = [name for name in one.nodes if name in pool.nodes]
        start, end = next(one.times(snapshot.time), (0, 0))
        if not names or not end:
            continue
        since = f"in {duration(start - snapshot.time)}" if start > snapshot.time else "now"
        length = duration(end - max(start, snapshot.time))
        remarks.append(Remark("reserved", first_names(names), one.whom, f"{one.name}: {since}, for {length}"))
    return remarks
