"""The kernels of the decoder: permutation → plan, each job in turn at its earliest feasible start.

Only the decoder ensures feasibility. Whatever an optimizer works on, it passes an order, and decoding the jobs of any
feasible plan in the order of their starts never starts a job later than before. (Zheng et al. 2016, Section IV-C.)
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from planbatch.planner.columns import Permutation
from planbatch.planner.kernels.amounts import copy_entry, enough, give, set_entry, take
from planbatch.planner.kernels.futures import Futures, new_futures
from planbatch.planner.kernels.lending import entry_type
from planbatch.planner.kernels.native import borrowing_kernel, kernel, shared_kernel
from planbatch.planner.kernels.profile import (
    demands_of,
    fill_profile,
    new_amounts,
    processors_alone,
    room_for,
)
from planbatch.planner.kernels.sorting import copy_column, stable_order
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.round import RoundArrays

#: Number of jobs from which remembering bounds pays (measured by ``planbatch bench``).
MANY_JOBS = 100
CLASSES = 12


@borrowing_kernel
def fill_guarded(arrays: RoundArrays, times: IntArray, free: Any) -> int:
    """Write the profile of a round and a guard, negative and at a time never reached; return the size."""
    size = fill_profile(arrays, times, free)
    times[size] = NEVER * 2
    set_entry(free, size, -1)
    return size


@borrowing_kernel
def place_earliest(
    times: IntArray, free: Any, size: int, demand: Any, walltime: int, first: int
) -> tuple[int, int]:
    """Place a job at its earliest feasible breakpoint from ``first`` on; return the breakpoint and the new size.

    The profile is guarded (:func:`fill_guarded`), which saves two comparisons per breakpoint.
    """
    i = first
    while True:
        while not enough(free, i, demand):
            i += 1
        end = times[i] + walltime
        j = i + 1
        while enough(free, j, demand) and times[j] < end:
            j += 1
        if times[j] >= end:
            break
        i = j + 1
    for k in range(i, j):
        take(free, k, demand)
    if times[j] != end:
        size += 1
        for k in range(size, j, -1):
            times[k] = times[k - 1]
            copy_entry(free, k, k - 1)
        times[j] = end
        copy_entry(free, j, j - 1)
        give(free, j, demand)
    return i, size


@kernel
def scan(
    demands: Any,
    walltime: IntArray,
    order: Permutation,
    start: IntArray,
    times: IntArray,
    free: Any,
    size: int,
) -> None:
    """Place the jobs in their order on a guarded profile, each by a scan from the profile's beginning."""
    for job in order:
        i, size = place_earliest(times, free, size, demands[job], walltime[job], 0)
        start[job] = times[i]


@shared_kernel
def decode_linear(arrays: RoundArrays, order: Permutation, start: IntArray) -> None:
    """Write into ``start`` the plan of ``order``; each job scans the profile from its beginning."""
    room = room_for(arrays, len(order))
    times = np.empty(room, np.int64)
    free = new_amounts(arrays, room)
    size = fill_guarded(arrays, times, free)
    scan(demands_of(arrays), arrays.jobs.walltime, order, start, times, free, size)


class JobClasses(NamedTuple):
    """The data shared by all decodings of a round: its first profile, and size and length classes of its jobs.

    :func:`decode_bounded` remembers its bounds by class.

    Attributes
    ----------
    size_within, length_within : int64 arrays, shape (n,)
        The largest class whose lower limit the job reaches, -1 for none: bounds of that class hold for the job.
    size_above, length_above : int64 arrays, shape (n,)
        The smallest class whose lower limit is at least the job's: its start bounds the jobs of that class.
    times : int64 array, shape (k,)
        Breakpoints of the profile at the beginning of the round.
    free : int64 array, shape (k,) or (k, K)
        Free processors, or free amounts of all resources, from each on.
    demands : int64 array, shape (n,) or (n, K)
        Processors of each job, or its demands on all resources.
    futures : Futures
        The scenarios in which plans are judged; none if walltimes are taken as they are.
    """

    size_within: IntArray
    size_above: IntArray
    length_within: IntArray
    length_above: IntArray
    times: IntArray
    free: IntArray
    demands: IntArray
    futures: Futures


@kernel
def class_limits(values: IntArray) -> IntArray:
    """Return the lower limits of at most ``CLASSES`` classes: quantiles of the distinct values of a sample."""
    n = len(values)
    sample = np.empty(min(n, 96), np.int64)
    for i in range(len(sample)):
        sample[i] = values[i * n // len(sample)]
    sample = sample[stable_order(sample)]
    distinct = 0
    for i in range(len(sample)):
        if distinct == 0 or sample[i] != sample[distinct - 1]:
            sample[distinct] = sample[i]
            distinct += 1
    if distinct <= CLASSES:
        return sample[:distinct].copy()
    limits = np.empty(CLASSES, np.int64)
    for i in range(CLASSES):
        limits[i] = sample[i * distinct // CLASSES]
    return limits


@shared_kernel
def classify(arrays: RoundArrays) -> JobClasses:
    """Prepare a round for its decodings."""
    jobs = arrays.jobs
    room = room_for(arrays, 0)
    times = np.empty(room, np.int64)
    free = new_amounts(arrays, room)
    size = fill_guarded(arrays, times, free)
    sizes = class_limits(jobs.procs)
    lengths = class_limits(jobs.walltime)
    return JobClasses(
        np.searchsorted(sizes, jobs.procs, side="right") - 1,
        np.searchsorted(sizes, jobs.procs, side="left"),
        np.searchsorted(lengths, jobs.walltime, side="right") - 1,
        np.searchsorted(lengths, jobs.walltime, side="left"),
        times[: size + 1],
        free[: size + 1],
        demands_of(arrays),
        new_futures(arrays, 0, 0, 0.0),
    )


@kernel
def copy_profile(classes: JobClasses, times: IntArray, free: IntArray) -> int:
    """Write the first profile of a round, with its guard; return its size."""
    for i in range(len(classes.times)):
        times[i] = classes.times[i]
        free[i] = classes.free[i]
    return len(classes.times) - 1


@kernel
def scan_two(
    demands: IntArray,
    walltime: IntArray,
    order: Permutation,
    start: IntArray,
    times: IntArray,
    free: IntArray,
    other: IntArray,
    size: int,
) -> None:
    """:func:`scan` for two resources, whose free amounts are in two columns instead of rows."""
    for job in order:
        procs = demands[job, 0]
        more = demands[job, 1]
        length = walltime[job]
        i = 0
        while True:
            while free[i] < procs or other[i] < more:
                i += 1
            end = times[i] + length
            j = i + 1
            while free[j] >= procs and other[j] >= more and times[j] < end:
                j += 1
            if times[j] >= end:
                break
            i = j + 1
        start[job] = times[i]
        for k in range(i, j):
            free[k] -= procs
            other[k] -= more
        if times[j] != end:
            size += 1
            for k in range(size, j, -1):
                times[k] = times[k - 1]
                free[k] = free[k - 1]
                other[k] = other[k - 1]
            times[j] = end
            free[j] = free[j - 1] + procs
            other[j] = other[j - 1] + more


@shared_kernel
def scan_rows(
    arrays: RoundArrays, classes: JobClasses, order: Permutation, start: IntArray
) -> None:
    """Write into ``start`` the plan of ``order`` on a machine with several resources."""
    known = len(classes.times)
    room = known + len(order) + 2
    walltime = arrays.jobs.walltime
    times = np.empty(room, np.int64)
    for i in range(known):
        times[i] = classes.times[i]
    if classes.free.shape[1] == 2:
        free = np.empty(room, np.int64)
        other = np.empty(room, np.int64)
        for i in range(known):
            free[i] = classes.free[i, 0]
            other[i] = classes.free[i, 1]
        scan_two(classes.demands, walltime, order, start, times, free, other, known - 1)
        return
    rows = np.empty((room, classes.free.shape[1]), np.int64)
    for i in range(known):
        for k in range(classes.free.shape[1]):
            rows[i, k] = classes.free[i, k]
    scan(classes.demands, walltime, order, start, times, rows, known - 1)


@kernel
def decode_bounded(
    arrays: RoundArrays, classes: JobClasses, order: Permutation, start: IntArray
) -> None:
    """:func:`decode_linear` for many jobs: the same plan, without walking over the same breakpoints again."""
    room = len(classes.times) + len(order) + 2
    times = np.empty(room, np.int64)
    free = np.empty(room, np.int64)
    size = copy_profile(classes, times, free)
    scan_bounded(
        classes, arrays.jobs.walltime, classes.length_within, classes.length_above, order, start,
        times, free, size,
    )  # fmt: skip


@shared_kernel
def scan_bounded(
    classes: JobClasses,
    walltime: IntArray,
    length_within: IntArray,
    length_above: IntArray,
    order: Permutation,
    start: IntArray,
    times: IntArray,
    free: IntArray,
    size: int,
) -> None:
    """:func:`scan` for many jobs, with the length classes of their walltimes.

    Within one decoding free processors only shrink, so a job at least as large and as long as one that has been
    placed cannot start before it. ``first[a, b]`` is the largest index of a breakpoint at which a job of at most
    the lower limits of size class a and length class b was placed; breakpoints are only ever inserted, so the
    index remains a bound.
    """
    first = np.zeros((CLASSES, CLASSES), np.int64)
    for job in order:
        i = 0
        if classes.size_within[job] >= 0 and length_within[job] >= 0:
            i = first[classes.size_within[job], length_within[job]]
        i, size = place_earliest(times, free, size, classes.demands[job], walltime[job], i)
        start[job] = times[i]
        for a in range(classes.size_above[job], CLASSES):
            if length_above[job] == CLASSES or first[a, length_above[job]] >= i:
                break
            for b in range(length_above[job], CLASSES):
                if first[a, b] >= i:
                    break
                first[a, b] = i


@kernel
def keeps_promises(start: IntArray, latest: IntArray) -> bool:
    """Return whether no job starts after its promised latest start."""
    for i in range(len(start)):  # noqa: SIM110 (compiled)
        if start[i] > latest[i]:
            return False
    return True


@shared_kernel
def decode_amounts(
    arrays: RoundArrays, classes: JobClasses, order: Permutation, start: IntArray
) -> None:
    """:func:`decode_into` for processors alone."""
    if len(order) < MANY_JOBS:
        room = len(classes.times) + len(order) + 2
        times = np.empty(room, np.int64)
        free = np.empty(room, np.int64)
        size = copy_profile(classes, times, free)
        scan(arrays.jobs.procs, arrays.jobs.walltime, order, start, times, free, size)
    else:
        decode_bounded(arrays, classes, order, start)


def decode_into(
    arrays: RoundArrays, classes: JobClasses, order: Permutation, start: IntArray
) -> None:
    """Write into ``start`` the plan of ``order``, by the faster method for the number of jobs and resources."""
    decode: Any = decode_amounts if processors_alone(arrays) else scan_rows
    decode(arrays, classes, order, start)


@overload(decode_into, strict=False)
def _decode_into(arrays: Any, classes: Any, order: Any, start: Any) -> Any:
    if processors_alone(arrays):
        return lambda arrays, classes, order, start: decode_amounts(arrays, classes, order, start)
    return lambda arrays, classes, order, start: scan_rows(arrays, classes, order, start)


@borrowing_kernel
def decode_amounts_in(classes: JobClasses, k: int) -> None:
    """:func:`decode_in` for processors alone."""
    futures = classes.futures
    run, times, free = futures.run[k], futures.at, futures.left
    size = futures.size[k]
    copy_column(times, futures.times[k][: size + 1])
    copy_column(free, futures.free[k][: size + 1])
    if len(run) < MANY_JOBS:
        scan(classes.demands, run, futures.order, futures.start, times, free, size)
    else:
        within, above = futures.length_within[k], futures.length_above[k]
        scan_bounded(classes, run, within, above, futures.order, futures.start, times, free, size)


@borrowing_kernel
def decode_rows_in(classes: JobClasses, k: int) -> None:
    """:func:`decode_in` for several resources."""
    futures = classes.futures
    size = futures.size[k]
    copy_column(futures.at, futures.times[k][: size + 1])
    for i in range(size + 1):
        copy_column(futures.left[i], futures.free[k, i])
    scan(
        classes.demands, futures.run[k], futures.order, futures.start, futures.at, futures.left,
        size,
    )  # fmt: skip


def decode_in(classes: JobClasses, k: int) -> None:
    """Decode ``futures.order`` into ``futures.start`` if jobs take what a scenario says."""
    decode: Any = decode_amounts_in if classes.free.ndim == 1 else decode_rows_in
    decode(classes, k)


@overload(decode_in, strict=False)
def _decode_in(classes: Any, k: Any) -> Any:
    if entry_type(classes, "free").ndim == 1:
        return lambda classes, k: decode_amounts_in(classes, k)
    return lambda classes, k: decode_rows_in(classes, k)


def decode_once(arrays: RoundArrays, order: Permutation, start: IntArray) -> None:
    """Write into ``start`` the plan of ``order``, for rounds that are decoded only once."""
    decode: Any = decode_amounts_once if processors_alone(arrays) else decode_linear
    decode(arrays, order, start)


@overload(decode_once, strict=False)
def _decode_once(arrays: Any, order: Any, start: Any) -> Any:
    if processors_alone(arrays):
        return lambda arrays, order, start: decode_amounts_once(arrays, order, start)
    return lambda arrays, order, start: decode_linear(arrays, order, start)


@shared_kernel
def decode_amounts_once(arrays: RoundArrays, order: Permutation, start: IntArray) -> None:
    """:func:`decode_once` for processors alone."""
    if len(order) < MANY_JOBS:
        decode_linear(arrays, order, start)
    else:
        decode_bounded(arrays, classify(arrays), order, start)
