"""After an early end, waiting jobs give up their reservations for earlier ones, one job at a time (design rule 7)."""

from typing import Any

from numba.extending import overload

from planbatch.baselines.openings import earliest_opening, no_openings_known, note_freed
from planbatch.planner.kernels.amounts import copy_entry, enough, same
from planbatch.planner.kernels.native import (
    borrowing_kernel,
    shared_borrowing_kernel,
    shared_kernel,
)
from planbatch.planner.kernels.profile import (
    give_between,
    index_at,
    processors_alone,
    split_between,
    take_between,
)
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.round import RoundArrays

#: Number of waiting jobs from which remembering openings pays (measured on real logs).
MANY_JOBS = 100


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


@shared_borrowing_kernel
def advance_each(
    arrays: RoundArrays,
    demands: Any,
    order: IntArray,
    start: IntArray,
    times: IntArray,
    free: Any,
    size: int,
) -> int:
    """:func:`advance_all` for few jobs or several resources: every job walks over the profile."""
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
def slide(
    times: IntArray, free: IntArray, size: int, demand: int, walltime: int, reserved: int
) -> int:
    """Index of the first breakpoint from which the demand is free without a break until the job's own reservation.

    -1 if there is none; it is less than a walltime before the reservation, so that the job needs processors of its own.
    """
    i = index_at(times, size, reserved - 1)
    if times[i] >= reserved or free[i] < demand:
        return -1
    while i > 0 and free[i - 1] >= demand and times[i - 1] > reserved - walltime:
        i -= 1
    return i


@borrowing_kernel
def insert_end(times: IntArray, free: IntArray, at: int, spare: int, end: int) -> None:
    """Insert a breakpoint at ``end`` behind breakpoint ``at``; those before index ``spare`` make room."""
    for k in range(spare, at + 1, -1):
        times[k] = times[k - 1]
    for k in range(spare, at + 1, -1):
        free[k] = free[k - 1]
    times[at + 1] = end
    free[at + 1] = free[at]


@borrowing_kernel
def move_forward(
    times: IntArray, free: IntArray, size: int, at: int, reserved: int, walltime: int, demand: int
) -> int:
    """Move a reservation to the earlier breakpoint ``at``; return the size.

    If nothing changes any more at the old end, its breakpoint becomes that of the new one.
    """
    first, last, size = split_between(times, free, size, reserved, reserved + walltime)
    for k in range(first, last):
        free[k] += demand
    end = times[at] + walltime
    stop = index_at(times, size, end)
    if times[stop] != end:
        idle = stop < last < size and free[last] == free[last - 1]
        insert_end(times, free, stop, last if idle else size, end)
        size += not idle
        stop += 1
    for k in range(at, stop):
        free[k] -= demand
    return size


@shared_kernel
def advance_amounts(
    arrays: RoundArrays,
    demands: IntArray,
    order: IntArray,
    start: IntArray,
    times: IntArray,
    free: IntArray,
    size: int,
) -> int:
    """:func:`advance_all` for processors alone: where many jobs wait, what one finds others need not look for."""
    if len(order) < MANY_JOBS:
        return int(advance_each(arrays, demands, order, start, times, free, size))
    known = no_openings_known(demands, arrays.now)
    for i in order:
        reserved, walltime = start[i], arrays.jobs.walltime[i]
        if reserved == NEVER or reserved == arrays.now:
            continue
        better = earliest_opening(
            known, known.demand[i], times, free, size, demands[i], walltime, reserved
        )
        if better < 0:
            better = slide(times, free, size, demands[i], walltime, reserved)
        if better >= 0:
            start[i] = times[better]
            if size + 3 > len(times):
                size = drop_idle_breakpoints(times, free, size)
                better = index_at(times, size, start[i])
            size = move_forward(times, free, size, better, reserved, walltime, demands[i])
            freed = max(reserved, start[i] + walltime)
            note_freed(known, times, free, size, freed, reserved + walltime, demands[i])
    return drop_idle_breakpoints(times, free, size)


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
    advance: Any = advance_amounts if processors_alone(arrays) else advance_each
    return int(advance(arrays, demands, order, start, times, free, size))


@overload(advance_all, strict=False)
def _advance_all(
    arrays: Any, demands: Any, order: Any, start: Any, times: Any, free: Any, size: Any
) -> Any:
    if processors_alone(arrays):
        return lambda arrays, demands, order, start, times, free, size: advance_amounts(
            arrays, demands, order, start, times, free, size
        )
    return lambda arrays, demands, order, start, times, free, size: advance_each(
        arrays, demands, order, start, times, free, size
    )


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
