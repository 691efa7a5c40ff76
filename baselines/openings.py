"""Where a demand may be free for longer: what is remembered while reservations move forward, one after the other.

A job that looks for an earlier start would walk over the whole profile, and most find nothing. For each demand, a few
*steps* remember what earlier walks found: no opening of that demand that begins before ``begin[c, k + 1]`` is longer
than ``length[c, k]``. Reservations that are taken only make openings shorter, so steps stay true; where a job gives up
its reservation, openings are looked at again, for each demand when it is next asked for.
"""

from typing import NamedTuple

import numpy as np

from planbatch.planner.kernels.native import borrowing_kernel, kernel, shared_kernel
from planbatch.planner.kernels.profile import index_at
from planbatch.planner.model import NEVER, IntArray

#: So many steps are kept for a demand. Of more, the last are forgotten.
STEPS = 32


class Openings(NamedTuple):
    """What is known of the openings in a profile, and where more became free.

    Attributes
    ----------
    demand : int64 array, shape (n,)
        The row c of each job's number of processors.
    begin, length : int64 arrays, shape (c, STEPS)
        Steps: openings that begin from ``begin[c, k]`` on, and before the next step, last ``length[c, k]`` s at most.
        The last step of a row has the length ``NEVER``: nothing is known from there on.
    steps : int64 array, shape (c,)
        How many there are.
    seen : int64 array, shape (c,)
        How many of the intervals below the steps of this row know of.
    freed : int64 array, shape (n, 4)
        Intervals in which more became free: begin, end, and how much was free at least before and is at most after.
    freed_count : int64 array, shape (1,)
        How many there are.
    """

    demand: IntArray
    begin: IntArray
    length: IntArray
    steps: IntArray
    seen: IntArray
    freed: IntArray
    freed_count: IntArray


@kernel
def number_demands(procs: IntArray, numbers: IntArray) -> int:
    """Give equal numbers of processors equal numbers 0, 1, …; return how many there are."""
    slots = 64
    while slots < 2 * len(procs):
        slots *= 2
    first = np.empty(slots, np.int64)
    for slot in range(slots):
        first[slot] = -1
    count = 0
    for i in range(len(procs)):
        slot = (procs[i] * 2654435761 >> 7) & (slots - 1)
        while first[slot] >= 0 and procs[first[slot]] != procs[i]:
            slot = (slot + 1) & (slots - 1)
        if first[slot] < 0:
            first[slot] = i
            numbers[i] = count
            count += 1
        else:
            numbers[i] = numbers[first[slot]]
    return count


@shared_kernel
def no_openings_known(procs: IntArray, now: int) -> Openings:
    """Return openings of which nothing is known yet."""
    n = len(procs)
    demand = np.empty(n, np.int64)
    rows = number_demands(procs, demand)
    begin, length = np.empty((rows, STEPS), np.int64), np.empty((rows, STEPS), np.int64)
    steps, seen = np.empty(rows, np.int64), np.empty(rows, np.int64)
    for c in range(rows):
        begin[c, 0], length[c, 0] = now, NEVER
        steps[c], seen[c] = 1, 0
    freed, freed_count = np.empty((n, 4), np.int64), np.empty(1, np.int64)
    freed_count[0] = 0
    return Openings(demand, begin, length, steps, seen, freed, freed_count)


@borrowing_kernel
def remove_steps(known: Openings, c: int, first: int, last: int) -> None:
    """Remove the steps from ``first`` to before ``last``."""
    gap = last - first
    if gap:
        for k in range(last, known.steps[c]):
            known.begin[c, k - gap] = known.begin[c, k]
            known.length[c, k - gap] = known.length[c, k]
        known.steps[c] -= gap


@borrowing_kernel
def insert_step(known: Openings, c: int, k: int, begin: int, length: int) -> None:
    """Insert a step before step ``k``; if there is no room, the last of a known length is forgotten."""
    n = known.steps[c]
    if n == STEPS:
        n -= 1
        known.steps[c] = n
        known.length[c, n - 1] = NEVER
        if k == n:
            return
    for j in range(n, k, -1):
        known.begin[c, j] = known.begin[c, j - 1]
        known.length[c, j] = known.length[c, j - 1]
    known.begin[c, k], known.length[c, k] = begin, length
    known.steps[c] = n + 1


@borrowing_kernel
def note_opening(known: Openings, c: int, begin: int, length: int) -> None:
    """Let the steps know that there may be an opening."""
    n = known.steps[c]
    k = 0
    while k < n and known.begin[c, k] <= begin:
        k += 1
    if known.length[c, k - 1] >= length:
        return
    last = k
    while known.length[c, last] <= length:
        last += 1
    if known.begin[c, k - 1] == begin:
        k -= 1
    if last > k:
        known.begin[c, k], known.length[c, k] = begin, length
        remove_steps(known, c, k + 1, last)
    else:
        insert_step(known, c, k, begin, length)


@borrowing_kernel
def note_none(known: Openings, c: int, k: int, walltime: int, until: int) -> None:
    """Let the steps know that from step ``k`` on, no opening that begins before ``until`` lasts for a walltime."""
    begin = known.begin[c, k]
    last = k
    while last + 1 < known.steps[c] and known.begin[c, last + 1] <= until:
        last += 1
    length = known.length[c, last]
    remove_steps(known, c, k, last)
    known.begin[c, k], known.length[c, k] = until, length
    if k == 0 or known.length[c, k - 1] < walltime - 1:
        insert_step(known, c, k, begin, walltime - 1)


@borrowing_kernel
def look_again(
    known: Openings, c: int, times: IntArray, free: IntArray, size: int, demand: int, row: int
) -> None:
    """Note the openings that meet an interval in which more became free."""
    begin, end = known.freed[row, 0], known.freed[row, 1]
    i = index_at(times, size, begin)
    while i > 0 and free[i] >= demand and free[i - 1] >= demand:
        i -= 1
    while i < size and times[i] < end:
        if free[i] < demand:
            i += 1
            continue
        j = i + 1
        while j < size and free[j] >= demand:
            j += 1
        note_opening(known, c, times[i], times[j] - times[i] if j < size else NEVER - 1)
        i = j


@borrowing_kernel
def look_where_freed(
    known: Openings, c: int, times: IntArray, free: IntArray, size: int, demand: int
) -> None:
    """Bring the steps of a demand up to date with the intervals in which more became free since it was last asked for.

    Openings that nothing is known of, and that meet none of those that something is known of, are left out.
    """
    for row in range(known.seen[c], known.freed_count[0]):
        last = known.steps[c] - 1
        if last == 0:
            break
        beyond = known.begin[c, last] + known.length[c, last - 1] < known.freed[row, 0]
        if not beyond and known.freed[row, 2] < demand <= known.freed[row, 3]:
            look_again(known, c, times, free, size, demand, row)
    known.seen[c] = known.freed_count[0]


@borrowing_kernel
def earliest_opening(
    known: Openings,
    c: int,
    times: IntArray,
    free: IntArray,
    size: int,
    demand: int,
    walltime: int,
    until: int,
) -> int:
    """Return the first breakpoint from which a demand is free for a walltime that ends by ``until``; -1 for none."""
    look_where_freed(known, c, times, free, size, demand)
    k = 0
    while known.length[c, k] < walltime:
        k += 1
    if known.begin[c, k] + walltime > until:
        return -1
    i = index_at(times, size, known.begin[c, k])
    found = -1
    while i < size and times[i] + walltime <= until:
        if free[i] < demand:
            i += 1
            continue
        end = times[i] + walltime
        j = i + 1
        while j < size and times[j] < end and free[j] >= demand:
            j += 1
        if j == size or times[j] >= end:
            found = i
            break
        i = j + 1
    stop = times[i] if i < size else NEVER
    if stop > known.begin[c, k]:
        note_none(known, c, k, walltime, stop)
    return found


@borrowing_kernel
def note_freed(
    known: Openings, times: IntArray, free: IntArray, size: int, begin: int, end: int, more: int
) -> None:
    """Note that from ``begin`` to ``end`` so many processors more are free than before."""
    row = known.freed_count[0]
    least, most = NEVER, 0
    k = index_at(times, size, begin)
    while k < size and times[k] < end:
        least, most = min(least, free[k] - more), max(most, free[k])
        k += 1
    known.freed[row, 0], known.freed[row, 1] = begin, end
    known.freed[row, 2], known.freed[row, 3] = least, most
    known.freed_count[0] = row + 1
