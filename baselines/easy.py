"""EASY backfilling: jobs may overtake as long as the first that is blocked starts no later."""

from typing import Any

import numpy as np

from planbatch.baselines.head_of_queue import (
    any_candidate,
    backfill,
    backfill_queue,
    both_keys,
    candidates,
    in_order,
    start_head,
    whole_timeline,
)
from planbatch.baselines.timeline import Timeline, new_timeline, reserve
from planbatch.planner.kernels.native import kernel, shared_kernel
from planbatch.planner.kernels.profile import any_fits, demands_of
from planbatch.planner.kernels.sorting import fill_column
from planbatch.planner.model import NEVER, FloatArray, IntArray
from planbatch.planner.round import RoundArrays


@shared_kernel
def easy(
    arrays: RoundArrays, demands: Any, both: FloatArray, line: Timeline, start: IntArray
) -> None:
    """Design rule 6: start in order while jobs fit; the first blocked one gets the shadow time; backfill.

    The *shadow time* is the earliest moment at which, by the expected ends, there is enough of every resource for the
    blocked job; the amount left over at that moment is *extra* (Lifka 1995; Mu'alem and Feitelson 2001). A job ends by
    the shadow time or takes no more than what is free and extra exactly if it fits into a timeline in which the
    blocked job has its reservation. The code tests the latter, which also works for several resources and for windows.

    ``both`` are the keys that say which job is the head of the queue, and, if they are others, behind them those that
    say in which order jobs are backfilled; see :func:`both_keys`.
    """
    keys, behind = both_keys(both, len(start))
    taken = np.zeros(len(start), np.bool_)
    ascending = in_order(keys)
    blocked = start_head(arrays, demands, keys, ascending, line, taken, start)
    if blocked < 0:
        return
    taken[blocked] = True
    if any_candidate(demands, arrays.jobs.walltime, line, taken):
        whole_timeline(arrays, demands, line, start)
        reserve(line, demands[blocked], arrays.jobs.walltime[blocked])
        if ascending if len(both) == len(start) else in_order(behind):
            backfill_queue(arrays, demands, line, taken, start)
        else:
            backfill(arrays, demands, candidates(demands, behind, line, taken), line, start)


@kernel
def decide_easy(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """:func:`easy`, for one resource or for several (Lifka, JSSPP 1995; Mu'alem and Feitelson, TPDS 2001).

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (none),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("easy")
    >>> policy.compiled_form().decide is pb.decide_easy
    True
    """
    fill_column(start, NEVER)
    if not any_fits(arrays):
        return
    keys = order(arrays.jobs, arrays.now)
    easy(arrays, demands_of(arrays), keys, new_timeline(arrays), start)
