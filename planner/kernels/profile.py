"""The availability profile: free processors (and other resources) as a step function of time.

A profile is two columns, ``times`` and ``free``: from ``times[i]`` until ``times[i + 1]``, ``free[i]`` is free (see
:mod:`amounts`); the last entry holds for ever. This is the list of tuples (t, a) of Zheng et al. 2016, Section
IV-C, kept in arrays. The kernels below work on a prefix of length ``size`` of larger buffers and return the new size;
:class:`~planbatch.planner.profile.Profile` is the same in plain Python.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from planbatch.planner.kernels.amounts import (
    amount_of,
    at_least_nothing,
    copy_entry,
    enough,
    give,
    set_entry,
    take,
)
from planbatch.planner.kernels.blocks import any_at_most
from planbatch.planner.kernels.lending import entry_type
from planbatch.planner.kernels.native import (
    borrowing_kernel,
    kernel,
    shared_borrowing_kernel,
    shared_kernel,
)
from planbatch.planner.model import IntArray
from planbatch.planner.resources import Windows
from planbatch.planner.round import RoundArrays


def processors_alone(arrays: Any) -> bool:
    """Return whether processors are the only resource, of a round or of the numba type of one."""
    if isinstance(arrays, types.Type):
        return bool(entry_type(arrays, "capacities").dtype == types.int8)
    return len(arrays.capacities) == 0


@borrowing_kernel
def set_present_amount(arrays: RoundArrays, free: IntArray) -> None:
    """:func:`set_present` for processors alone."""
    free[0] = arrays.capacity
    for procs in arrays.running.procs:
        free[0] -= procs


@borrowing_kernel
def set_present_row(arrays: RoundArrays, free: IntArray) -> None:
    """:func:`set_present` for several resources."""
    running = arrays.running
    free[0, 0] = arrays.capacity
    for k in range(len(arrays.capacities)):
        free[0, 1 + k] = arrays.capacities[k]
    for i in range(len(running.procs)):
        free[0, 0] -= running.procs[i]
        for k in range(len(arrays.capacities)):
            free[0, 1 + k] -= running.demands[i, k]


@kernel
def free_now(arrays: RoundArrays) -> IntArray:
    """Return what the running jobs leave of all resources, the processors first; windows are not counted."""
    amounts = np.empty((1, 1 + len(arrays.capacities)), np.int64)
    set_present_row(arrays, amounts)
    return amounts[0]


def set_present(arrays: RoundArrays, free: Any) -> None:
    """Write what the running jobs leave at this moment into the first entry of ``free``; windows are not counted."""
    (set_present_amount if free.ndim == 1 else set_present_row)(arrays, free)


@overload(set_present, strict=False)
def _set_present(arrays: Any, free: Any) -> Any:
    if free.ndim == 1:
        return lambda arrays, free: set_present_amount(arrays, free)
    return lambda arrays, free: set_present_row(arrays, free)


def any_fits(arrays: RoundArrays) -> bool:
    """Return whether the demands of any waiting job are free at this moment (windows are not counted)."""
    return bool((any_amount_fits if processors_alone(arrays) else any_row_fits)(arrays))


@overload(any_fits, strict=False)
def _any_fits(arrays: Any) -> Any:
    if processors_alone(arrays):
        return lambda arrays: any_amount_fits(arrays)
    return lambda arrays: any_row_fits(arrays)


@borrowing_kernel
def any_amount_fits(arrays: RoundArrays) -> bool:
    """:func:`any_fits` for processors alone."""
    free = arrays.capacity
    for procs in arrays.running.procs:
        free -= procs
    return bool(any_at_most(arrays.jobs.procs, free))


@shared_kernel
def any_row_fits(arrays: RoundArrays) -> bool:
    """:func:`any_fits` for several resources."""
    jobs = arrays.jobs
    amounts = free_now(arrays)
    for i in range(len(jobs.procs)):  # noqa: SIM110 (compiled)
        if jobs.procs[i] <= amounts[0] and (jobs.demands[i] <= amounts[1:]).all():
            return True
    return False


@borrowing_kernel
def overdrawn(free: Any, size: int) -> bool:
    """Return whether any of the first ``size`` entries is negative."""
    for amount in free[:size].flat:  # noqa: SIM110 (compiled)
        if amount < 0:
            return True
    return False


@kernel
def all_capacities(arrays: RoundArrays) -> IntArray:
    """Return the capacities of all resources, the processors first."""
    amounts = np.empty(1 + len(arrays.capacities), np.int64)
    amounts[0] = arrays.capacity
    for k in range(len(arrays.capacities)):
        amounts[1 + k] = arrays.capacities[k]
    return amounts


@kernel
def all_demands(procs: IntArray, demands: IntArray) -> IntArray:
    """Return the demands of jobs on all resources, the processors first; shape (n, K)."""
    table = np.empty((len(procs), 1 + demands.shape[1]), np.int64)
    for i in range(len(procs)):
        table[i, 0] = procs[i]
        for k in range(demands.shape[1]):
            table[i, 1 + k] = demands[i, k]
    return table


def demands_of(arrays: RoundArrays) -> IntArray:
    """Return what the waiting jobs take: processors, shape (n,), or amounts of all resources, shape (n, K)."""
    jobs = arrays.jobs
    return jobs.procs if processors_alone(arrays) else all_demands(jobs.procs, jobs.demands)  # type: ignore[no-any-return]


@overload(demands_of, strict=False)
def _demands_of(arrays: Any) -> Any:
    if processors_alone(arrays):
        return lambda arrays: arrays.jobs.procs
    return lambda arrays: all_demands(arrays.jobs.procs, arrays.jobs.demands)


def new_amounts(arrays: RoundArrays, room: int) -> IntArray:
    """Return a buffer for the free amounts of a profile: shape (room,), or (room, K) with several resources."""
    shape = room if processors_alone(arrays) else (room, 1 + len(arrays.capacities))
    return np.empty(shape, np.int64)


@overload(new_amounts, strict=False)
def _new_amounts(arrays: Any, room: Any) -> Any:
    if processors_alone(arrays):
        return lambda arrays, room: np.empty(room, np.int64)
    return lambda arrays, room: np.empty((room, 1 + len(arrays.capacities)), np.int64)


def new_amount_tables(arrays: RoundArrays, count: int, room: int) -> IntArray:
    """Return buffers for several profiles: shape (count, room), or (count, room, K) with several resources."""
    rows = (count, room)
    shape = rows if processors_alone(arrays) else (*rows, 1 + len(arrays.capacities))
    return np.empty(shape, np.int64)


@overload(new_amount_tables, strict=False)
def _new_amount_tables(arrays: Any, count: Any, room: Any) -> Any:
    if processors_alone(arrays):
        return lambda arrays, count, room: np.empty((count, room), np.int64)
    return lambda arrays, count, room: np.empty((count, room, 1 + len(arrays.capacities)), np.int64)


@kernel(inline="always")
def room_for(arrays: RoundArrays, reservations: int) -> int:
    """Return the most breakpoints of a profile: 1 per running job, 2 per window and reservation, and the guard."""
    return len(arrays.running.procs) + 2 * len(arrays.windows.start) + 2 * reservations + 3


@shared_borrowing_kernel
def fill_running(
    now: int, capacity: Any, demands: Any, ends: IntArray, times: IntArray, free: Any
) -> int:
    """Write the profile left by the running jobs (sorted by end) and return its size (at most m + 1)."""
    times[0] = now
    set_entry(free, 0, capacity)
    for i in range(len(ends)):
        take(free, 0, demands[i])
    size = 1
    for i in range(len(ends)):
        if ends[i] > times[size - 1]:
            times[size] = ends[i]
            copy_entry(free, size, size - 1)
            size += 1
        give(free, size - 1, demands[i])
    return size


@kernel
def withdraw(windows: Windows, times: IntArray, free: Any, size: int) -> int:
    """Subtract the windows from a profile and return the new size.

    If running jobs hold what a window takes, nothing is free (and not less).
    """
    now = times[0]
    for w in range(len(windows.start)):
        if windows.end[w] > now:
            begin = max(now, windows.start[w])
            amount = amount_of(windows.amounts, w, free)
            size = take_between(times, free, size, begin, windows.end[w], amount)
    for i in range(size):
        at_least_nothing(free, i)
    return size


@borrowing_kernel
def fill_amounts(arrays: RoundArrays, times: IntArray, free: IntArray) -> int:
    """:func:`fill_profile` for processors alone."""
    running = arrays.running
    size = fill_running(arrays.now, arrays.capacity, running.procs, running.end, times, free)
    if len(arrays.windows.start):
        size = withdraw(arrays.windows, times, free, size)
    return size


@shared_kernel
def fill_rows(arrays: RoundArrays, times: IntArray, free: IntArray) -> int:
    """:func:`fill_profile` for several resources."""
    running = arrays.running
    demands = all_demands(running.procs, running.demands)
    size = fill_running(arrays.now, all_capacities(arrays), demands, running.end, times, free)
    if len(arrays.windows.start):
        size = withdraw(arrays.windows, times, free, size)
    return size


def fill_profile(arrays: RoundArrays, times: IntArray, free: Any) -> int:
    """Write the profile that a round begins with and return its size (at most m + 1, and 2 per window).

    ``free`` has the shape (room,) if processors are the only resource, otherwise (room, K).
    """
    fill = fill_amounts if free.ndim == 1 else fill_rows
    return int(fill(arrays, times, free))


@overload(fill_profile, strict=False)
def _fill_profile(arrays: Any, times: Any, free: Any) -> Any:
    if free.ndim == 1:
        return lambda arrays, times, free: fill_amounts(arrays, times, free)
    return lambda arrays, times, free: fill_rows(arrays, times, free)


@borrowing_kernel
def earliest_index(
    times: IntArray, free: Any, size: int, demand: Any, walltime: int, first: int
) -> int:
    """Return the first breakpoint, from ``first`` on, at which a demand is free for ``walltime`` seconds."""
    i = first
    while True:
        while not enough(free, i, demand):
            i += 1
        end = times[i] + walltime
        j = i + 1
        while j < size and times[j] < end and enough(free, j, demand):
            j += 1
        if j == size or times[j] >= end:
            return i
        i = j + 1


@borrowing_kernel
def place(times: IntArray, free: Any, size: int, i: int, demand: Any, walltime: int) -> int:
    """Take a demand from breakpoint ``i`` on for ``walltime`` seconds; return the new size."""
    end = times[i] + walltime
    j = i
    while j < size and times[j] < end:
        take(free, j, demand)
        j += 1
    if j == size or times[j] > end:
        for k in range(size, j, -1):
            times[k] = times[k - 1]
            copy_entry(free, k, k - 1)
        times[j] = end
        copy_entry(free, j, j - 1)
        give(free, j, demand)
        size += 1
    return size


@borrowing_kernel
def index_at(times: IntArray, size: int, when: int) -> int:
    """Return the index of the last breakpoint that is not after ``when`` (0 if all are)."""
    low = 0
    high = size
    while high - low > 1:
        middle = (low + high) // 2
        if times[middle] <= when:
            low = middle
        else:
            high = middle
    return low


@borrowing_kernel
def split_at(times: IntArray, free: Any, size: int, i: int, when: int) -> int:
    """Insert a breakpoint at ``when`` after breakpoint ``i``, unless there is one, and return the new size.

    ``i`` is the index of the last breakpoint that is not after ``when``.
    """
    if times[i] == when:
        return size
    for j in range(size, i + 1, -1):
        times[j] = times[j - 1]
        copy_entry(free, j, j - 1)
    times[i + 1] = when
    copy_entry(free, i + 1, i)
    return size + 1


@borrowing_kernel
def take_between(times: IntArray, free: Any, size: int, start: int, end: int, demand: Any) -> int:
    """Take a demand from ``start`` to ``end`` and return the new size (at most + 2)."""
    first, last, size = split_between(times, free, size, start, end)
    for j in range(first, last):
        take(free, j, demand)
    return size


@borrowing_kernel
def give_between(times: IntArray, free: Any, size: int, start: int, end: int, demand: Any) -> int:
    """Give a demand back from ``start`` to ``end`` and return the new size (at most + 2)."""
    first, last, size = split_between(times, free, size, start, end)
    for j in range(first, last):
        give(free, j, demand)
    return size


@kernel
def split_between(
    times: IntArray, free: Any, size: int, start: int, end: int
) -> tuple[int, int, int]:
    """Insert breakpoints at ``start`` and ``end``; return their indices and the new size."""
    first = index_at(times, size, start)
    size = split_at(times, free, size, first, start)
    if times[first] != start:
        first += 1
    last = index_at(times, size, end)
    size = split_at(times, free, size, last, end)
    if times[last] != end:
        last += 1
    return first, last, size


@borrowing_kernel
def fits_at(times: IntArray, free: Any, size: int, demand: Any, start: int, end: int) -> bool:
    """Return whether a demand is free from ``start`` to ``end``."""
    j = index_at(times, size, start)
    while j < size and times[j] < end:
        if not enough(free, j, demand):
            return False
        j += 1
    return True
