"""The waiting jobs: one slice of each column, in FCFS order, whoever enters or leaves."""

from typing import Any

import numpy as np

from planbatch.experiments.replay.loop.news import enter, tell
from planbatch.experiments.replay.loop.state import At, Replay
from planbatch.planner.history import Event
from planbatch.planner.kernels.blocks import BLOCK
from planbatch.planner.kernels.job_tables import copy_job
from planbatch.planner.kernels.native import borrowing_kernel
from planbatch.planner.model import NEVER


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
