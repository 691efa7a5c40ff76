"""First plans: the orders from which every search starts; no search ends with a worse one."""

from enum import IntEnum
from typing import Any

import numpy as np

from planbatch.planner.columns import Permutation
from planbatch.planner.expectation import expected_area, expected_slowdown
from planbatch.planner.kernels.decode import JobClasses, decode_into, decode_once
from planbatch.planner.kernels.evaluate import decoded_cost, planned_cost
from planbatch.planner.kernels.native import kernel, shared_kernel, shared_two_way_kernel
from planbatch.planner.kernels.orders import regular_first
from planbatch.planner.kernels.profile import any_fits
from planbatch.planner.kernels.sorting import copy_column, stable_order
from planbatch.planner.model import NEVER, FloatArray, IntArray
from planbatch.planner.round import RoundArrays


class FirstOrder(IntEnum):
    """Numbers of the orders of the first plans, for kernels.

    With area = size × walltime (:func:`size_of`), age = now − submit and h = Σ area / capacity, the time that the whole
    queue needs at least.
    """

    PREVIOUS = (
        0  #: the starts of the previous round, new jobs last: never worse than the previous plan
    )
    SUBMIT = 1  #: FCFS: decoded, this is conservative backfilling
    SMALLEST_AREA = 2
    AREA_PER_SQUARE = 3  #: area / (age + h)²: Smith's rule for squared waits at half-time
    SIZE_ROOT_LENGTH = 4  #: procs · √walltime
    AREA_PER_RESPONSE = 5  #: area / (age + walltime)
    ROOT_SIZE_LENGTH = 6  #: √procs · walltime / (age + 0.3 h)
    AREA_PER_AGE = 7  #: area / (age + one minute)
    SHORTEST = 8
    SMALLEST = 9
    REGULAR_FIRST = 10  #: deadline-based backfilling; only in rounds with deadlines
    EXPECTED_AREA = 11  #: procs · E[run time]; see :mod:`~planbatch.planner.expectation`
    EXPECTED_SLOWDOWN = 12  #: procs · E[run time] / E[1 / run time]


_NAMES = tuple(order.name.lower().replace("_", "-") for order in FirstOrder)
#: The names of those that ask for the past of users: searches start from them where they are told to.
EXPECTED_PLANS = _NAMES[FirstOrder.EXPECTED_AREA :]
#: The names of the others, in the order of their numbers: from these searches start by default.
FIRST_PLANS = _NAMES[: FirstOrder.EXPECTED_AREA]
#: All names, in the order of their numbers.
KNOWN_PLANS = FIRST_PLANS + EXPECTED_PLANS
#: In rounds of more jobs than this, only the first few of them, and that of the deadlines, are decoded.
LONG_QUEUE = 500
FIRST_PLANS_OF_LONG_QUEUES = 4


@kernel
def size_of(arrays: RoundArrays) -> FloatArray:
    """Return the sizes of the waiting jobs: processors, or as many as match their largest share of any resource."""
    jobs = arrays.jobs
    size = jobs.procs.astype(np.float64)
    for k in range(len(arrays.capacities)):
        unit = arrays.capacity / arrays.capacities[k]
        for i in range(len(size)):
            size[i] = max(size[i], jobs.demands[i, k] * unit)
    return size


@shared_kernel
def first_keys(arrays: RoundArrays, order: int) -> FloatArray:
    """Return the sort keys of a first plan, by the number of its order."""
    jobs = arrays.jobs
    if order == FirstOrder.PREVIOUS:
        return arrays.planned.astype(np.float64)
    if order == FirstOrder.SUBMIT:
        return np.arange(len(jobs.procs)).astype(np.float64)
    if order == FirstOrder.EXPECTED_AREA:
        return expected_area(jobs, arrays.now)
    if order == FirstOrder.EXPECTED_SLOWDOWN:
        return expected_slowdown(jobs, arrays.now)
    procs = size_of(arrays)
    walltime = jobs.walltime.astype(np.float64)
    if order == FirstOrder.SHORTEST:
        return walltime
    if order == FirstOrder.SMALLEST:
        return procs
    if order == FirstOrder.REGULAR_FIRST:
        return regular_first(jobs, arrays.now)
    if order == FirstOrder.SIZE_ROOT_LENGTH:
        return procs * np.sqrt(walltime)
    area = procs * walltime
    if order == FirstOrder.SMALLEST_AREA:
        return area
    age = np.maximum(arrays.now - jobs.submit, 0).astype(np.float64)
    horizon = area.sum() / arrays.capacity
    if order == FirstOrder.AREA_PER_SQUARE:
        return area / (age + horizon) ** 2
    if order == FirstOrder.AREA_PER_RESPONSE:
        return area / (age + walltime)
    if order == FirstOrder.ROOT_SIZE_LENGTH:
        return np.sqrt(procs) * walltime / (age + 0.3 * horizon)
    return area / (age + 60.0)


@shared_two_way_kernel
def best_first_plan(
    arrays: RoundArrays,
    classes: JobClasses,
    cost: Any,
    first_plans: IntArray,
    order: Permutation,
    start: IntArray,
) -> float:
    """Decode the first plans with these numbers, write the best order and its plan, return its cost.

    Of equally good ones the first wins. If no job has a deadline, ``regular-first`` is skipped. The result is
    NaN as soon as one cost is not a finite number.
    """
    trial = np.empty(len(order), np.int64)
    best = np.inf
    left = len(first_plans) if len(order) <= LONG_QUEUE else FIRST_PLANS_OF_LONG_QUEUES
    deadlines = arrays.jobs.deadline.min() != NEVER
    for number in first_plans:
        if number == FirstOrder.REGULAR_FIRST:
            if not deadlines:
                continue
        elif left == 0:
            continue
        else:
            left -= 1
        candidate = stable_order(first_keys(arrays, number))
        value = decoded_cost(arrays, classes, cost, candidate, trial)
        if np.isnan(value):
            return np.nan
        if value < best:
            best = value
            copy_column(order, candidate)
            copy_column(start, trial)
    if np.isinf(best):  # none of these keeps all promises, as the previous plan does
        candidate = stable_order(arrays.planned)
        decode_into(arrays, classes, candidate, start)
        copy_column(order, candidate)
        best = planned_cost(arrays, classes, cost, candidate, start)
    return best


@kernel
def kept_plan(arrays: RoundArrays, promised: bool, start: IntArray) -> bool:
    """Return whether nothing can start, since no waiting job fits; if so, write the plan of the previous round.

    New jobs then stay without a start; if promises are made, they are planned after the others, so that they get
    theirs.
    """
    if any_fits(arrays):
        return False
    if promised:
        decode_once(arrays, stable_order(arrays.planned), start)
    else:
        for i in range(len(start)):
            start[i] = arrays.planned[i] if arrays.planned[i] > arrays.now else NEVER
    return True
