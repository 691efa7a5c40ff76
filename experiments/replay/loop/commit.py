"""A plan is carried out: checked, its jobs started, the other starts kept."""

from typing import Any

import numpy as np

from planbatch.experiments.replay.loop.news import note_past
from planbatch.experiments.replay.loop.promises import note_first_plan
from planbatch.experiments.replay.loop.running import occupy
from planbatch.experiments.replay.loop.state import At, Replay, Status
from planbatch.experiments.replay.loop.view import view
from planbatch.experiments.replay.loop.waiting import close_gaps
from planbatch.planner.kernels.blocks import next_planned
from planbatch.planner.kernels.native import borrowing_kernel, kernel, shared_borrowing_kernel
from planbatch.planner.kernels.sorting import copy_column, stable_order
from planbatch.planner.model import NEVER


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


@shared_borrowing_kernel
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
