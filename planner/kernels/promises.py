"""Relaxing promised latest starts that can no longer all be kept."""

import numpy as np

from planbatch.planner.kernels.decode import decode_once, keeps_promises
from planbatch.planner.kernels.job_tables import round_of, with_latest
from planbatch.planner.kernels.native import kernel, shared_kernel
from planbatch.planner.kernels.sorting import copy_column, stable_order
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.round import RoundArrays


@kernel
def total_lateness(start: IntArray, latest: IntArray) -> int:
    """Return Σ max(0, startᵢ − latestᵢ): seconds by which a plan breaks promises."""
    total = 0
    for i in range(len(start)):
        total += max(0, start[i] - latest[i])
    return total


@shared_kernel
def with_feasible_promises(arrays: RoundArrays) -> RoundArrays:
    """Return the round if its promises can be kept; else with promises put off by the least total lateness found.

    Promises hold as long as running jobs end when they were expected to and the machine keeps its processors: the
    plan of the previous round, decoded again in the order of its starts, breaks none. Otherwise the plans in the order
    of those starts, of the promises and of the queue are tried, and the one that is least late in total becomes the
    promise of the round, so that no search makes it worse.
    """
    jobs = arrays.jobs
    if jobs.latest.min() == NEVER:
        return arrays
    n = len(jobs.latest)
    start = np.empty(n, np.int64)
    best = np.empty(n, np.int64)
    least = NEVER
    for attempt in range(3):
        if attempt == 0:
            keys = arrays.planned
        elif attempt == 1:
            keys = jobs.latest
        else:
            keys = np.arange(n)
        decode_once(arrays, stable_order(keys), start)
        if keeps_promises(start, jobs.latest):
            return arrays
        late = total_lateness(start, jobs.latest)
        if late < least:
            least = late
            copy_column(best, start)
    latest = np.maximum(jobs.latest, best)
    # That plan takes the place of the previous one, whose order is a first plan: it keeps these promises.
    jobs = with_latest(jobs, latest)
    return round_of(arrays, jobs, best, arrays.notes, arrays.occupied)
