"""Backfilling that balances the use of all resources: BB and IBB.

"IBB: Improved K-Resource Aware Backfill Balanced Scheduling for HTCondor" (Liu, Luan, Wang, Qian, NPC 2016); BB is by
Leinberger, Karypis, Kumar (1999), as quoted there. S is the utilisation of each resource (the share of its capacity
that running jobs take), R the demand of a job, also as shares.
"""

from typing import Any, NamedTuple

import numpy as np

from planbatch.baselines.head_of_queue import candidates, in_order, start_head, whole_timeline
from planbatch.baselines.timeline import fits_now, new_timeline_of_rows, reserve, take_now
from planbatch.planner.kernels.native import kernel, shared_two_way_kernel
from planbatch.planner.kernels.profile import all_capacities, all_demands, any_fits, free_now
from planbatch.planner.kernels.sorting import fill_column
from planbatch.planner.model import NEVER, FloatArray, IntArray
from planbatch.planner.round import RoundArrays


class BalanceSetting(NamedTuple):
    """The variants of BB and IBB.

    Attributes
    ----------
    one_a_round : bool
        Whether BB backfills one job in a round, as the paper says of it ("in one traversal of the job queue, it can
        only select one job"), rather than as many as there are candidates.
    as_printed : bool
        Whether IBB decides about a candidate as Algorithm 1 is printed, by the average utilisation, which no job that
        takes anything can keep from rising; rather than by inequality (2), as the text says.
    """

    one_a_round: bool = False
    as_printed: bool = False


@kernel
def balance_setting(params: FloatArray) -> BalanceSetting:
    """The setting, from an array that has it in the order of ``_fields``; without one, the default."""
    if len(params) == 0:
        return BalanceSetting(False, False)
    return BalanceSetting(params[0] > 0.0, params[1] > 0.0)


@kernel
def imbalance(used: FloatArray) -> float:
    """maxᵢ Sᵢ / (Σ Sᵢ / K): a side of inequality (2), and the balance measure of (1); 1 for an idle machine."""
    total = used.sum()
    return float(used.max() * len(used) / total) if total > 0.0 else 1.0


@kernel
def score(used: FloatArray, share: FloatArray) -> float:
    """Equation (1): the balance measure with a job, times the fullness modifier 1 − Σ (Sᵢ + Rᵢ) / K."""
    after = used + share
    return float(imbalance(after) * (1.0 - after.mean()))


@kernel
def backfill_best_balanced(
    arrays: RoundArrays,
    demands: IntArray,
    waiting: IntArray,
    line: Any,
    only_one: bool,
    start: IntArray,
) -> None:
    """BB: repeatedly start the candidate with the lowest score; of equal ones the first."""
    capacities = all_capacities(arrays).astype(np.float64)
    used = utilisation(arrays, demands, start)
    while True:
        best = -1
        lowest = np.inf
        for i in waiting:
            if start[i] == NEVER and fits_now(line, demands[i], arrays.jobs.walltime[i]):
                value = score(used, demands[i] / capacities)
                if value < lowest:
                    best, lowest = i, value
        if best < 0:
            return
        start[best] = arrays.now
        take_now(line, demands[best], arrays.jobs.walltime[best])
        used += demands[best] / capacities
        if only_one:
            return


@kernel
def backfill_all_balanced(
    arrays: RoundArrays,
    demands: IntArray,
    waiting: IntArray,
    line: Any,
    as_printed: bool,
    start: IntArray,
) -> None:
    """IBB, the procedure ``backfill_jobs`` of Algorithm 1: in one pass, all candidates that do not worsen the balance.

    The paper's ``idle_res`` and ``extra`` are what is free in the timeline, in which the pivot has its reservation. S
    is the utilisation at that moment, including the jobs started by this pass.
    """
    capacities = all_capacities(arrays).astype(np.float64)
    used = utilisation(arrays, demands, start)
    average = used.mean()
    for i in waiting:
        if not fits_now(line, demands[i], arrays.jobs.walltime[i]):
            continue
        after = used + demands[i] / capacities
        # Inequality (2), up to rounding.
        worsens = imbalance(after) > imbalance(used) * (1.0 + 1e-12)
        if (after.mean() <= average) if as_printed else not worsens:
            start[i] = arrays.now
            take_now(line, demands[i], arrays.jobs.walltime[i])
            used = after


@kernel
def utilisation(arrays: RoundArrays, demands: IntArray, start: IntArray) -> FloatArray:
    """S: what running jobs, and those just started, take of each resource, as a share of its capacity."""
    capacities = all_capacities(arrays)
    used = capacities - free_now(arrays)
    for i in range(len(start)):
        if start[i] == arrays.now:
            used += demands[i]
    return used / capacities


@shared_two_way_kernel
def serve_balanced(
    arrays: RoundArrays, order: Any, improved: bool, setting: BalanceSetting, start: IntArray
) -> None:
    """Algorithm 1: ``schedule_head_of_list``, then backfill around the pivot as BB or, ``improved``, as IBB."""
    fill_column(start, NEVER)
    if not any_fits(arrays):
        return
    jobs = arrays.jobs
    demands = all_demands(jobs.procs, jobs.demands)
    keys = order(jobs, arrays.now)
    line = new_timeline_of_rows(arrays)
    taken = np.zeros(len(start), np.bool_)
    pivot = start_head(arrays, demands, keys, in_order(keys), line, taken, start)
    if pivot < 0:
        return
    taken[pivot] = True
    waiting = candidates(demands, keys, line, taken)
    if len(waiting) == 0:
        return
    whole_timeline(arrays, demands, line, start)
    reserve(line, demands[pivot], jobs.walltime[pivot])
    if improved:
        backfill_all_balanced(arrays, demands, waiting, line, setting.as_printed, start)
    else:
        backfill_best_balanced(arrays, demands, waiting, line, setting.one_a_round, start)


@kernel
def decide_bb(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """Backfill Balanced: at each selection, the candidate with the lowest score of equation (1) of Liu et al. 2016.

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (none),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("bb")
    >>> policy.compiled_form().decide is pb.decide_bb
    True
    """
    serve_balanced(arrays, order, False, balance_setting(params), start)


@kernel
def decide_ibb(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """Improved Backfill Balanced: Algorithm 1 of Liu et al. 2016.

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (none),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("ibb")
    >>> policy.compiled_form().decide is pb.decide_ibb
    True
    """
    serve_balanced(arrays, order, True, balance_setting(params), start)
