"""What orders and objectives may know of the past: columns that a replay updates for the waiting jobs.

A replay logs *events*, one row per submission, start and end. Before each decision the history reads those since the
last round, updates its *state*, and writes the columns ``past`` of the waiting jobs. It sees a run time only once the
job has ended, so whatever it computes is causal.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol

from planbatch import _core
from planbatch.planner.columns import FloatArray, IntArray
from planbatch.planner.model import JobTable


class EventColumn(IntEnum):
    """The columns of the event log.

    Examples
    --------
    >>> from planbatch.planner import EventColumn
    >>> [column.name for column in EventColumn]
    ['EVENT', 'TIME', 'JOB', 'USER', 'PROCS', 'WALLTIME', 'RUNTIME']
    """

    EVENT = 0  #: what happened; see :class:`Event`
    TIME = 1  #: when (s)
    JOB = 2  #: the number of the job, in the order of submissions
    USER = 3  #: the row of its user in the state
    PROCS = 4  #: its processors
    WALLTIME = 5  #: its walltime (s)
    RUNTIME = 6  #: its run time (s) once it has ended; otherwise 0


class Event(IntEnum):
    """What happened to a job.

    Examples
    --------
    >>> from planbatch.planner import Event
    >>> [event.name for event in Event]
    ['SUBMITTED', 'STARTED', 'ENDED']
    """

    SUBMITTED = 0
    STARTED = 1
    ENDED = 2


Update = Callable[[IntArray, FloatArray, JobTable, int], None]


@dataclass(frozen=True)
class History:
    """A history that an order, an objective or a predictor asks for.

    Attributes
    ----------
    core : _core.History
        What it computes; :meth:`of` makes one of a function in plain Python.
    learn : Learner, optional
        A model that is refitted on a schedule, in plain Python; its numbers are part of the state.
    job_history : bool
        Whether the rounds have a :class:`~planbatch.planner.history.job_history.JobHistory`, for policies that need
        more than columns.

    Examples
    --------
    >>> from planbatch.planner import EXPECTED_RUN_TIMES
    >>> history = EXPECTED_RUN_TIMES
    >>> history.width, history.columns
    (1002, 3)
    >>> history.rows(users=3, jobs=100)
    4
    """

    core: _core.History
    learn: "Learner | None" = None
    job_history: bool = False

    @classmethod
    def of(
        cls,
        update: Update,
        width: int,
        columns: int,
        *,
        per_job: int = 0,
        shared: int = 0,
        learn: "Learner | None" = None,
        job_history: bool = False,
    ) -> "History":
        """Make a history of a function in plain Python.

        Parameters
        ----------
        update : callable
            ``update(events, state, jobs, now)``. ``events``, int64, shape (k, len(EventColumn)), is what happened since
            the last round. ``state``, float64, of ``width`` columns, is as the last call left it, 0 at first: first one
            row per user, last one for the whole machine, which begins with its number of processors. ``jobs`` are those
            that wait; column 0 of ``jobs.past`` is the row of the job's user, and the function fills the others. They
            are NaN when the job is submitted, and travel with it: what is written once may stay.
        width : int
            Numbers of the state per user.
        columns : int
            Columns of ``jobs.past``, behind the first.
        per_job, shared : int
            Numbers of the state per job, and for all.
        learn, job_history
            See :class:`History`.
        """
        return cls(_core.PythonHistory(update, width, columns, per_job, shared), learn, job_history)

    @property
    def width(self) -> int:
        """Numbers of the state per user."""
        return self.core.width

    @property
    def columns(self) -> int:
        """Columns of ``jobs.past``, after the first."""
        return self.core.columns

    def rows(self, users: int, jobs: int) -> int:
        """Return the rows of a state: of the users, of what is remembered for jobs and for all, and of the machine."""
        return self.core.rows(users, jobs)


class Learner(Protocol):
    """Refits a model in plain Python, between two rounds, on a schedule; a frozen value, identified by its fields."""

    @property
    def every(self) -> int:
        """Time between two fits (s)."""
        ...

    def enough(self, state: FloatArray) -> int:
        """Return how many jobs must have ended before the next fit."""
        ...

    def __call__(self, events: IntArray, state: FloatArray) -> None:
        """Learn from all events so far; write what was learned into the state."""
        ...


def history_of(function: object) -> History | None:
    """Return the history that an order or a cost asks for, in its attribute ``history``; None for nothing."""
    history = getattr(function, "history", None)
    if history is None or isinstance(history, History):
        return history
    return History(history)


def asks_for(history: History, *functions: Any) -> None:
    """Give functions, orders or costs, the history that they ask for.

    Parameters
    ----------
    history : History
        What a replay updates for them.
    *functions : callable
        Orders ``keys(jobs, now)`` or costs ``cost(start, jobs, now)``.

    Examples
    --------
    >>> from planbatch.planner import EXPECTED_RUN_TIMES, asks_for, expected_run
    >>> def expected_area(jobs, now):
    ...     return [jobs.procs[i] * expected_run(jobs, i) for i in range(len(jobs.submit))]
    >>> asks_for(EXPECTED_RUN_TIMES, expected_area)
    >>> expected_area.history is EXPECTED_RUN_TIMES
    True
    """
    for function in functions:
        function.history = history
