"""EASY backfilling: jobs may overtake as long as the first that is blocked starts no later."""

from typing import Any

import numpy as np

from baselines.fcfs import next_of
from planner.model import NEVER, FloatArray, IntArray
from planner.native import kernel
from planner.round import RoundArrays


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
    """Design rule 6: start in order while jobs fit; the first blocked one gets the shadow time; backfill.

    The *shadow time* is the earliest moment at which, by the expected ends, the blocked job has enough processors,
    the *extra* processors are those left over at that moment (Lifka 1995; Mu'alem and Feitelson 2001).
    """
    jobs = arrays.jobs
    n = len(jobs.procs)
    start[:] = NEVER
    free = arrays.capacity - arrays.running.procs.sum()
    if jobs.procs.min() > free:
        return
    keys = order(jobs, arrays.now)
    taken = np.zeros(n, np.bool_)
    blocked = next_of(keys, taken)
    while blocked >= 0 and jobs.procs[blocked] <= free:
        taken[blocked] = True
        start[blocked] = arrays.now
        free -= jobs.procs[blocked]
        blocked = next_of(keys, taken)
    if blocked < 0 or free == 0:
        return
    shadow, extra = shadow_time(arrays, taken, free, jobs.procs[blocked])
    taken[blocked] = True
    candidates = np.flatnonzero((jobs.procs <= free) & ~taken)
    for i in candidates[np.argsort(keys[candidates], kind="mergesort")]:
        procs = jobs.procs[i]
        if procs > free:
            continue
        if arrays.now + jobs.walltime[i] > shadow:
            if procs > extra:
                continue
            extra -= procs
        start[i] = arrays.now
        free -= procs


@kernel
def shadow_time(arrays: RoundArrays, started: IntArray, free: int, procs: int) -> tuple[int, int]:
    """When the blocked job has enough processors, and how many are left over then.

    ``started`` marks the waiting jobs that have just been started: they run, and count with the estimate of running
    jobs. ``free`` are the processors left.
    """
    running = arrays.running
    new = np.flatnonzero(started)
    ends = np.concatenate((running.end, arrays.now + arrays.occupied[new]))
    sizes = np.concatenate((running.procs, arrays.jobs.procs[new]))
    by_end = np.argsort(ends, kind="mergesort") if len(new) else np.arange(len(ends))
    i = 0
    shadow = arrays.now
    while free < procs:
        shadow = ends[by_end[i]]
        while i < len(by_end) and ends[by_end[i]] == shadow:
            free += sizes[by_end[i]]
            i += 1
    return shadow, free - procs
