"""What of a cluster is planned: its usable nodes, as whole nodes or as CPUs and GPUs, and what runs on them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from planbatch.experiments.common.text import duration
from planbatch.experiments.live.slurm.snapshot import RESERVED_FLAGS, LiveJob, LiveNode, Snapshot
from planbatch.planner.resources import Resource, Windows

Unit = Literal["nodes", "cpus"]
#: Name of the resource besides nodes or CPUs.
GPUS = "gpus"
#: Name of the resource of memory (MB).
MEMORY = "memory"
#: Within what time Slurm starts a job that was released (s): two to three with its default settings.
LAG = 3
#: Until when a job without any limit is expected to run, if nothing else is known (s).
DEFAULT_LIMIT = 7 * 86400


@dataclass(frozen=True)
class ObserveOptions:
    """What is planned, and how it is counted.

    Attributes
    ----------
    partitions : tuple of str
        The partitions that are planned; none means all.
    unit : {"nodes", "cpus"}, optional
        What the first resource is; by default whole nodes if all jobs take whole nodes, else CPUs.
    slack : int
        How long a job that is past its end is expected to run on (s).
    default_limit : int
        The time limit of jobs that have none, in partitions that have none (s).
    most_tasks : int
        How many tasks of one array are planned.
    memory : bool
        Whether jobs are given memory (``SelectTypeParameters=CR_*_Memory``), which counts beside CPUs.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> from planbatch.experiments import JobKey, LiveJob, LiveNode, ObserveOptions, Snapshot, observe
    >>> node = LiveNode("n1", "IDLE", frozenset(), cpus=8)
    >>> job = LiveJob(
    ...     JobKey(7, 90), "demo", "ann", "physics", "main", nodes=1, cpus=8, state="PENDING", time_limit=600,
    ...     exclusive=True,
    ... )
    >>> snapshot = Snapshot(100, (job,), (node,))
    >>> observe(snapshot, ObserveOptions(unit="cpus")).problem.capacity
    8
    """

    partitions: tuple[str, ...] = ()
    unit: Unit | None = None
    slack: int = 60
    default_limit: int = DEFAULT_LIMIT
    most_tasks: int = 1000
    memory: bool = False

    def __post_init__(self) -> None:
        for name in ("slack", "default_limit", "most_tasks"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name.replace('_', ' ')}: {getattr(self, name)} is below 1")


@dataclass(frozen=True)
class Remark:
    """Something about a job or a node that people should know.

    Attributes
    ----------
    kind : str
        A heading, such as ``held by its user``.
    what : str
        The job, or the nodes.
    user : str
        Whose job it is; empty for nodes.
    why : str
        More on it.
    """

    kind: str
    what: str
    user: str
    why: str


@dataclass(frozen=True)
class Held:
    """Something that runs: what it takes, and until when.

    Attributes
    ----------
    amount : int
        Nodes or CPUs.
    further : mapping of str to int
        Amounts of the other resources, by name.
    end : int
        When it is expected to end (s).
    """

    amount: int
    further: Mapping[str, int]
    end: int


@dataclass(frozen=True)
class Pool:
    """The nodes that are planned.

    Attributes
    ----------
    unit : {"nodes", "cpus"}
        What the first resource is.
    nodes : mapping of str to LiveNode
        All nodes of the planned partitions, by name.
    usable : mapping of str to LiveNode
        Those that are up.
    divided : mapping of str to frozenset of str
        Partitions that have a part of the nodes only, with the names of those.
    memory : bool
        Whether memory counts: whole nodes have it all.
    """

    unit: Unit
    nodes: Mapping[str, LiveNode]
    usable: Mapping[str, LiveNode]
    divided: Mapping[str, frozenset[str]]
    memory: bool = False

    def amount(self, names: Sequence[str] | frozenset[str]) -> int:
        """Nodes or CPUs of the usable ones among some nodes."""
        there = [self.usable[name] for name in names if name in self.usable]
        return len(there) if self.unit == "nodes" else sum(node.cpus for node in there)

    @property
    def capacity(self) -> int:
        """Nodes or CPUs that are usable."""
        return self.amount(tuple(self.usable))

    @property
    def resources(self) -> tuple[Resource, ...]:
        """The resources besides: GPUs and memory if there are any, and partitions that have a part of the nodes."""
        gpus = sum(node.gpus for node in self.usable.values())
        found = [Resource(GPUS, gpus)] if gpus else []
        memory = sum(node.memory for node in self.usable.values()) if self.memory else 0
        found += [Resource(MEMORY, memory, "MB")] if memory else []
        parts = {
            partition_resource(name): self.amount(names) for name, names in self.divided.items()
        }
        return (
            *found,
            *(Resource(name, amount, self.unit) for name, amount in parts.items() if amount),
        )


def partition_resource(partition: str) -> str:
    """Return the name of the resource that stands for a partition's part of the nodes."""
    return f"partition {partition}"


def pool_of(snapshot: Snapshot, options: ObserveOptions) -> Pool:
    """Return the nodes of a snapshot that are planned.

    Raises
    ------
    ValueError
        If a partition is not there.
    """
    members = members_of(snapshot)
    for name in options.partitions:
        if name not in members:
            raise ValueError(
                f"partition: there is no {name!r}; there are {', '.join(sorted(members)) or 'none'}"
            )
    chosen = options.partitions or tuple(members)
    names = (
        frozenset[str]().union(*(members[name] for name in chosen)) if chosen else frozenset[str]()
    )
    nodes = {node.name: node for node in snapshot.nodes if not members or node.name in names}
    reserved = snapshot.reserved  # nodes that are away for these come back at a time that is known
    usable = {
        name: node
        for name, node in nodes.items()
        if node.usable or (name in reserved and node.usable_without(RESERVED_FLAGS))
    }
    divided = {
        name: members[name] & usable.keys()
        for name in sorted(chosen)
        if members[name] & usable.keys() != usable.keys()
    }
    asked = {name for job in snapshot.jobs if job.pending for name in job.partition.split(",")}
    divided = {name: part for name, part in divided.items() if name in asked}
    unit = options.unit or unit_of(snapshot, nodes)
    return Pool(unit, nodes, usable, divided, options.memory and unit == "cpus")


def members_of(snapshot: Snapshot) -> dict[str, frozenset[str]]:
    """Return the names of the nodes of every partition."""
    members: dict[str, set[str]] = {part.name: set(part.nodes) for part in snapshot.partitions}
    for node in snapshot.nodes:
        for name in node.partitions:
            members.setdefault(name, set()).add(node.name)
    return {name: frozenset(names) for name, names in members.items()}


def unit_of(snapshot: Snapshot, nodes: Mapping[str, LiveNode]) -> Unit:
    """Return whole nodes if every job takes whole nodes, else CPUs.

    Where nodes are always given as a whole (select/linear), jobs do not say so; they are told by having all CPUs of
    their nodes.
    """
    running = [
        job for job in snapshot.jobs if job.running and any(name in nodes for name in job.allocated)
    ]
    pending = [job for job in snapshot.jobs if job.pending]

    def whole(job: LiveJob) -> bool:
        return job.cpus >= sum(nodes[name].cpus for name in job.allocated if name in nodes)

    if all(job.exclusive for job in (*running, *pending)):
        return "nodes"
    linear = (
        bool(running)
        and all(whole(job) for job in running)
        and not all(job.exclusive for job in running)
    )
    return "nodes" if linear else "cpus"


def expected_end(job: LiveJob, now: int, options: ObserveOptions) -> int:
    """Return when a running job is expected to end (s): at its limit; one past it, or ending, after the slack."""
    if job.state == "COMPLETING":
        return now + options.slack
    if job.time_limit is None:
        end = job.start_time + options.default_limit
    else:
        end = job.end_time or job.start_time + job.time_limit
    return end if end > now else now + options.slack


def held_by_jobs(snapshot: Snapshot, pool: Pool, options: ObserveOptions) -> list[Held]:
    """Return what runs on the usable nodes; together never above the capacities."""
    running = [
        (job, expected_end(job, snapshot.time, options))
        for job in snapshot.jobs
        if job.running and any(name in pool.usable for name in job.allocated)
    ]
    held = _by_node(running, pool) if pool.unit == "nodes" else _by_cpus(running, pool)
    return _within(held, pool)


def _by_node(running: Sequence[tuple[LiveJob, int]], pool: Pool) -> list[Held]:
    """Whole nodes: each is free when the last of its jobs ends."""
    until: dict[str, int] = {}
    gpus: dict[str, int] = defaultdict(int)
    for job, end in running:
        mine = [name for name in job.allocated if name in pool.usable]
        for place, name in enumerate(mine):
            until[name] = max(until.get(name, 0), end)
            gpus[name] += share_of(job.gpus, len(job.allocated), place)
    groups: dict[tuple[int, frozenset[str]], list[str]] = defaultdict(list)
    for name, end in until.items():
        parts = frozenset(part for part, names in pool.divided.items() if name in names)
        groups[end, parts].append(name)
    held = []
    for (end, parts), names in sorted(groups.items(), key=lambda item: (item[0][0], item[1])):
        further = {partition_resource(part): len(names) for part in parts}
        further[GPUS] = sum(min(gpus[name], pool.usable[name].gpus) for name in names)
        held.append(Held(len(names), further, end))
    return held


def _by_cpus(running: Sequence[tuple[LiveJob, int]], pool: Pool) -> list[Held]:
    """CPUs: those that a job has on usable nodes, evenly over its nodes; all of them if it has its nodes alone."""
    held = []
    for job, end in running:
        cpus: dict[str, int] = {}
        gpus = memory = 0
        for place, name in enumerate(job.allocated):
            if name not in pool.usable:
                continue
            node = pool.usable[name]
            cpus[name] = (
                node.cpus
                if job.exclusive
                else min(share_of(job.cpus, len(job.allocated), place), node.cpus)
            )
            gpus += min(share_of(job.gpus, len(job.allocated), place), node.gpus)
            share = share_of(job.tres.get("mem", 0), len(job.allocated), place)
            memory += node.memory if job.exclusive else min(share, node.memory)
        further = {
            partition_resource(part): sum(count for name, count in cpus.items() if name in names)
            for part, names in pool.divided.items()
        }
        held.append(Held(sum(cpus.values()), {**further, GPUS: gpus, MEMORY: memory}, end))
    return held


def free_cpus(snapshot: Snapshot, pool: Pool) -> dict[str, int]:
    """Return the CPUs of every usable node that no job has."""
    free = {name: node.cpus for name, node in pool.usable.items()}
    for job in snapshot.jobs:
        if job.running:
            for place, name in enumerate(job.allocated):
                whole = job.exclusive or pool.unit == "nodes"
                share = share_of(job.cpus, len(job.allocated), place)
                if name in free:
                    free[name] -= free[name] if whole else min(share, free[name])
    return free


def share_of(total: int, parts: int, place: int) -> int:
    """Return one of so many parts of a number, which differ by one at most."""
    return total // parts + (place < total % parts)


def _within(held: Sequence[Held], pool: Pool) -> list[Held]:
    """Cut what runs to the capacities: Slurm may have given CPUs twice, and CPUs of a job to nodes unevenly."""
    left = {resource.name: resource.capacity for resource in pool.resources}
    free, found = pool.capacity, []
    for one in held:
        amount = min(one.amount, free)
        further = {
            name: min(count, left[name]) for name, count in one.further.items() if name in left
        }
        if not amount:
            continue
        free -= amount
        for name, count in further.items():
            left[name] -= count
        found.append(Held(amount, further, one.end))
    return found


# Reservations

#: Begin, end (s) and amount.
Span = tuple[int, int, int]


def windows_of(snapshot: Snapshot, pool: Pool, options: ObserveOptions) -> Windows:
    """Return the windows of a snapshot's reservations.

    A node that is reserved is away from the begin of the reservation to its end, but for what running jobs have of it:
    these keep it. Reservations that overlap take a node once.

    Parameters
    ----------
    snapshot : Snapshot
        The cluster.
    pool : Pool
        What of it is planned.
    options : ObserveOptions
        Until when running jobs are expected to run.

    Returns
    -------
    Windows
        Of the pool's resources, the earliest first.
    """
    names = [resource.name for resource in pool.resources]
    amounts: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * (1 + len(names)))
    held = _held(snapshot, pool, options)
    for name, reserved in _reserved(snapshot, pool).items():
        node = pool.usable[name]
        parts = {partition_resource(part) for part, nodes in pool.divided.items() if name in nodes}
        for start, end, amount in left_of(
            pool.amount((name,)), reserved, held.get(name, ()), snapshot.time
        ):
            row = amounts[start, end]
            row[0] += amount
            for place, resource in enumerate(names, 1):
                if resource in parts:
                    row[place] += amount
                elif resource in (GPUS, MEMORY) and not held.get(name):
                    row[place] += node.gpus if resource == GPUS else node.memory
    order = sorted(amounts)
    table = np.array([amounts[span] for span in order], dtype=np.int64).reshape(
        len(order), 1 + len(names)
    )
    times = np.array(order, dtype=np.int64).reshape(len(order), 2)
    return Windows(times[:, 0], times[:, 1], table)


def left_of(total: int, reserved: Sequence[Span], held: Sequence[Span], now: int) -> list[Span]:
    """Return what reservations take of one node, piece by piece.

    Parameters
    ----------
    total : int
        What the node has.
    reserved, held : sequence of (begin, end, amount)
        Its reservations, and what running jobs have of it.
    now : int
        Nothing is told of earlier times (s).

    >>> left_of(1, [(50, 90, 1)], [(0, 70, 1)], now=10)
    [(70, 90, 1)]
    >>> left_of(8, [(0, 60, 8), (40, 90, 4)], [(0, 20, 2)], now=10)
    [(10, 20, 6), (20, 60, 8), (60, 90, 4)]
    """
    ends = {max(when, now) for begin, end, _ in (*reserved, *held) for when in (begin, end)}
    cuts = sorted(ends)
    found: list[Span] = []
    for begin, end in pairwise(cuts):
        wanted, busy = (
            sum(amount for first, last, amount in spans if first <= begin < last)
            for spans in (reserved, held)
        )
        amount = min(wanted, total - busy)
        if amount <= 0:
            continue
        joined = bool(found) and found[-1][1:] == (begin, amount)
        found.append((found.pop()[0] if joined else begin, end, amount))
    return found


def _reserved(snapshot: Snapshot, pool: Pool) -> dict[str, list[Span]]:
    """For every reserved node that is usable, when, and how much of it; whole nodes are reserved by a part of them."""
    found: dict[str, list[Span]] = defaultdict(list)
    for one in snapshot.reservations:
        for place, name in enumerate(one.nodes):
            node = pool.usable.get(name)
            if node is None:
                continue
            amount = pool.amount((name,))
            if pool.unit == "cpus" and one.cpus is not None:
                amount = min(amount, share_of(one.cpus, len(one.nodes), place))
            found[name] += [
                (start, end, amount) for start, end in one.times(snapshot.time) if amount
            ]
    return found


def _held(snapshot: Snapshot, pool: Pool, options: ObserveOptions) -> Mapping[str, list[Span]]:
    """For every usable node, what running jobs have of it, until their expected ends."""
    found: dict[str, list[Span]] = defaultdict(list)
    for job in snapshot.jobs:
        if not job.running:
            continue
        end = expected_end(job, snapshot.time, options)
        for place, name in enumerate(job.allocated):
            if name in pool.usable:
                whole = job.exclusive or pool.unit == "nodes"
                most = pool.amount((name,))
                amount = most if whole else min(share_of(job.cpus, len(job.allocated), place), most)
                found[name].append((snapshot.time, end, amount))
    return found


def reservation_remarks(snapshot: Snapshot, pool: Pool, named: int) -> list[Remark]:
    """Tell what is reserved, when and for whom; at most so many names of nodes each."""
    found = []
    for one in snapshot.reservations:
        mine = [name for name in one.nodes if name in pool.nodes]
        start, end = next(one.times(snapshot.time), (0, 0))
        if not mine or not end:
            continue
        shown = ",".join(mine[:named]) + ("…" if len(mine) > named else "")
        since = f"in {duration(start - snapshot.time)}" if start > snapshot.time else "now"
        length = duration(end - max(start, snapshot.time))
        found.append(Remark("reserved", shown, one.whom, f"{one.name}: {since}, for {length}"))
    return found
