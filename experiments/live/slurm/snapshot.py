"""A snapshot of a Slurm cluster: its jobs and nodes at one moment, whatever dialect its clients spoke.

Times are Unix times (s), durations are in seconds. Texts come from users: names, comments and accounts are hostile
input, never to be given to a shell.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from planbatch.experiments.workloads.journal_lines import RUNNING_STATES, WAITING_STATES

#: States of jobs that wait; the held ones among them say so in ``LiveJob.held``.
PENDING_STATES = WAITING_STATES | {"REQUEUED"}
#: The state of a row that cannot be trusted: a name or a comment in it imitates Slurm's own fields.
UNREADABLE = "UNREADABLE"
#: Node states in which jobs run or may start, and flags that make a node unusable in any state.
USABLE_STATES = frozenset(("IDLE", "MIXED", "ALLOCATED"))
UNUSABLE_FLAGS = frozenset(
    ("DRAIN", "DOWN", "FAIL", "NOT_RESPONDING", "MAINTENANCE", "MAINT", "REBOOT_REQUESTED", "REBOOT_ISSUED",
     "INVALID_REG", "POWERING_DOWN", "POWERED_DOWN", "POWER_DOWN", "RESERVED", "FUTURE", "UNKNOWN", "ERROR")
)  # fmt: skip

#: Flags of nodes that are away for a reservation that has begun.
RESERVED_FLAGS = frozenset(("MAINTENANCE", "MAINT", "RESERVED"))

#: How far ahead repeating reservations are planned (s); their periods by flag (manual page of scontrol).
AHEAD = 7 * 86400
_DAYS = {"WEEKDAY": range(5), "WEEKEND": range(5, 7)}
_PERIODS = {"HOURLY": 3600, "DAILY": 86400, "WEEKLY": 7 * 86400, **dict.fromkeys(_DAYS, 86400)}
#: Assumed length of a reservation without an end (s).
ENDLESS = 366 * 86400
Hold = Literal["user", "admin"]


class JobKey(NamedTuple):
    """The identity of a job: controllers that were killed reuse ids, and requeued jobs are submitted anew."""

    job_id: int  # Slurm's number; tasks of an array that wait share the number of the array
    submit_time: int  # when it was submitted, or requeued (s)
    restarts: int = 0  # how often it was requeued


@dataclass(frozen=True, slots=True)
class LiveReservation:
    """One advance reservation."""

    name: str  # its name
    #: When it begins and ends (s); of one that repeats, the next time.
    start: int
    end: int
    nodes: tuple[str, ...] = ()  # names of its nodes; empty if it is of licences only
    cpus: int | None = None  # total number of reserved CPUs on them; None for all
    flags: tuple[str, ...] = ()  # such as ``MAINT`` and ``DAILY``, in capitals
    whom: str = ""  # users, groups or accounts that may use it, with commas

    def times(self, now: int) -> Iterator[tuple[int, int]]:
        """Return begin and end of each occurrence from ``now`` on (s): one, or a week of them if it repeats."""
        step = next((_PERIODS[flag] for flag in self.flags if flag in _PERIODS), 0)
        days = next((_DAYS[flag] for flag in self.flags if flag in _DAYS), range(7))
        start, end = self.start, self.end
        while True:
            weekday = (start // 86400 + 3) % 7  # 1970 began on a Thursday
            if end > now and (start == self.start or weekday in days):
                yield start, end
            start, end = start + step, end + step
            if not step or start >= now + AHEAD:
                return


@dataclass(frozen=True, slots=True)
class JobArray:
    """The place of a job in an array."""

    job_id: int  # the array's number
    task_id: int | None = None  # the task's number, if the row is one task
    #: The pending tasks, if the row is the rest of an array; empty if it is one task, or they are not known.
    tasks: tuple[int, ...] = ()
    cut_off: bool = False  # whether Slurm truncated the list of tasks
    most: int | None = None  # maximum number of tasks that run at once (``%N``)


@dataclass(frozen=True, slots=True)
class LiveJob:
    """One row of the queue; times are 0 if they are not known."""

    key: JobKey  # what it is known by
    #: As Slurm writes them; the partition may be a list with commas.
    name: str
    user: str
    account: str
    partition: str
    #: What it asks for, in all; of a running job, what it has.
    nodes: int
    cpus: int
    state: str  # in capitals: ``PENDING``, ``RUNNING``, …; ``COMPLETING`` while nodes are given back
    user_id: int = -1  # number of the user, -1 if unknown
    qos: str = ""
    gpus: int = 0
    #: Trackable resources by name, such as ``cpu``, ``node``, ``gres/gpu``, ``license/matlab``; ``mem`` in MB.
    tres: Mapping[str, int] = field(default_factory=dict)
    exclusive: bool = False  # whether it takes whole nodes
    time_limit: int | None = None  # requested time (s); None if unlimited
    reason: str = ""  # why it waits
    held: Hold | None = None  # who holds it
    begin_time: int = 0  # what ``--begin`` asked for (s)
    #: Of a running or finished job: its start, and its end or start + limit (s).
    start_time: int = 0
    end_time: int = 0
    forecast: int = 0  # Slurm's own forecast of a pending job's start (s)
    deadline: int = 0  # latest end (s)
    priority: int = 0  # 0 if held
    dependency: str = ""  # such as ``afterok:346(unfulfilled)``
    array: JobArray | None = None  # what it is of an array
    allocated: tuple[str, ...] = ()  # names of the nodes that it runs on
    #: Names of nodes that it asks for, and does without.
    required: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    #: Further constraints, as Slurm writes them.
    features: str = ""
    reservation: str = ""
    licenses: str = ""
    het_job: int = 0  # the first part of the heterogeneous job that it is a part of, 0 for none
    #: The user's and the administrators' remarks.
    comment: str = ""
    admin_comment: str = ""

    @property
    def job_id(self) -> int:
        """Slurm's number."""
        return self.key.job_id

    @property
    def submit_time(self) -> int:
        """When it was submitted, or requeued (s)."""
        return self.key.submit_time

    @property
    def pending(self) -> bool:
        """Whether it waits, held or not."""
        return self.state in PENDING_STATES

    @property
    def running(self) -> bool:
        """Whether it holds nodes."""
        return self.state in RUNNING_STATES

    @property
    def label(self) -> str:
        """Its name for people: ``59_1`` is a task of the array 59."""
        if self.array is not None and self.array.task_id is not None:
            return f"{self.array.job_id}_{self.array.task_id}"
        return str(self.key.job_id)


@dataclass(frozen=True, slots=True)
class LiveNode:
    """One node."""

    name: str
    state: str  # in capitals: ``IDLE``, ``MIXED``, ``ALLOCATED``, ``DOWN``, ``UNKNOWN``, …
    flags: frozenset[str]  # such as ``DRAIN`` and ``NOT_RESPONDING``
    cpus: int
    gpus: int = 0
    memory: int = 0  # in MB
    partitions: tuple[str, ...] = ()  # the partitions that it is in
    reason: str = ""  # why it is not available

    @property
    def usable(self) -> bool:
        """Whether jobs run on it and may start; neither drained nor down, and known to the controller."""
        return self.usable_without(frozenset())

    def usable_without(self, flags: frozenset[str]) -> bool:
        """Whether it would be usable without some flags."""
        return self.state in USABLE_STATES and not (self.flags - flags) & UNUSABLE_FLAGS


@dataclass(frozen=True, slots=True)
class LivePartition:
    """One partition."""

    name: str  # its name
    nodes: tuple[str, ...]  # names of its nodes
    #: Time limits (s); None if there is none.
    default_time: int | None = None
    max_time: int | None = None
    max_nodes: int | None = None  # maximum number of nodes per job; None if there is no limit
    up: bool = True  # whether its jobs may start


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A cluster at one moment.

    Experimental: it may change in any release.

    Attributes
    ----------
    time : int
        When it was taken (s).
    jobs : tuple of LiveJob
        Rows of the queue as Slurm lists them, finished ones among them.
    nodes : tuple of LiveNode
        The nodes.
    partitions : tuple of LivePartition
        The partitions; empty if they were not read.
    cluster : str
        Its name, empty if not known.
    version : str
        Slurm's version, such as ``22.05.8``; empty if not known.
    reservations : tuple of LiveReservation
        Advance reservations, those that have begun among them.

    Examples
    --------
    >>> from planbatch.experiments import Snapshot
    >>> snapshot = Snapshot.example()
    >>> [job.label for job in snapshot.jobs if job.pending]
    ['7']
    """

    time: int
    jobs: tuple[LiveJob, ...]
    nodes: tuple[LiveNode, ...]
    partitions: tuple[LivePartition, ...] = ()
    cluster: str = ""
    version: str = ""
    reservations: tuple[LiveReservation, ...] = ()

    @classmethod
    def example(cls) -> "Snapshot":
        """A cluster of one node and one pending job, to try things with."""
        job = LiveJob(JobKey(7, 90), "demo", "ann", "physics", "main", nodes=1, cpus=8, state="PENDING",
                      time_limit=600, exclusive=True)  # fmt: skip
        return cls(100, (job,), (LiveNode("n1", "IDLE", frozenset(), cpus=8),))

    @property
    def reserved(self) -> frozenset[str]:
        """Names of the nodes in reservations that have begun."""
        begun = (one for one in self.reservations if one.start <= self.time < one.end)
        return frozenset(name for one in begun for name in one.nodes)
