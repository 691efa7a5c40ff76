"""Conservative backfilling that keeps its reservations."""

from typing import Any

import numpy as np

from planner.model import NEVER, BoolArray, FloatArray, IntArray
from planner.native import kernel
from planner.profile import change_between, earliest_index, fill_profile, place
from planner.round import RoundArrays


@kernel
def reserve_all(arrays: RoundArrays, start: IntArray, times: IntArray, free: IntArray) -> int:
    """Write the profile of the running jobs and of every reservation in ``start``; return its size, or -1.

    -1 says that the reservations no longer fit: one lies in the past, or running jobs hold on to processors for
    longer than was expected when the reservation was made (only with ``mixed`` estimates).
    """
    size = fill_profile(arrays.now, arrays.capacity, arrays.running, times, free)
    for i in range(len(start)):
        if start[i] != NEVER:
            if start[i] < arrays.now:
                return -1
            end = start[i] + arrays.jobs.walltime[i]
            size = change_between(times, free, size, start[i], end, -arrays.jobs.procs[i])
    if free[:size].min() < 0:
        return -1
    return size


@kernel
def earlier_index(
    times: IntArray, free: IntArray, size: int, procs: int, walltime: int, reserved: int
) -> int:
    """Index of the earliest breakpoint before ``reserved`` where the job fits once it gives up its reservation.

    -1 if it fits nowhere earlier. The reservation is still in the profile: from ``reserved`` on, for the walltime,
    the job's own processors count as free.
    """
    i = 0
    while i < size and times[i] < reserved:
        if free[i] < procs:
            i += 1
            continue
        end = times[i] + walltime
        j = i + 1
        while j < size and times[j] < end:
            own = procs if reserved <= times[j] < reserved + walltime else 0
            if free[j] + own < procs:
                break
            j += 1
        if j == size or times[j] >= end:
            return i
        i = j + 1
    return -1


@kernel
def decide_conservative(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """Design rule 7: keep reservations, improve them in FCFS order after an early end, then admit new jobs."""
    jobs = arrays.jobs
    n = len(jobs.procs)
    room = len(arrays.running.procs) + 2 * n + 8  # two breakpoints a job, and slack for a move
    times = np.empty(room, np.int64)
    free = np.empty(room, np.int64)
    start[:] = arrays.planned
    size = reserve_all(arrays, start, times, free)
    if size < 0:
        size = reserve_again(arrays, start, times, free)
    if arrays.ended_early:
        size = advance_all(arrays, np.ones(n, np.bool_), start, times, free, size)
    for i in range(n):
        if start[i] == NEVER:
            j = earliest_index(times, free, size, jobs.procs[i], jobs.walltime[i], 0)
            start[i] = times[j]
            size = place(times, free, size, j, jobs.procs[i], jobs.walltime[i])


@kernel
def advance_all(
    arrays: RoundArrays,
    takes_part: BoolArray,
    start: IntArray,
    times: IntArray,
    free: IntArray,
    size: int,
) -> int:
    """Let jobs, one at a time in FCFS order, give up their reservation for the earliest that fits; return the size.

    ``takes_part`` marks the jobs that may move; their reservations in ``start`` are in the profile. No start gets
    later.
    """
    for i in range(len(start)):
        if not takes_part[i] or start[i] == NEVER or start[i] == arrays.now:
            continue
        procs = arrays.jobs.procs[i]
        walltime = arrays.jobs.walltime[i]
        better = earlier_index(times, free, size, procs, walltime, start[i])
        if better >= 0:
            when = times[better]
            if size + 3 > len(times):
                size = drop_idle_breakpoints(times, free, size)
            size = change_between(times, free, size, start[i], start[i] + walltime, procs)
            size = change_between(times, free, size, when, when + walltime, -procs)
            start[i] = when
    return drop_idle_breakpoints(times, free, size)


@kernel
def drop_idle_breakpoints(times: IntArray, free: IntArray, size: int) -> int:
    """Remove breakpoints at which nothing changes; return the new size."""
    kept = 1
    for i in range(1, size):
        if free[i] != free[kept - 1]:
            times[kept] = times[i]
            free[kept] = free[i]
            kept += 1
    return kept


@kernel
def reserve_again(arrays: RoundArrays, start: IntArray, times: IntArray, free: IntArray) -> int:
    """Give every reservation, in the order of the starts, the earliest start that still fits."""
    size = fill_profile(arrays.now, arrays.capacity, arrays.running, times, free)
    for i in np.argsort(start, kind="mergesort"):
        if start[i] != NEVER:
            procs = arrays.jobs.procs[i]
            j = earliest_index(times, free, size, procs, arrays.jobs.walltime[i], 0)
            start[i] = times[j]
            size = place(times, free, size, j, procs, arrays.jobs.walltime[i])
    return size
