"""The cost of a permutation: of its plan, or over scenarios of what jobs turn out to take."""

from typing import Any

import numpy as np

from planbatch.planner.columns import Permutation
from planbatch.planner.kernels.decode import (
    JobClasses,
    classify,
    decode_in,
    decode_into,
    keeps_promises,
)
from planbatch.planner.kernels.futures import Futures, chosen_futures
from planbatch.planner.kernels.job_tables import with_walltime
from planbatch.planner.kernels.native import (
    borrowing_kernel,
    borrowing_two_way_kernel,
    kernel,
    shared_kernel,
    shared_two_way_kernel,
)
from planbatch.planner.model import FloatArray, IntArray
from planbatch.planner.round import RoundArrays


@shared_two_way_kernel(_nrt=False)
def decoded_cost(
    arrays: RoundArrays, classes: JobClasses, cost: Any, order: Permutation, start: IntArray
) -> float:
    """Decode an order into ``start`` and return its cost; infinite if it breaks a promise, NaN if no finite number."""
    decode_into(arrays, classes, order, start)
    if not keeps_promises(start, arrays.jobs.latest):
        return np.inf
    if len(classes.futures.run):
        return scenario_cost(arrays, classes, cost, order, start)
    value = cost(start, arrays.jobs, arrays.now)
    return value if np.isfinite(value) else np.nan


@borrowing_two_way_kernel
def planned_cost(
    arrays: RoundArrays, classes: JobClasses, cost: Any, order: Permutation, start: IntArray
) -> float:
    """Return the cost of the plan that an order was decoded to, whatever was promised; NaN if no finite number."""
    if len(classes.futures.run):
        return scenario_cost(arrays, classes, cost, order, start)
    value = cost(start, arrays.jobs, arrays.now)
    return value if np.isfinite(value) else np.nan


@shared_two_way_kernel(_nrt=False)
def scenario_cost(
    arrays: RoundArrays, classes: JobClasses, cost: Any, order: Permutation, start: IntArray
) -> float:
    """Return what an order costs over the scenarios: the mean of the most expensive ones; NaN if one is not finite.

    What the plan starts now starts now in every scenario, since that is decided before anything else is known. The
    other jobs follow in their order, each at its earliest feasible start if all jobs take what the scenario says. The
    cost sees its starts, and its run times in the place of the walltimes.

    Parameters
    ----------
    arrays, classes : RoundArrays, JobClasses
        The round.
    cost : callable
        The objective.
    order, start : int64 arrays, shape (n,)
        The order, and the plan that it decodes to by walltimes.
    """
    futures = classes.futures
    put_first(order, start, arrays.now, futures.order)
    for k in range(len(futures.run)):
        decode_in(classes, k)
        jobs = with_walltime(arrays.jobs, futures.run[k])
        futures.cost[k] = cost(futures.start, jobs, arrays.now)
        if not np.isfinite(futures.cost[k]):
            return np.nan
    return mean_of_worst(futures.cost, futures.risk)


@shared_two_way_kernel
def soonest_cost(arrays: RoundArrays, classes: JobClasses, cost: Any) -> float:
    """Return the cost if every job could start now, which no plan undercuts."""
    now = np.full(len(arrays.planned), arrays.now)
    futures = classes.futures
    if len(futures.run) == 0:
        value = cost(now, arrays.jobs, arrays.now)
        return value if np.isfinite(value) else np.nan
    for k in range(len(futures.run)):
        futures.cost[k] = cost(now, with_walltime(arrays.jobs, futures.run[k]), arrays.now)
        if not np.isfinite(futures.cost[k]):
            return np.nan
    return mean_of_worst(futures.cost, futures.risk)


@kernel
def with_futures(classes: JobClasses, futures: Futures) -> JobClasses:
    """Return the same data of decodings, for plans that are judged in scenarios."""
    return JobClasses(
        classes.size_within,
        classes.size_above,
        classes.length_within,
        classes.length_above,
        classes.times,
        classes.free,
        classes.demands,
        futures,
    )


@shared_kernel
def classes_of_front(front: RoundArrays, classes: JobClasses, which: IntArray) -> JobClasses:
    """Prepare the round of some of the jobs for its decodings, in the scenarios of the whole."""
    if len(classes.futures.run) == 0:
        return classify(front)
    return with_futures(classify(front), chosen_futures(classes.futures, which))


@borrowing_kernel
def put_first(order: Permutation, start: IntArray, now: int, into: IntArray) -> None:
    """Write an order with the jobs that start now before the others."""
    place = 0
    for job in order:
        if start[job] == now:
            into[place] = job
            place += 1
    for job in order:
        if start[job] != now:
            into[place] = job
            place += 1


@borrowing_kernel
def mean_of_worst(costs: FloatArray, risk: float) -> float:
    """Return the mean of the most expensive (1 − risk) · K of K costs, which are sorted; the last counts in part.

    The conditional value at risk (Rockafellar and Uryasev: "Optimization of Conditional Value-at-Risk", Journal of Risk
    2, 2000), of K equally likely outcomes; the mean if the risk is 0.
    """
    for i in range(1, len(costs)):
        value = costs[i]
        place = i
        while place > 0 and costs[place - 1] < value:
            costs[place] = costs[place - 1]
            place -= 1
        costs[place] = value
    left = (1.0 - risk) * len(costs)
    total = 0.0
    for i in range(len(costs)):
        total += min(1.0, max(0.0, left - i)) * costs[i]
    return total / left
