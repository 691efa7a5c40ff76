"""The event loop of the replay (design rules 4 and 5): one source, run compiled or interpreted.

:func:`advance` moves time to the next round, :func:`view` shows the round to a policy, :func:`commit` carries its
plan out, and :func:`drive` is the loop of the three. Compiled policies run in the compiled loop; a policy in plain
Python runs in the very same loop, interpreted.
"""

from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types

from planbatch.planner.history import Event, News
from planbatch.planner.kernels.blocks import BLOCK, next_planned
from planbatch.planner.kernels.job_tables import copy_job, jobs_between, with_walltime
from planbatch.planner.kernels.native import borrowing_kernel, compiled_for, kernel
from planbatch.planner.kernels.signatures import (
    COST,
    FLOAT64_ARRAY,
    FOLLOW,
    GENERATOR,
    ORDER_KEYS,
    Report,
    round_types,
)
from planbatch.planner.kernels.sorting import copy_column, stable_order
from planbatch.planner.ledger import ENTRIES, UNKNOWN, Entry, Ledger, empty_ledger
from planbatch.planner.model import NEVER, FloatArray, IntArray, JobTable
from planbatch.planner.predictors import Corrector
from planbatch.planner.resources import Windows, no_windows
from planbatch.planner.round import NO_CAPACITIES, RoundArrays, RunningTable


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


@borrowing_kernel
def tell(replay: Replay, event: int, job: int) -> None:
    """Note what happened to a job, for the history."""
    row = replay.news[replay.counters[At.NEWS]]
    row[News.EVENT] = event
    row[News.TIME] = replay.counters[At.NOW]
    row[News.JOB] = job
    row[News.USER] = replay.user_row[job]
    row[News.PROCS] = replay.jobs.procs[job]
    row[News.WALLTIME] = replay.jobs.walltime[job]
    row[News.RUNTIME] = replay.runtime[job] if event == Event.ENDED else 0
    replay.counters[At.NEWS] += 1


@borrowing_kernel
def release(replay: Replay, job: int) -> None:
    """Remove a job that has ended from the running jobs, and tell so."""
    vacate(replay, job)
    note_end(replay, job)


@borrowing_kernel
def note_end(replay: Replay, job: int) -> None:
    """Tell that a job has ended."""
    if len(replay.ledger.rows):
        replay.ledger.rows[job, Entry.RUNTIME] = replay.runtime[job]
    if len(replay.news):
        tell(replay, Event.ENDED, job)


@borrowing_kernel
def vacate(replay: Replay, job: int) -> None:
    """Remove a job from the running jobs."""
    counters = replay.counters
    end = replay.start[job] + replay.occupied[job]
    at = np.searchsorted(replay.running.end[: counters[At.RUNNING]], end)
    while replay.running_job[at] != job:
        at += 1
    counters[At.RUNNING] -= 1
    counters[At.FREE] += replay.running.procs[at]
    for i in range(at, counters[At.RUNNING]):
        replay.running.procs[i] = replay.running.procs[i + 1]
        replay.running.end[i] = replay.running.end[i + 1]
        replay.running_job[i] = replay.running_job[i + 1]
    for k in range(len(replay.free)):
        replay.free[k] += replay.running.demands[at, k]
        for i in range(at, counters[At.RUNNING]):
            replay.running.demands[i, k] = replay.running.demands[i + 1, k]


@borrowing_kernel
def ends_before(replay: Replay, at: int, job: int) -> bool:
    """Return whether a running job is told to have ended before one that starts now, and ends at the same instant."""
    return bool(replay.turn[replay.actual_job[at]] < replay.turn[job])


@kernel
def note_turns(replay: Replay, order: Any) -> None:
    """Note in which turn the jobs that start now were taken: from the head of the queue, and then by backfilling."""
    counters = replay.counters
    first, last = counters[At.FIRST], counters[At.LAST]
    n = last - first
    keys = order(view(replay).jobs, counters[At.NOW])
    plan, which = replay.plan[first:last], replay.queue_job[first:last]
    turn = counters[At.STARTED]
    taken = np.zeros(n, np.bool_)
    for i in stable_order(keys[:n]):
        if plan[i] != counters[At.NOW]:
            break
        replay.turn[which[i]] = turn
        taken[i] = True
        turn += 1
    for i in stable_order(keys[len(keys) - n :]):
        if plan[i] == counters[At.NOW] and not taken[i]:
            replay.turn[which[i]] = turn
            turn += 1


@borrowing_kernel
def occupy(replay: Replay, job: int) -> None:
    """Insert a job that starts now into the running jobs, by expected and by actual end."""
    counters = replay.counters
    now = counters[At.NOW]
    replay.start[job] = now
    if len(replay.ledger.rows):
        replay.ledger.rows[job, Entry.START] = now
    i = counters[At.RUNNING]
    end = now + replay.occupied[job]
    while i > 0 and replay.running.end[i - 1] > end:
        replay.running.procs[i] = replay.running.procs[i - 1]
        replay.running.end[i] = replay.running.end[i - 1]
        replay.running_job[i] = replay.running_job[i - 1]
        i -= 1
    replay.running.procs[i] = replay.jobs.procs[job]
    replay.running.end[i] = end
    replay.running_job[i] = job
    for k in range(len(replay.free)):
        for j in range(counters[At.RUNNING], i, -1):
            replay.running.demands[j, k] = replay.running.demands[j - 1, k]
        replay.running.demands[i, k] = replay.jobs.demands[job, k]
        replay.free[k] -= replay.jobs.demands[job, k]
    i = counters[At.RUNNING] + counters[At.LEAVING]
    end = now + replay.runtime[job]
    while i > 0 and (
        replay.actual_end[i - 1] < end
        or (
            counters[At.EACH_EVENT]
            and replay.actual_end[i - 1] == end
            and ends_before(replay, i - 1, job)
        )
    ):
        replay.actual_end[i] = replay.actual_end[i - 1]
        replay.actual_job[i] = replay.actual_job[i - 1]
        i -= 1
    replay.actual_end[i] = end
    replay.actual_job[i] = job
    counters[At.RUNNING] += 1
    counters[At.FREE] -= replay.jobs.procs[job]
    if len(replay.news):
        if counters[At.EACH_EVENT]:
            replay.untold[counters[At.UNTOLD]] = job
            counters[At.UNTOLD] += 1
        else:
            tell(replay, Event.STARTED, job)


@borrowing_kernel
def enter(replay: Replay, job: int) -> None:
    """Enter a job that is submitted into the ledger."""
    row = replay.ledger.rows[job]
    row[Entry.SUBMIT] = replay.jobs.submit[job]
    row[Entry.PROCS] = replay.jobs.procs[job]
    row[Entry.WALLTIME] = replay.jobs.walltime[job]
    row[Entry.USER] = replay.jobs.user[job]
    row[Entry.START] = NEVER
    row[Entry.RUNTIME] = UNKNOWN
    for k in range(len(replay.free)):
        row[ENTRIES + k] = replay.jobs.demands[job, k]


@borrowing_kernel
def note_past(replay: Replay, at: int) -> None:
    """Note in the ledger what the history knows of an entry of the queue."""
    for k in range(replay.queue.past.shape[1]):
        replay.ledger.past[replay.queue_job[at], k] = replay.queue.past[at, k]


@borrowing_kernel
def submit(replay: Replay, job: int) -> None:
    """Append a job to the queue."""
    at = replay.counters[At.LAST]
    copy_job(replay.queue, at, replay.jobs, job)
    replay.queue_job[at] = job
    replay.queue_planned[at] = NEVER
    replay.queue_notes[at] = NEVER
    replay.queue_occupied[at] = replay.occupied[job]
    replay.counters[At.SUBMITTED] += 1
    replay.counters[At.LAST] += 1
    if len(replay.news):
        for k in range(1, replay.queue.past.shape[1]):
            replay.queue.past[at, k] = np.nan
        replay.queue.past[at, 0] = replay.user_row[job]
        tell(replay, Event.SUBMITTED, job)
    if len(replay.ledger.rows):
        enter(replay, job)


@borrowing_kernel
def advance(replay: Replay) -> int:
    """Move to the next instant at which a job waits; return ROUND_DUE, FINISHED or STUCK.

    At one instant, all completions come first, then all submissions (rule 4), then changes of the machine.
    """
    counters = replay.counters
    n = len(replay.start)
    changes = replay.changes
    while True:
        now = NEVER
        if counters[At.SUBMITTED] < n:
            now = replay.jobs.submit[counters[At.SUBMITTED]]
        if counters[At.RUNNING]:
            now = min(now, replay.actual_end[counters[At.RUNNING] - 1])
        now = min(now, counters[At.DUE])
        if counters[At.STARTED] < n and counters[At.CHANGE] < len(changes):
            now = min(now, changes[counters[At.CHANGE]])
        if now == NEVER:
            return Status.STUCK if counters[At.STARTED] < n else Status.FINISHED
        counters[At.NOW] = now
        counters[At.EARLY] = 0
        counters[At.DUE] = NEVER if counters[At.DUE] == now else counters[At.DUE]
        while counters[At.RUNNING] and replay.actual_end[counters[At.RUNNING] - 1] == now:
            job = replay.actual_job[counters[At.RUNNING] - 1]
            if replay.runtime[job] < replay.occupied[job]:
                counters[At.EARLY] = 1
            release(replay, job)
        while counters[At.SUBMITTED] < n and replay.jobs.submit[counters[At.SUBMITTED]] == now:
            submit(replay, counters[At.SUBMITTED])
        while counters[At.CHANGE] < len(changes) and changes[counters[At.CHANGE]] <= now:
            counters[At.CHANGE] += 1
        while (
            counters[At.KNOWN] < len(replay.window_known)
            and replay.window_known[counters[At.KNOWN]] <= now
        ):
            counters[At.KNOWN] += 1
        if counters[At.STARTED] < counters[At.SUBMITTED]:
            return Status.ROUND_DUE


@borrowing_kernel
def tell_starts(replay: Replay) -> None:
    """Tell the history of the starts of the instant that is over."""
    for i in range(replay.counters[At.UNTOLD]):
        tell(replay, Event.STARTED, replay.untold[i])
    replay.counters[At.UNTOLD] = 0


@borrowing_kernel
def let_go(replay: Replay) -> None:
    """Let the jobs leave that end at this instant, as was expected; that they have ended is told later."""
    counters = replay.counters
    now = counters[At.NOW]
    if counters[At.PREDICTION]:
        put_off_ends(replay, now - 1)
    ends = counters[At.RUNNING] - 1
    while ends >= 0 and replay.actual_end[ends] == now:
        job = replay.actual_job[ends]
        if replay.start[job] + replay.occupied[job] == now:
            vacate(replay, job)
            counters[At.LEAVING] += 1
        ends -= 1


@borrowing_kernel
def advance_by_event(replay: Replay) -> int:
    """Move to the next event at which a job waits: :func:`advance` with a round for each event.

    At one instant, all submissions come first, one by one, then the ends, in the order of the starts, then changes of
    the machine and starts that fall due, together. A job that was expected to end at this instant, and does, has left
    before any of them. The rules are those of the simulator behind Gaussier et al. (SC 2015).
    """
    counters = replay.counters
    n = len(replay.start)
    changes = replay.changes
    while True:
        waits = counters[At.SUBMITTED] < n
        submission = replay.jobs.submit[counters[At.SUBMITTED]] if waits else NEVER
        running = counters[At.RUNNING] + counters[At.LEAVING]
        end = replay.actual_end[running - 1] if running else NEVER
        other = counters[At.DUE]
        if counters[At.STARTED] < n and counters[At.CHANGE] < len(changes):
            other = min(other, changes[counters[At.CHANGE]])
        now = min(submission, min(end, other))
        if now == NEVER:
            return Status.STUCK if counters[At.STARTED] < n else Status.FINISHED
        if now != counters[At.NOW] or counters[At.ROUNDS] == 0:
            tell_starts(replay)
            counters[At.NOW] = now
            let_go(replay)
        counters[At.EARLY] = 0
        if submission == now:
            submit(replay, counters[At.SUBMITTED])
        elif end == now:
            job = replay.actual_job[running - 1]
            if replay.start[job] + replay.occupied[job] == now:
                counters[At.LEAVING] -= 1
                note_end(replay, job)
            else:
                counters[At.EARLY] = 1
                release(replay, job)
        else:
            counters[At.DUE] = NEVER if counters[At.DUE] == now else counters[At.DUE]
            while counters[At.CHANGE] < len(changes) and changes[counters[At.CHANGE]] <= now:
                counters[At.CHANGE] += 1
        while (
            counters[At.KNOWN] < len(replay.window_known)
            and replay.window_known[counters[At.KNOWN]] <= now
        ):
            counters[At.KNOWN] += 1
        if counters[At.STARTED] < counters[At.SUBMITTED]:
            return Status.ROUND_DUE


@borrowing_kernel
def believe(replay: Replay) -> None:
    """Take over what is predicted of the waiting jobs: whole seconds, at least one and at most the request."""
    counters = replay.counters
    column = counters[At.PREDICTION]
    for at in range(counters[At.FIRST], counters[At.LAST]):
        believed = replay.queue.walltime[at]
        predicted = replay.queue.past[at, column]
        if predicted < believed:  # not if it is NaN
            believed = max(int(predicted), 1)
        replay.queue_believed[at] = believed
        if counters[At.CORRECTOR] != Corrector.AT_START:
            replay.queue_occupied[at] = believed


@borrowing_kernel
def corrected(corrector: int, predicted: int, elapsed: int, request: int) -> int:
    """Return what a job that has run for longer than predicted is believed to take; see ``planner.predictors``."""
    believed = request
    if corrector == Corrector.INCREMENTAL:
        for minutes in (1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000):
            if predicted + 60 * minutes > elapsed:
                believed = predicted + 60 * minutes
                break
    elif corrector in (Corrector.DOUBLING, Corrector.DOUBLING_BEYOND):
        believed = 2 * predicted
        while believed <= elapsed:
            believed *= 2
        if corrector == Corrector.DOUBLING_BEYOND:
            return believed
    return min(believed, request)


@borrowing_kernel
def put_off_ends(replay: Replay, now: int) -> None:
    """Correct what is believed of the running jobs that should have ended by now, and have not."""
    counters = replay.counters
    ends = replay.running.end
    while counters[At.RUNNING] and ends[0] <= now:
        job, procs = replay.running_job[0], replay.running.procs[0]
        replay.occupied[job] = corrected(
            counters[At.CORRECTOR], replay.predicted[job], now - replay.start[job],
            replay.jobs.walltime[job],
        )  # fmt: skip
        end = replay.start[job] + replay.occupied[job]
        i = 0
        while i + 1 < counters[At.RUNNING] and ends[i + 1] <= end:
            replay.running.procs[i] = replay.running.procs[i + 1]
            ends[i] = ends[i + 1]
            replay.running_job[i] = replay.running_job[i + 1]
            for k in range(len(replay.free)):
                replay.running.demands[i, k] = replay.running.demands[i + 1, k]
            i += 1
        replay.running.procs[i] = procs
        ends[i] = end
        replay.running_job[i] = job
        for k in range(len(replay.free)):
            replay.running.demands[i, k] = replay.jobs.demands[job, k]


@kernel(inline="always")
def view(replay: Replay) -> RoundArrays:
    """Return the round at this instant: slices, not copies."""
    counters = replay.counters
    first, last = counters[At.FIRST], counters[At.LAST]
    known = counters[At.KNOWN]
    believed = replay.queue_believed if counters[At.PREDICTION] else replay.queue.walltime
    running = RunningTable(
        replay.running.procs[: counters[At.RUNNING]],
        replay.running.end[: counters[At.RUNNING]],
        replay.running.demands[: counters[At.RUNNING]],
    )
    queue = with_walltime(jobs_between(replay.queue, first, last), believed[first:last])
    windows = Windows(
        replay.windows.start[:known], replay.windows.end[:known], replay.windows.amounts[:known]
    )
    planned = replay.queue_planned[first:last]
    notes = replay.queue_notes[first:last]
    early = counters[At.EARLY] == 1
    submitted = counters[At.SUBMITTED]
    ledger = Ledger(
        replay.ledger.rows[:submitted],
        replay.ledger.past[:submitted],
        replay.running_job[: counters[At.RUNNING]],
    )
    return RoundArrays(
        counters[At.NOW],
        replay.capacity[0],
        running,
        queue,
        planned,
        early,
        notes,
        replay.queue_occupied[first:last],
        replay.capacities,
        windows,
        ledger,
    )


@kernel
def catch_up(replay: Replay, follow: Any) -> None:
    """Have the history see the news since the last round, and fill the columns of the waiting jobs."""
    counters = replay.counters
    told, known = counters[At.TOLD], counters[At.NEWS]
    queue = jobs_between(replay.queue, counters[At.FIRST], counters[At.LAST])
    follow(replay.news[told:known], replay.memory, queue, counters[At.NOW])
    counters[At.TOLD] = known
    if len(replay.ledger.rows):
        at = counters[At.LAST] - 1
        while at >= counters[At.FIRST] and replay.queue_job[at] >= counters[At.SHOWN]:
            note_past(replay, at)
            at -= 1
        counters[At.SHOWN] = counters[At.SUBMITTED]


@kernel
def running_as_asked(replay: Replay) -> RunningTable:
    """Return the running jobs by the ends of their requests, whatever is believed of them."""
    m = replay.counters[At.RUNNING]
    end = np.empty(m, np.int64)
    for i in range(m):
        job = replay.running_job[i]
        end[i] = replay.start[job] + replay.jobs.walltime[job]
    order = stable_order(end)
    return RunningTable(
        replay.running.procs[:m][order], end[order], replay.running.demands[:m][order]
    )


@kernel
def guard_promises(replay: Replay, guard: Any) -> None:
    """Have the plan of this round mended if it could break a promise; see ``planner.kernels.guarantees``."""
    counters = replay.counters
    first, last = counters[At.FIRST], counters[At.LAST]
    which = replay.queue_job[first:last]
    plan = replay.plan[first:last]
    arrays = view(replay)
    asked = RoundArrays(
        arrays.now,
        arrays.capacity,
        running_as_asked(replay),
        jobs_between(replay.queue, first, last),
        replay.guaranteed[which],
        arrays.ended_early,
        arrays.notes,
        arrays.occupied,
        arrays.capacities,
        arrays.windows,
        arrays.ledger,
    )
    guaranteed = np.empty(last - first, np.int64)
    guard(asked, plan, guaranteed)
    for i in range(len(which)):
        replay.guaranteed[which[i]] = guaranteed[i]


@borrowing_kernel
def move_column(column: Any, first: int, last: int, places: int) -> None:
    """Move the entries from ``first`` to before ``last`` of a column by some places: below 0, to its beginning."""
    source = column[first:last]
    target = column[first + places : last + places]
    if places < 0:
        for i in range(len(source)):
            target[i] = source[i]
    else:
        for i in range(len(source) - 1, -1, -1):
            target[i] = source[i]


@borrowing_kernel
def copy_in_queue(replay: Replay, source: int, target: int) -> None:
    """Copy one entry of the queue to another place."""
    copy_job(replay.queue, target, replay.queue, source)
    replay.queue_job[target] = replay.queue_job[source]
    replay.queue_planned[target] = replay.queue_planned[source]
    replay.queue_notes[target] = replay.queue_notes[source]
    replay.queue_occupied[target] = replay.queue_occupied[source]


@borrowing_kernel
def move_in_queue(replay: Replay, first: int, last: int, places: int) -> None:
    """:func:`move_column` for all columns of the queue; few jobs, or those with rows of demands, one by one."""
    queue = replay.queue
    if last - first < BLOCK or queue.demands.shape[1] or queue.past.shape[1]:
        for i in range(first, last):
            at = i if places < 0 else first + last - 1 - i
            copy_in_queue(replay, at, at + places)
        return
    for column in (
        queue.submit, queue.procs, queue.walltime, queue.deadline, queue.latest, queue.user,
        replay.queue_job, replay.queue_planned, replay.queue_notes, replay.queue_occupied,
    ):  # fmt: skip
        move_column(column, first, last, places)


@borrowing_kernel
def close_gaps(replay: Replay, last_started: int) -> None:
    """Close the gaps that jobs leave in the queue, each from the nearer end.

    The plan of a job that has started is the place of the one that started before it, or ``FIRST - 1``.
    """
    counters = replay.counters
    first = counters[At.FIRST]
    gap = last_started
    while gap >= first and counters[At.LAST] - gap < gap - first:
        move_in_queue(replay, gap + 1, counters[At.LAST], -1)
        counters[At.LAST] -= 1
        gap = replay.plan[gap]
    while gap >= first:
        left = replay.plan[gap]
        counters[At.FIRST] += 1
        move_in_queue(replay, left + 1, gap, counters[At.FIRST] - first)
        gap = left


@borrowing_kernel
def note_first_plan(replay: Replay, at: int, planned: int) -> None:
    """Keep the start for which a job was planned first, and promise it one: by requests, if those are not believed."""
    job = replay.queue_job[at]
    if replay.first_planned[job] == NEVER:
        replay.first_planned[job] = planned
    if replay.queue.latest[at] == NEVER:
        promise(replay, at, replay.guaranteed[job] if replay.counters[At.GUARDED] else planned)


@borrowing_kernel
def promise(replay: Replay, at: int, planned: int) -> None:
    """Promise a latest start to a job planned for the first time, if promises are made."""
    job = replay.queue_job[at]
    if replay.slack[job] != NEVER:
        latest = max(planned + replay.slack[job], replay.floor[job])
        replay.queue.latest[at] = latest
        replay.jobs.latest[job] = latest


@borrowing_kernel
def withdrawn(replay: Replay, resource: int) -> int:
    """Return how much of a resource windows take at this instant."""
    now = replay.counters[At.NOW]
    total = 0
    for w in range(replay.counters[At.KNOWN]):
        if replay.windows.start[w] <= now < replay.windows.end[w]:
            total += replay.windows.amounts[w, resource]
    return total


@borrowing_kernel
def fits(replay: Replay, at: int) -> bool:
    """Return whether the demands of an entry of the queue are free at this instant.

    Windows may take more than is free; a job that needs nothing of that resource fits nevertheless.
    """
    if replay.queue.procs[at] > replay.counters[At.FREE] - withdrawn(replay, 0):
        return False
    for k in range(len(replay.free)):
        demand = replay.queue.demands[at, k]
        if demand > 0 and demand > replay.free[k] - withdrawn(replay, 1 + k):
            return False
    return True


@borrowing_kernel
def commit(replay: Replay) -> int:
    """Start the jobs planned for now and store the other starts; return CARRIED_OUT or what is wrong."""
    counters = replay.counters
    now = counters[At.NOW]
    first, last = counters[At.FIRST], counters[At.LAST]
    logged = counters[At.LOGGED]
    replay.log.time[logged] = now
    replay.log.waiting[logged] = last - first
    replay.log.running[logged] = counters[At.RUNNING]
    checked = len(replay.free) > 0 or counters[At.KNOWN] > 0
    due = NEVER
    started = 0
    last_started = first - 1
    plan = replay.plan[first:last]
    i = first + next_planned(plan, 0)
    while i < last:
        when = replay.plan[i]
        if when < now:
            return Status.BAD_START
        # What was planned before has its promise.
        if replay.queue_planned[i] == NEVER:
            note_first_plan(replay, i, when)
        if when == now:
            if replay.queue.procs[i] > counters[At.FREE] or (checked and not fits(replay, i)):
                return Status.OVER_CAPACITY
            if counters[At.PREDICTION]:
                replay.predicted[replay.queue_job[i]] = replay.queue_believed[i]
                replay.occupied[replay.queue_job[i]] = replay.queue_occupied[i]
            if len(replay.ledger.rows):
                note_past(replay, i)
            occupy(replay, replay.queue_job[i])
            started += 1
            replay.plan[i] = (
                last_started  # from here on, so that gaps are found from the last one back
            )
            last_started = i
        else:
            due = min(due, when)
        i = first + next_planned(plan, i + 1 - first)
    copy_column(replay.queue_planned[first:last], plan)
    if started:
        close_gaps(replay, last_started)
        counters[At.STARTED] += started
    counters[At.DUE] = due
    counters[At.ROUNDS] += 1
    counters[At.LOGGED] += 1
    replay.log.started[logged] = started
    return Status.CARRIED_OUT


def drive(
    replay: Replay,
    decide: Any,
    order: Any,
    cost: Any,
    follow: Any,
    guard: Any,
    turns: Any,
    params: FloatArray,
    rng: Any,
) -> int:
    """Run rounds until the log is full, a lesson is due or the replay is over; return which, or what is wrong.

    ``follow`` keeps the history that ``order`` or predictions ask for, ``guard`` promises by requests whatever is
    predicted, and ``turns`` is the order if each event is a round; without them, or None, the loop compiles faster.
    """
    counters = replay.counters
    log = replay.log
    report = np.zeros(REPORTED)
    while counters[At.LOGGED] < len(log.time):
        if counters[At.NOW] >= counters[At.LESSON] and counters[At.STARTED] >= counters[At.ENOUGH]:
            return Status.LESSON_DUE
        by_event = turns is not None and counters[At.EACH_EVENT]
        status: int = advance_by_event(replay) if by_event else advance(replay)
        if status != Status.ROUND_DUE:
            return status
        logged = counters[At.LOGGED]
        report[:] = np.nan
        report[Report.EVALUATIONS] = 0.0
        plan = replay.plan[counters[At.FIRST] : counters[At.LAST]]
        if follow is not None:
            if len(replay.news):
                catch_up(replay, follow)
            if counters[At.PREDICTION]:
                believe(replay)
                put_off_ends(replay, counters[At.NOW])
        decide(view(replay), order, cost, params, rng, plan, report)
        log.evaluations[logged] = int(report[Report.EVALUATIONS])
        log.seed_cost[logged] = report[Report.SEED_COST]
        log.cost[logged] = report[Report.COST]
        if guard is not None and counters[At.GUARDED]:
            guard_promises(replay, guard)
        if turns is not None and counters[At.EACH_EVENT]:
            note_turns(replay, turns)
        status = commit(replay)
        if status != Status.CARRIED_OUT:
            return status
    return Status.LOG_FULL


@cache
def compiled_drive(several: bool, plain: bool) -> Callable[..., int]:
    """:func:`drive`, compiled for any compiled policy, order and objective, for one resource or for several.

    ``plain`` says that there is no ``follow``, ``guard`` or ``turns``.
    """
    replay_type = typeof(empty_replay(1, 1, 1, [1] if several else []))
    kinds = round_types(several)
    further = (types.none,) * 3 if plain else (FOLLOW, kinds.guard, ORDER_KEYS)
    handed = (kinds.decide, ORDER_KEYS, COST, *further)
    signature = types.int64(replay_type, *handed, FLOAT64_ARRAY, GENERATOR)
    return compiled_for(signature, drive)


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
