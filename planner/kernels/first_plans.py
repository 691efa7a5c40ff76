"""First plans: the orders from which every search starts, and below which none falls."""

from typing import Any

import numpy as np

from planbatch.planner.columns import Permutation
from planbatch.planner.kernels.decode import JobClasses, decode_into, keeps_promises
from planbatch.planner.kernels.native import kernel
from planbatch.planner.kernels.orders import regular_first
from planbatch.planner.model import NEVER, FloatArray, IntArray
from planbatch.planner.round import RoundArrays

#: The seeds, in the order of :func:`seed_keys`. With area = size × walltime (:func:`size_of`), age = now − submit and
#: h = Σ area / capacity, the time that the whole queue needs at least:
SEEDS = (
    "previous",  # the starts of the round before, new jobs last: never worse than yesterday's plan
    "submit",  # FCFS: decoded, this is conservative backfilling
    "smallest-area",
    "area-per-square",  # area / (age + h)²: Smith's rule for squared waits at half-time
    "size-root-length",  # procs · √walltime
    "area-per-response",  # area / (age + walltime)
    "root-size-length",  # √procs · walltime / (age + 0.3 h)
    "area-per-age",  # area / (age + one minute)
    "shortest",
    "smallest",
    "regular-first",  # deadline-based backfilling; only in rounds with deadlines
)
#: The number of the seed that rounds without deadlines pass over.
REGULAR_FIRST = 10
#: In rounds of more than so many jobs only the first few seeds, and that of the deadlines, are decoded.
LONG_QUEUE = 500
SEEDS_OF_LONG_QUEUES = 4


@kernel
def size_of(arrays: RoundArrays) -> FloatArray:
    """The sizes of the waiting jobs: processors, or as many as the largest share that they take of any resource."""
    jobs = arrays.jobs
    size = jobs.procs.astype(np.float64)
    for k in range(len(arrays.capacities)):
        unit = arrays.capacity / arrays.capacities[k]
        for i in range(len(size)):
            size[i] = max(size[i], jobs.demands[i, k] * unit)
    return size


@kernel
def seed_keys(arrays: RoundArrays, seed: int) -> FloatArray:
    """Sort keys of one of the ``SEEDS``, by its number."""
    jobs = arrays.jobs
    if seed == 0:
        return arrays.planned.astype(np.float64)
    if seed == 1:
        return np.arange(len(jobs.procs)).astype(np.float64)
    procs = size_of(arrays)
    walltime = jobs.walltime.astype(np.float64)
    if seed == 8:
        return walltime
    if seed == 9:
        return procs
    if seed == REGULAR_FIRST:
        return regular_first(jobs, arrays.now)
    if seed == 4:
        return procs * np.sqrt(walltime)
    area = procs * walltime
    if seed == 2:
        return area
    age = np.maximum(arrays.now - jobs.submit, 0).astype(np.float64)
    horizon = area.sum() / arrays.capacity
    if seed == 3:
        return area / (age + horizon) ** 2
    if seed == 5:
        return area / (age + walltime)
    if seed == 6:
        return np.sqrt(procs) * walltime / (age + 0.3 * horizon)
    return area / (age + 60.0)


@kernel
def best_seed(
    arrays: RoundArrays,
    classes: JobClasses,
    cost: Any,
    seeds: IntArray,
    order: Permutation,
    start: IntArray,
) -> float:
    """Decode the seeds with these numbers, write the best order and its plan, return its cost.

    Of equally good seeds the first wins. Where no job has a deadline, ``regular-first`` is passed over. The result is
    NaN as soon as one cost is not a finite number.
    """
    trial = np.empty(len(order), np.int64)
    best = np.inf
    left = len(seeds) if len(order) <= LONG_QUEUE else SEEDS_OF_LONG_QUEUES
    deadlines = arrays.jobs.deadline.min() != NEVER
    for seed in seeds:
        if seed == REGULAR_FIRST:
            if not deadlines:
                continue
        elif left == 0:
            continue
        else:
            left -= 1
        candidate = np.argsort(seed_keys(arrays, seed), kind="mergesort")
        decode_into(arrays, classes, candidate, trial)
        if not keeps_promises(trial, arrays.jobs.latest):
            continue  # the plan before this one keeps them all
        value = cost(trial, arrays.jobs, arrays.now)
        if not np.isfinite(value):
            return np.nan
        if value < best:
            best = value
            order[:] = candidate
            start[:] = trial
    if np.isinf(best):  # none of these keeps all promises, as the plan before does
        candidate = np.argsort(arrays.planned, kind="mergesort")
        decode_into(arrays, classes, candidate, start)
        order[:] = candidate
        value = cost(start, arrays.jobs, arrays.now)
        best = value if np.isfinite(value) else np.nan
    return best
