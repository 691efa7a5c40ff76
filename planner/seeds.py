"""First plans: the orders from which every search starts, and below which none falls."""

from typing import Any

import numpy as np

from planner.decoder import JobClasses, Permutation, decode_into, keeps_promises
from planner.model import FloatArray, IntArray
from planner.native import kernel
from planner.round import RoundArrays

#: The seeds, in the order of :func:`seed_keys`. With area = processors × walltime, age = now − submit and
#: h = Σ area / capacity, the time that the whole queue needs at least:
SEEDS = (
    "submit",  # FCFS: decoded, this is conservative backfilling
    "previous",  # the starts of the round before, new jobs last: never worse than yesterday's plan
    "smallest-area",
    "shortest",
    "smallest",
    "size-root-length",  # procs · √walltime
    "area-per-response",  # area / (age + walltime)
    "area-per-square",  # area / (age + h)²: Smith's rule for squared waits at half-time
    "root-size-length",  # √procs · walltime / (age + 0.3 h)
    "area-per-age",  # area / (age + one minute)
)


@kernel
def seed_keys(arrays: RoundArrays, seed: int) -> FloatArray:
    """Sort keys of one of the ``SEEDS``, by its number."""
    jobs = arrays.jobs
    procs = jobs.procs.astype(np.float64)
    walltime = jobs.walltime.astype(np.float64)
    age = np.maximum(arrays.now - jobs.submit, 0).astype(np.float64)
    area = procs * walltime
    horizon = area.sum() / arrays.capacity
    if seed == 0:
        return np.arange(len(procs)).astype(np.float64)
    if seed == 1:
        return arrays.planned.astype(np.float64)
    if seed == 2:
        return area
    if seed == 3:
        return walltime
    if seed == 4:
        return procs
    if seed == 5:
        return procs * np.sqrt(walltime)
    if seed == 6:
        return area / (age + walltime)
    if seed == 7:
        return area / (age + horizon) ** 2
    if seed == 8:
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

    Of equally good seeds the first wins. The result is NaN as soon as one cost is not a finite number.
    """
    trial = np.empty(len(order), np.int64)
    best = np.inf
    for seed in seeds:
        keys = seed_keys(arrays, seed)
        candidate = np.argsort(keys, kind="mergesort")
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
    return best
