"""Conservative backfilling that keeps its reservations."""

from typing import Any

import numpy as np

from planbatch.baselines.advance import advance_all
from planbatch.planner.kernels.native import borrowing_kernel, kernel, shared_kernel
from planbatch.planner.kernels.profile import (
    demands_of,
    earliest_index,
    fill_profile,
    new_amounts,
    overdrawn,
    place,
    room_for,
    take_between,
)
from planbatch.planner.kernels.reserving import (
    FEW_RESERVATIONS,
    add_reservations,
    any_before,
)
from planbatch.planner.kernels.sorting import copy_column, stable_order
from planbatch.planner.model import NEVER, FloatArray, IntArray
from planbatch.planner.round import RoundArrays


@kernel
def reserve_all(
    arrays: RoundArrays, demands: Any, start: IntArray, times: IntArray, free: Any
) -> int:
    """Write the profile of the running jobs and of every reservation in ``start``; return its size, or -1.

    -1 means that the reservations no longer fit: one lies in the past, running jobs keep processors for longer than
    expected when the reservation was made (only with ``mixed`` estimates), or a part of the machine is unavailable.
    """
    if len(start) < FEW_RESERVATIONS:
        size = reserve_in_turn(arrays, demands, start, times, free)
    else:
        size = reserve_at_once(arrays, demands, start, times, free)
    return -1 if size < 0 or overdrawn(free, size) else size


@borrowing_kernel
def reserve_in_turn(
    arrays: RoundArrays, demands: Any, start: IntArray, times: IntArray, free: Any
) -> int:
    """:func:`reserve_all` for few jobs; only reservations in the past are noticed."""
    size = fill_profile(arrays, times, free)
    for i in range(len(start)):
        if start[i] != NEVER:
            if start[i] < arrays.now:
                return -1
            end = start[i] + arrays.jobs.walltime[i]
            size = take_between(times, free, size, start[i], end, demands[i])
    return size


@shared_kernel
def reserve_at_once(
    arrays: RoundArrays, demands: Any, start: IntArray, times: IntArray, free: Any
) -> int:
    """:func:`reserve_in_turn` for many jobs."""
    reserved = np.flatnonzero(start != NEVER)
    if any_before(start, reserved, arrays.now):
        return -1
    room = room_for(arrays, 0)
    alone_times, alone_free = np.empty(room, np.int64), new_amounts(arrays, room)
    alone = fill_profile(arrays, alone_times, alone_free)
    return int(
        add_reservations(
            arrays, demands, reserved, start, alone_times, alone_free, alone, times, free
        )
    )


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
    """Design rule 7: keep reservations, improve them in FCFS order after an early end, then admit new jobs.

    Conservative backfilling (Feitelson and Weil, IPPS 1998; Mu'alem and Feitelson, TPDS 2001).

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (none),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("conservative")
    >>> policy.compiled_form().decide is pb.decide_conservative
    True
    """
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
    size = take_over(arrays, demands, np.arange(n), start, times, free)
    for i in range(n):
        if start[i] == NEVER:
            j = earliest_index(times, free, size, demands[i], walltime[i], 0)
            start[i] = times[j]
            size = place(times, free, size, j, demands[i], walltime[i])


@kernel
def take_over(
    arrays: RoundArrays, demands: Any, order: IntArray, start: IntArray, times: IntArray, free: Any
) -> int:
    """Write the reservations of the round before into ``start``, and the profile with them; return its size.

    If they no longer fit they are made again; after an early end they move forward, in this order.
    """
    copy_column(start, arrays.planned)
    size = reserve_all(arrays, demands, start, times, free)
    if size < 0:
        size = reserve_again(arrays, demands, start, times, free)
    if arrays.ended_early:
        size = advance_all(arrays, demands, order, start, times, free, size)
    return int(size)


@shared_kernel
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
