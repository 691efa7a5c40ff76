"""Many reservations at once: the profile that they leave, in one pass over their starts and ends.

Taking reservations one by one moves the breakpoints behind each of them; where ten thousand jobs wait, that takes
most of a round.
"""

from typing import Any

import numpy as np

from planbatch.planner.columns import Permutation
from planbatch.planner.kernels.amounts import give, set_entry, take
from planbatch.planner.kernels.native import (
    borrowing_kernel,
    shared_borrowing_kernel,
    shared_kernel,
)
from planbatch.planner.kernels.profile import new_amounts
from planbatch.planner.kernels.sorting import stable_order
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.round import RoundArrays

#: Fewer reservations are better taken one by one.
FEW_RESERVATIONS = 64
#: Fewer instants than this are sorted by comparison, more by their digits.
FEW = 256
#: Digits have so many bits.
DIGIT = 11


@borrowing_kernel
def sort_by_digit(
    keys: IntArray, shift: int, order: Permutation, sorted_order: Permutation, places: IntArray
) -> None:
    """Sort an order by one digit of its keys; equal digits keep their order. ``places`` is a buffer."""
    mask = len(places) - 1
    for digit in range(len(places)):
        places[digit] = 0
    for key in keys:
        places[(key >> shift) & mask] += 1
    before = 0
    for digit in range(len(places)):
        count = places[digit]
        places[digit] = before
        before += count
    for entry in order:
        digit = (keys[entry] >> shift) & mask
        sorted_order[places[digit]] = entry
        places[digit] += 1


@shared_kernel
def order_of_instants(keys: IntArray) -> Permutation:
    """Return a stable order of numbers that are not negative: by comparison, or, of many, digit by digit."""
    n = len(keys)
    if n < FEW:
        return stable_order(keys)
    largest = 0
    for key in keys:
        largest = max(largest, key)
    order, sorted_order = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        order[i] = i
    places = np.empty(1 << DIGIT, np.int64)
    shift = 0
    while largest >> shift:
        sort_by_digit(keys, shift, order, sorted_order, places)
        order, sorted_order = sorted_order, order
        shift += DIGIT
    return order


@borrowing_kernel
def list_instants(
    arrays: RoundArrays, chosen: IntArray, start: IntArray, instants: IntArray
) -> None:
    """Write the starts and ends of reservations, in seconds from now: those of the k-th at 2k and 2k + 1."""
    for k in range(len(chosen)):
        instants[2 * k] = start[chosen[k]] - arrays.now
        instants[2 * k + 1] = instants[2 * k] + arrays.jobs.walltime[chosen[k]]


@shared_borrowing_kernel
def merge_reservations(
    demands: Any,
    chosen: IntArray,
    instants: IntArray,
    order: Permutation,
    base_times: IntArray,
    base_free: Any,
    base_size: int,
    times: IntArray,
    free: Any,
    held: Any,
) -> int:
    """Subtract reservations from a profile into another; return its size.

    ``instants`` are those of :func:`list_instants`, ``order`` sorts them; ``held``, one entry of zeros, becomes what
    reservations hold.
    """
    now = base_times[0]
    base, size = 0, 0
    at = 0
    while base < base_size or at < len(order):
        when = base_times[base] if base < base_size else NEVER
        if at < len(order):
            when = min(when, now + instants[order[at]])
        if base < base_size and base_times[base] == when:
            base += 1
        while at < len(order) and now + instants[order[at]] == when:
            reservation = order[at] // 2
            if order[at] % 2:
                take(held, 0, demands[chosen[reservation]])
            else:
                give(held, 0, demands[chosen[reservation]])
            at += 1
        times[size] = when
        set_entry(free, size, base_free[base - 1])
        take(free, size, held[0])
        size += 1
    return size


@borrowing_kernel
def any_before(start: IntArray, chosen: IntArray, now: int) -> bool:
    """Return whether the reservation of any chosen job lies in the past."""
    for i in chosen:  # noqa: SIM110 (compiled)
        if start[i] < now:
            return True
    return False


@shared_kernel
def add_reservations(
    arrays: RoundArrays,
    demands: Any,
    chosen: IntArray,
    start: IntArray,
    base_times: IntArray,
    base_free: Any,
    base_size: int,
    times: IntArray,
    free: Any,
) -> int:
    """Write a profile less the reservations of the chosen jobs; return its size.

    No reservation may begin in the past. ``times`` and ``free`` are other buffers than those of the first profile.
    """
    instants = np.empty(2 * len(chosen), np.int64)
    list_instants(arrays, chosen, start, instants)
    held = new_amounts(arrays, 1)
    set_entry(held, 0, 0)
    return int(
        merge_reservations(
            demands, chosen, instants, order_of_instants(instants),
            base_times, base_free, base_size, times, free, held,
        )
    )  # fmt: skip
