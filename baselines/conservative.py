"""Conservative backfilling that keeps its reservations."""

from typing import Any

import numpy as np

from planbatch.planner.kernels.amounts import copy_entry, enough, same
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.kernels.profile import (
    demands_of,
    earliest_index,
    fill_profile,
    give_between,
    new_amounts,
    overdrawn,
    place,
    room_for,
    take_between,
)
from planbatch.planner.kernels.sorting import copy_column, stable_order
from planbatch.planner.model import NEVER, FloatArray, IntArray
from planbatch.planner.round import RoundArrays


@borrowing_kernel
def reserve_all(
    arrays: RoundArrays, demands: Any, start: IntArray, times: IntArray, free: Any
) -> int:
    """Write the profile of the running jobs and of every reservation in ``start``; return its size, or -1.

    -1 means that the reservations no longer fit: one lies in the past, running jobs keep processors for longer than
    expected when the reservation was made (only with ``mixed`` estimates), or a part of the machine is unavailable.
    """
    size = fill_profile(arrays, times, free)
    for i in range(len(start)):
        if start[i] != NEVER:
            if start[i] < arrays.now:
                return -1
            end = start[i] + arrays.jobs.walltime[i]
            size = take_between(times, free, size, start[i], end, demands[i])
    return -1 if overdrawn(free, size) else size


@borrowing_kernel
def earlier_index(
    times: IntArray, free: Any, size: int, demand: Any, walltime: int, reserved: int
) -> int:
    """Index of the earliest breakpoint before ``reserved`` at which the job fits once it gives up its reservation.

    -1 if it fits nowhere earlier. The reservation is still in the profile: from ``reserved`` on, for the walltime,
    the job's own processors count as free.
    """
    i = 0
    while i < size and times[i] < reserved:
        if not enough(free, i, demand):
            i += 1
            continue
        end = times[i] + walltime
        j = i + 1
        while j < size and times[j] < end:
            own = reserved <= times[j] < reserved + walltime
            if not own and not enough(free, j, demand):
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
    room = room_for(arrays, len(start) + 3)
    times = np.empty(room, np.int64)
    keep_reservations(arrays, demands_of(arrays), start, times, new_amounts(arrays, room))


@kernel
def keep_reservations(
    arrays: RoundArrays, demands: Any, start: IntArray, times: IntArray, free: Any
) -> None:
    """:func:`decide_conservative`, for one resource or for several; ``times`` and ``free`` are buffers."""
    n = len(start)
    walltime = arrays.jobs.walltime
    copy_column(start, arrays.planned)
    size = reserve_all(arrays, demands, start, times, free)
    if size < 0:
        size = reserve_again(arrays, demands, start, times, free)
    if arrays.ended_early:
        size = advance_all(arrays, demands, np.arange(n), start, times, free, size)
    for i in range(n):
        if start[i] == NEVER:
            j = earliest_index(times, free, size, demands[i], walltime[i], 0)
            start[i] = times[j]
            size = place(times, free, size, j, demands[i], walltime[i])


@borrowing_kernel
def advance_all(
    arrays: RoundArrays,
    demands: Any,
    order: IntArray,
    start: IntArray,
    times: IntArray,
    free: Any,
    size: int,
) -> int:
    """Let jobs, one at a time, give up their reservation for the earliest that fits; return the size.

    ``order`` names the jobs that may move, in the order of their turns; their reservations in ``start`` are in the
    profile. No start gets later.
    """
    for i in order:
        if start[i] == NEVER or start[i] == arrays.now:
            continue
        demand = demands[i]
        walltime = arrays.jobs.walltime[i]
        better = earlier_index(times, free, size, demand, walltime, start[i])
        if better >= 0:
            when = times[better]
            if size + 3 > len(times):
                size = drop_idle_breakpoints(times, free, size)
            size = give_between(times, free, size, start[i], start[i] + walltime, demand)
            size = take_between(times, free, size, when, when + walltime, demand)
            start[i] = when
    return drop_idle_breakpoints(times, free, size)


@borrowing_kernel
def drop_idle_breakpoints(times: IntArray, free: Any, size: int) -> int:
    """Remove breakpoints at which nothing changes; return the new size."""
    kept = 1
    for i in range(1, size):
        if not same(free, i, kept - 1):
            times[kept] = times[i]
            copy_entry(free, kept, i)
            kept += 1
    return kept


@kernel
def reserve_again(
    arrays: RoundArrays, demands: Any, start: IntArray, times: IntArray, free: Any
) -> int:
    """Give every reservation, in the order of the starts, the earliest start that still fits."""
    size = fill_profile(arrays, times, free)
    for i in stable_order(start):
        if start[i] != NEVER:
            walltime = arrays.jobs.walltime[i]
            j = earliest_index(times, free, size, demands[i], walltime, 0)
            start[i] = times[j]
            size = place(times, free, size, j, demands[i], walltime)
    return size
