"""Promises that hold whatever is predicted: a plan made with predictions is carried out only if the requests allow it.

Searches may believe that jobs are short. Promises may not: a job holds its processors until its request ends, if it
likes. So there are two plans: the one that is carried out, of believed run times, and a *guarantee*, of requests.
"""

import numpy as np

from planbatch.planner.kernels.decode import (
    decode_once,
    fill_guarded,
    keeps_promises,
    place_earliest,
)
from planbatch.planner.kernels.native import kernel
from planbatch.planner.kernels.profile import (
    demands_of,
    index_at,
    new_amounts,
    room_for,
    split_at,
)
from planbatch.planner.kernels.promises import with_feasible_promises
from planbatch.planner.kernels.sorting import copy_column, stable_order
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.round import RoundArrays


@kernel
def follow_plan(asked: RoundArrays, plan: IntArray, guaranteed: IntArray) -> bool:
    """Write a plan of the requests in which no job starts before it does in ``plan``; return whether it does.

    Jobs are placed in the order of their planned starts, each at its earliest feasible start from the planned one on.
    It does not if a job that the plan starts now cannot start now for as long as it asks. What is promised and not
    planned is placed from its promise on; what is neither is left out (``NEVER``).
    """
    now, jobs = asked.now, asked.jobs
    released = plan.copy()
    for i in range(len(plan)):
        if plan[i] == NEVER and jobs.latest[i] != NEVER:
            released[i] = max(jobs.latest[i], now + 1)
    room = room_for(asked, len(plan))
    times = np.empty(room, np.int64)
    free = new_amounts(asked, room)
    demands = demands_of(asked)
    size = fill_guarded(asked, times, free)
    for i in stable_order(released):
        guaranteed[i] = NEVER
        if released[i] == NEVER:
            continue
        at = index_at(times, size, released[i])
        size = split_at(times, free, size + 1, at, released[i]) - 1  # the guard moves with the rest
        at += times[at] != released[i]
        at, size = place_earliest(times, free, size, demands[i], jobs.walltime[i], at)
        guaranteed[i] = times[at]
        if plan[i] == now and guaranteed[i] != now:
            return False
    return True


@kernel
def mend_plan(asked: RoundArrays, plan: IntArray, guaranteed: IntArray) -> None:
    """Take the guarantee for the plan, with as many of the plan's starts of this moment as it allows.

    Those are tried one after the other, in the order of the queue: placed first, the others after them in the order of
    the guarantee; it is kept if no promise is broken.
    """
    decode_once(asked, stable_order(asked.planned), guaranteed)
    if not keeps_promises(guaranteed, asked.jobs.latest):  # since a window became known
        decode_once(asked, stable_order(asked.jobs.latest), guaranteed)
    first = guaranteed.copy()
    trial = np.empty(len(plan), np.int64)
    for i in range(len(plan)):
        if plan[i] == asked.now and guaranteed[i] != asked.now:
            copy_column(first, guaranteed)
            for k in range(i + 1):
                if plan[k] == asked.now and (k == i or guaranteed[k] == asked.now):
                    first[k] = asked.now - 1
            decode_once(asked, stable_order(first), trial)
            if trial[i] == asked.now and keeps_promises(trial, asked.jobs.latest):
                copy_column(guaranteed, trial)
    copy_column(plan, guaranteed)


@kernel
def keep_promises(asked: RoundArrays, plan: IntArray, guaranteed: IntArray) -> None:
    """Mend a plan that would break a promise if every job ran for as long as it asks.

    Parameters
    ----------
    asked : RoundArrays
        The round by requests: the walltimes of waiting and the ends of running jobs, whatever is predicted; ``planned``
        is the guarantee of the round before, ``NEVER`` for new jobs.
    plan : int64 array, shape (n,)
        What a policy decided by predictions; changed if it has to be.
    guaranteed : int64 array, shape (n,)
        The new guarantee (s): a feasible plan of the requests, in which no job starts before it does in ``plan``, those
        that start now do so, and every promise is kept. New jobs are promised what it has for them.

    Notes
    -----
    No promise is ever broken. There is a guarantee after the first round with a promise, since promises come from it.
    Be there one after a round at t, and the next round at t'. No start that was planned after t lies before t', since a
    planned start that falls due is a round; so none of the guarantee does, which starts no job earlier. The jobs
    started at t are those that it starts at t; running jobs ended by their requests, and each that ended left what it
    held. So the guarantee is feasible at t'. Decoded by requests in the order of its starts, it starts no job later
    than before (the decoder's theorem), new jobs behind the others delay none, and every promise is kept: this is the
    plan that :func:`mend_plan` begins with, and it leaves it only for one that keeps them, too. The plan by predictions
    is carried out only if :func:`follow_plan` finds a guarantee for it that keeps them. Either way there is one after
    t'.

    Only a window that became known since can make a guarantee infeasible; then promises are put off by as little as
    :func:`with_feasible_promises` can, and those that are broken are reported.
    """
    if follow_plan(asked, plan, guaranteed) and keeps_promises(guaranteed, asked.jobs.latest):
        for i in range(len(plan)):
            if plan[i] == NEVER:
                plan[i] = guaranteed[i]
        return
    mend_plan(with_feasible_promises(asked), plan, guaranteed)


@kernel
def keep_plan(asked: RoundArrays, plan: IntArray, guaranteed: IntArray) -> None:
    """Leave a plan as it is, where nothing is promised, or promises are kept by the search itself."""
