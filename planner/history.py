"""What orders and objectives may know of the past: columns that a replay keeps up to date for the waiting jobs.

A replay tells its *news*, one row per submission, start and end, as they happen; in every round, before anything is
decided, the history's kernel takes those since the round before, keeps in its *memory* what it needs, and writes the
columns ``past`` of the waiting jobs. It is shown a run time when the job has ended, and no other way: so whatever it
computes is causal.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol

from planbatch.planner.kernels.native import kernel
from planbatch.planner.model import FloatArray, IntArray, JobTable


class News(IntEnum):
    """The columns of the news.

    Examples
    --------
    >>> import planbatch as pb
    >>> [column.name for column in pb.News]
    ['EVENT', 'TIME', 'JOB', 'USER', 'PROCS', 'WALLTIME', 'RUNTIME']
    """

    EVENT = 0  #: what happened; see :class:`Event`
    TIME = 1  #: when (s)
    JOB = 2  #: the number of the job, in the order of submissions
    USER = 3  #: the row of its user in the memory
    PROCS = 4  #: its processors
    WALLTIME = 5  #: its walltime (s)
    RUNTIME = 6  #: once it has ended, for how long it ran (s); otherwise 0


class Event(IntEnum):
    """What happened to a job.

    Examples
    --------
    >>> import planbatch as pb
    >>> [event.name for event in pb.Event]
    ['SUBMITTED', 'STARTED', 'ENDED']
    """

    SUBMITTED = 0
    STARTED = 1
    ENDED = 2


Follow = Callable[[IntArray, FloatArray, JobTable, int], None]


@dataclass(frozen=True)
class History:
    """A history that an order asks for.

    Attributes
    ----------
    follow : callable
        ``follow(news, memory, jobs, now)``, compiled. ``news``, int64, shape (k, len(News)), is what happened since the
        last round. ``memory``, float64, of ``width`` columns, is as the last call left it, 0 at first: first one
        row per user, last one for the whole machine, which begins with its number of processors. ``jobs`` are those
        that wait; column 0 of ``jobs.past`` is the row of the job's user, and the kernel fills the others. They are NaN
        when the job is submitted, and travel with it: what is written once may stay.
    width : int
        Numbers that are kept for each user.
    columns : int
        Columns of ``jobs.past``, behind the first.
    kept : int
        Numbers that are kept for each job, from its submission on; see :func:`numbers_of_job`.
    shared : int
        Numbers that are kept besides, for all; see :func:`shared_numbers`.
    learn : Learner, optional
        What is learned of the past now and then, in plain Python; it stays in the memory.
    ledger : bool
        Whether the rounds have a :class:`~planbatch.planner.ledger.Ledger`, for policies that need more than columns.

    Examples
    --------
    >>> import planbatch as pb
    >>> history = pb.EXPECTED_RUN_TIMES
    >>> history.width, history.columns
    (1002, 3)
    >>> history.rows(users=3, jobs=100)
    4
    """

    follow: Follow
    width: int
    columns: int
    kept: int = 0
    shared: int = 0
    learn: "Learner | None" = None
    ledger: bool = False

    def rows(self, users: int, jobs: int) -> int:
        """Return the rows of a memory: of the users, of what is kept for jobs and for all, and of the machine."""
        return users + 1 - -(self.shared + jobs * self.kept) // self.width


class Learner(Protocol):
    """Learns from the past in plain Python, between two rounds, on a schedule; a frozen value, known by its fields."""

    @property
    def every(self) -> int:
        """How much time passes from one lesson to the next (s)."""
        ...

    def enough(self, memory: FloatArray) -> int:
        """Return how many jobs have to have ended before the next lesson."""
        ...

    def __call__(self, news: IntArray, memory: FloatArray) -> None:
        """Learn from all news so far; write what was learned into the memory."""
        ...


@kernel
def shared_numbers(memory: FloatArray, shared: int) -> FloatArray:
    """Return the numbers that a history keeps for all; ``shared`` of them."""
    end = (len(memory) - 1) * memory.shape[1]
    return memory.reshape(memory.size)[end - shared : end]


@kernel
def numbers_of_job(memory: FloatArray, shared: int, kept: int, job: int) -> FloatArray:
    """Return the numbers that a history keeps for a job; ``kept`` of them, behind ``shared`` for all."""
    end = (len(memory) - 1) * memory.shape[1] - shared - job * kept
    return memory.reshape(memory.size)[end - kept : end]


@kernel
def follow_nothing(news: IntArray, memory: FloatArray, jobs: JobTable, now: int) -> None:
    """Keep no history."""


def history_of(function: Any) -> History | None:
    """Return the history that an order or a cost asks for, in its attribute ``history``; None for nothing."""
    found: History | None = getattr(function, "history", None)
    return found


def asks_for(history: History, *functions: Any) -> None:
    """Give functions, orders or costs, the history that they ask for.

    Parameters
    ----------
    history : History
        What a replay keeps up to date for them.
    *functions : callable
        Orders ``keys(jobs, now)`` or costs ``cost(start, jobs, now)``, compiled or not.

    Examples
    --------
    >>> import planbatch as pb
    >>> def expected_area(jobs, now):
    ...     return [jobs.procs[i] * pb.expected_run(jobs, i) for i in range(len(jobs.submit))]
    >>> pb.asks_for(pb.EXPECTED_RUN_TIMES, expected_area)
    >>> expected_area.history is pb.EXPECTED_RUN_TIMES
    True
    """
    for function in functions:
        function.history = history
