"""What a replay keeps and changes: counters, codes, the log of rounds, and the tables of jobs."""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from planbatch.planner.history import News
from planbatch.planner.kernels.signatures import Report
from planbatch.planner.ledger import Ledger, empty_ledger
from planbatch.planner.model import NEVER, FloatArray, IntArray, JobTable
from planbatch.planner.resources import Windows, no_windows
from planbatch.planner.round import NO_CAPACITIES, RunningTable


class At(IntEnum):
    """Positions in ``Replay.counters``."""

    NOW = 0  #: the present instant
    STARTED = 1  #: jobs started so far
    SUBMITTED = 2  #: jobs submitted so far
    RUNNING = 3  #: jobs running
    DUE = 4  #: the next planned start that falls due
    EARLY = 5  #: whether a job ended early at this instant
    FREE = 6  #: processors free
    ROUNDS = 7  #: rounds so far
    LOGGED = 8  #: rounds in the log buffers
    KNOWN = 9  #: windows that are known so far
    CHANGE = 10  #: the next change of the machine, in ``Replay.changes``
    FIRST = 11  #: where the queue begins
    LAST = 12  #: where it ends: behind the last job
    NEWS = 13  #: news so far
    TOLD = 14  #: those that the history has seen
    PREDICTION = (
        15  #: the column of ``queue.past`` with predicted run times; 0 if none are predicted
    )
    CORRECTOR = 16  #: what corrects predictions that jobs outlive
    GUARDED = 17  #: whether promises are kept by requests, whatever is predicted
    LESSON = 18  #: from when on the history learns again
    SHOWN = 19  #: jobs that the history has seen wait
    EACH_EVENT = 20  #: whether every submission and every end is a round of its own
    LEAVING = 21  #: jobs that end at this instant, as was expected, and have left already
    UNTOLD = 22  #: starts of this instant that the history has not been told of
    ENOUGH = 23  #: how many jobs have to have started before the history learns again


class Status(IntEnum):
    """Return codes of the loop and its parts."""

    ROUND_DUE = 0  #: a job waits: a policy has to decide
    CARRIED_OUT = 1  #: the plan holds, and its jobs have started
    LOG_FULL = 2  #: store the log and call again
    FINISHED = 3  #: every job has ended
    STUCK = 4  #: jobs wait, but nothing will ever happen again
    BAD_START = 5  #: the policy gave a start before now
    OVER_CAPACITY = 6  #: the policy started more than fits
    LESSON_DUE = 7  #: have the history learn, and call again


#: How many values a policy reports about a round.
REPORTED = len(Report)


class Log(NamedTuple):
    """One entry per round, in buffers that are emptied whenever the loop pauses."""

    time: IntArray
    waiting: IntArray
    running: IntArray
    started: IntArray
    evaluations: IntArray
    seed_cost: FloatArray
    cost: FloatArray


class Replay(NamedTuple):
    """Everything that changes or is looked up during a replay.

    ``jobs`` and the columns behind it belong to all jobs in FCFS order; a job that is first planned to start at s is
    promised a start by max(s + ``slack``, ``floor``), or nothing if ``slack`` is ``NEVER``. ``queue`` holds the
    waiting jobs in FCFS order, between the counters ``FIRST`` and ``LAST``: those before a job that leaves, or those
    behind it, move by one, so that a view of the queue is a slice. Running jobs are listed twice: by expected end (what
    schedulers see) and by actual end, latest first (what happens). ``free`` is what is free of the resources besides
    processors. ``windows`` are in the order in which they become known; ``changes`` are the moments at which one
    becomes known, begins or ends. ``news`` and ``memory`` are those of the history that the order asks for, if it does
    (see ``planner.history``); ``user_row`` is where the memory keeps each job's user. If events are rounds of their
    own, ``untold`` are the jobs of whose starts the history is told when the instant is over, and ``turn`` is the turn
    in which a job started. ``ledger`` has a row per job, if
    the history wants one. Where run times are predicted, ``queue_believed`` has what is believed of the waiting jobs in
    this round, ``predicted`` what was believed of each job when it started, and ``occupied``, for running jobs, what is
    believed now. Where promises are made with predictions, ``guaranteed`` has the start of each waiting job in the plan
    that keeps them by requests.
    """

    jobs: JobTable
    runtime: IntArray
    occupied: IntArray
    predicted: IntArray
    slack: IntArray
    floor: IntArray
    start: IntArray
    first_planned: IntArray
    guaranteed: IntArray
    queue: JobTable
    queue_job: IntArray
    queue_planned: IntArray
    queue_notes: IntArray
    queue_occupied: IntArray
    queue_believed: IntArray
    plan: IntArray
    running: RunningTable
    running_job: IntArray
    actual_end: IntArray
    actual_job: IntArray
    counters: IntArray
    capacity: IntArray
    capacities: IntArray
    free: IntArray
    windows: Windows
    window_known: IntArray
    changes: IntArray
    news: IntArray
    memory: FloatArray
    user_row: IntArray
    untold: IntArray
    turn: IntArray
    ledger: Ledger
    log: Log


def empty_log(rounds: int) -> Log:
    """Return buffers for so many rounds."""
    whole = [np.zeros(rounds, dtype=np.int64) for _ in range(5)]
    return Log._make([*whole, np.zeros(rounds), np.zeros(rounds)])


def empty_replay(
    n: int,
    capacity: int,
    rounds: int,
    capacities: Sequence[int] = (),
    windows: Windows | None = None,
    known: Sequence[int] | IntArray = (),
    history: tuple[int, int, int] | None = None,
    ledger: bool = False,
) -> Replay:
    """Return buffers for ``n`` jobs and for a log of ``rounds`` rounds.

    ``capacities`` are those of the resources besides processors; ``known`` says when each window becomes known.
    ``history``, if one is kept, has the rows and columns of its memory, and how many columns a job has; ``ledger``
    says whether one is kept.
    """
    most_running = min(n, capacity) + 1
    most_ending = (
        min(n, 2 * capacity) + 1
    )  # those that have left, and are told to have ended later, among them
    kept, width, columns = history or (0, 0, 0)
    memory = np.zeros((kept, width))
    memory[-1:, :1] = capacity
    further = len(capacities)
    if windows is None:
        windows = no_windows(further)
    order = np.argsort(np.asarray(known, dtype=np.int64), kind="stable")
    window_known = np.asarray(known, dtype=np.int64)[order]
    windows = Windows(*(np.array(column[order], dtype=np.int64) for column in windows))

    def ints(length: int, value: int = 0) -> IntArray:
        return np.full(length, value, dtype=np.int64)

    def rows(length: int) -> IntArray:
        return np.zeros((length, further), dtype=np.int64)

    def table() -> JobTable:
        past = np.zeros((n, 1 + columns if history else 0))
        return JobTable._make([*(ints(n) for _ in JobTable._fields[:-2]), rows(n), past])

    counters = ints(len(At))
    counters[At.FREE] = capacity
    counters[At.DUE] = NEVER
    counters[At.LESSON] = NEVER
    return Replay(
        jobs=table(),
        runtime=ints(n),
        occupied=ints(n),
        predicted=ints(n, NEVER),
        slack=ints(n, NEVER),
        floor=ints(n, -NEVER),
        start=ints(n, NEVER),
        first_planned=ints(n, NEVER),
        guaranteed=ints(n, NEVER),
        queue=table(),
        queue_job=ints(n),
        queue_planned=ints(n, NEVER),
        queue_notes=ints(n, NEVER),
        queue_occupied=ints(n),
        queue_believed=ints(n),
        plan=ints(n, NEVER),
        running=RunningTable(ints(most_running), ints(most_running), rows(most_running)),
        running_job=ints(most_running),
        actual_end=ints(most_ending),
        actual_job=ints(most_ending),
        counters=counters,
        capacity=ints(1, capacity),
        capacities=np.array(capacities, dtype=np.int64) if further else NO_CAPACITIES,
        free=np.array(capacities, dtype=np.int64),
        windows=windows,
        window_known=window_known,
        changes=np.unique(np.concatenate([window_known, windows.start, windows.end])),
        news=np.zeros((3 * n if history else 0, len(News)), dtype=np.int64),
        memory=memory,
        user_row=ints(n),
        untold=ints(n if history else 0),
        turn=ints(n),
        ledger=empty_ledger(n if ledger else 0, further, 1 + columns),
        log=empty_log(rounds),
    )
