"""First come, first served: without backfilling, or (best fit) passing over blocked jobs."""

from typing import Any

import numpy as np

from planbatch.baselines.head_of_queue import backfill, candidates, in_order, start_head
from planbatch.baselines.timeline import Timeline, new_timeline
from planbatch.planner.kernels.native import kernel, shared_two_way_kernel
from planbatch.planner.kernels.profile import any_fits, demands_of
from planbatch.planner.kernels.sorting import fill_column
from planbatch.planner.model import NEVER, FloatArray, IntArray
from planbatch.planner.round import RoundArrays


@kernel
def serve(
    arrays: RoundArrays,
    demands: Any,
    keys: FloatArray,
    line: Timeline,
    skip_blocked: bool,
    start: IntArray,
) -> None:
    """Start jobs in the queue's order while they fit; with ``skip_blocked``, also those behind a blocked one."""
    taken = np.zeros(len(start), np.bool_)
    blocked = start_head(arrays, demands, keys, in_order(keys), line, taken, start)
    if skip_blocked and blocked >= 0:
        backfill(arrays, demands, candidates(demands, keys, line, taken), line, start)


@shared_two_way_kernel
def serve_queue(arrays: RoundArrays, order: Any, skip_blocked: bool, start: IntArray) -> None:
    """:func:`serve`, for one resource or for several."""
    fill_column(start, NEVER)
    if not any_fits(arrays):
        return
    keys = order(arrays.jobs, arrays.now)
    serve(arrays, demands_of(arrays), keys, new_timeline(arrays), skip_blocked, start)


@kernel
def decide_fcfs(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """Start jobs in the queue's order while they fit; the first that does not blocks the others.

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (none),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("fcfs")
    >>> policy.compiled_form().decide is pb.decide_fcfs
    True
    """
    serve_queue(arrays, order, False, start)


@kernel
def decide_best_fit(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """Start every job that fits, in the queue's order; a blocked one is skipped, and may starve.

    HTCondor's dedicated scheduler calls this "Best-fit" (Liu et al. 2016, Section 1).

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (none),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("best-fit")
    >>> policy.compiled_form().decide is pb.decide_best_fit
    True
    """
    serve_queue(arrays, order, True, start)
