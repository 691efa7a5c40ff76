"""First come, first served, without backfilling."""

from typing import Any

import numpy as np

from planner.model import NEVER, FloatArray, IntArray
from planner.native import kernel
from planner.round import RoundArrays


@kernel
def next_of(keys: IntArray, taken: IntArray) -> int:
    """Index of the smallest key among the jobs not yet taken, -1 if there is none."""
    best = -1
    for i in range(len(keys)):
        if not taken[i] and (best < 0 or keys[i] < keys[best]):
            best = i
    return best


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
    """Start jobs in the queue's order while they fit; the first that does not blocks the others."""
    jobs = arrays.jobs
    start[:] = NEVER
    free = arrays.capacity - arrays.running.procs.sum()
    keys = order(jobs, arrays.now)
    taken = np.zeros(len(keys), np.bool_)
    while True:
        i = next_of(keys, taken)
        if i < 0 or jobs.procs[i] > free:
            return
        taken[i] = True
        start[i] = arrays.now
        free -= jobs.procs[i]
