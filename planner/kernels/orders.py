"""Sort keys that put waiting jobs into order: ``keys(jobs, now) -> float64 array``; see :mod:`orders`."""

import numpy as np

from planbatch.planner.kernels.native import kernel, shared_kernel
from planbatch.planner.model import NEVER, FloatArray, JobTable


@kernel
def submit_order(jobs: JobTable, now: int) -> FloatArray:
    """First come, first served: the order of the queue itself (the seed of conservative backfilling)."""
    keys = np.empty(len(jobs.submit))
    for i in range(len(keys)):
        keys[i] = i
    return keys


@kernel
def shortest_first(jobs: JobTable, now: int) -> FloatArray:
    """Smallest walltime first (SJF)."""
    return jobs.walltime.astype(np.float64)


@kernel
def longest_first(jobs: JobTable, now: int) -> FloatArray:
    """Largest walltime first."""
    return -jobs.walltime.astype(np.float64)


@kernel
def smallest_first(jobs: JobTable, now: int) -> FloatArray:
    """Fewest processors first."""
    return jobs.procs.astype(np.float64)


@kernel
def largest_first(jobs: JobTable, now: int) -> FloatArray:
    """Most processors first."""
    return -jobs.procs.astype(np.float64)


@kernel
def smallest_area_first(jobs: JobTable, now: int) -> FloatArray:
    """Smallest area (processors × walltime) first: Smith's rule on one machine of all the processors."""
    return jobs.procs.astype(np.float64) * jobs.walltime.astype(np.float64)


@kernel
def largest_area_first(jobs: JobTable, now: int) -> FloatArray:
    """Largest area (processors × walltime) first."""
    return -(jobs.procs.astype(np.float64) * jobs.walltime.astype(np.float64))


@kernel
def earliest_deadline_first(jobs: JobTable, now: int) -> FloatArray:
    """Earliest deadline first (EDF); jobs without a deadline come last."""
    return jobs.deadline.astype(np.float64)


@shared_kernel
def regular_first(jobs: JobTable, now: int) -> FloatArray:
    """The order of deadline-based backfilling: urgent jobs, those without a deadline, the others.

    Each group is in FCFS order. A job is urgent if its latest start lies within the time that the whole queue
    needs at least: Σ processors · walltime / processors of the largest waiting job.
    """
    n = len(jobs.submit)
    keys = np.empty(n)
    if n == 0:
        return keys
    area = (jobs.procs.astype(np.float64) * jobs.walltime.astype(np.float64)).sum()
    horizon = now + area / jobs.procs.max()
    for i in range(n):
        group = 1
        if jobs.deadline[i] != NEVER:
            group = 0 if jobs.deadline[i] - jobs.walltime[i] < horizon else 2
        keys[i] = group * n + i
    return keys
