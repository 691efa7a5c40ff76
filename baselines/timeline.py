"""A profile in buffers, for policies that reserve as they go."""

from typing import Any, NamedTuple

import numpy as np

from planbatch.planner.kernels.amounts import set_entry
from planbatch.planner.kernels.decode import place_earliest
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.kernels.profile import (
    earliest_index,
    fill_profile,
    fits_at,
    new_amounts,
    place,
    room_for,
    set_present,
)
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.round import RoundArrays


class Timeline(NamedTuple):
    """``size[0]`` breakpoints of a profile, closed by a guard (as in the decoder).

    ``free`` has the shape (room,) if there are processors only, otherwise (room, K); policies that support several
    resources are written once and compiled for both.
    """

    times: IntArray
    free: Any
    size: IntArray


@kernel(inline="always")
def new_timeline(arrays: RoundArrays) -> Timeline:
    """Make an empty timeline, with room to reserve for every job and to move one."""
    room = room_for(arrays, len(arrays.jobs.procs) + 3)
    return Timeline(np.empty(room, np.int64), new_amounts(arrays, room), np.zeros(1, np.int64))


@kernel(inline="always")
def new_timeline_of_rows(arrays: RoundArrays) -> Timeline:
    """:func:`new_timeline` with rows of amounts, even if processors are the only resource."""
    room = room_for(arrays, len(arrays.jobs.procs) + 3)
    rows = np.empty((room, 1 + len(arrays.capacities)), np.int64)
    return Timeline(np.empty(room, np.int64), rows, np.zeros(1, np.int64))


@borrowing_kernel
def close(line: Timeline, size: int) -> None:
    """Note the size and put the guard behind the last breakpoint."""
    line.size[0] = size
    line.times[size] = NEVER * 2
    set_entry(line.free, size, -1)


@borrowing_kernel
def fill(arrays: RoundArrays, line: Timeline) -> None:
    """Write the profile at the beginning of the round."""
    close(line, fill_profile(arrays, line.times, line.free))


@borrowing_kernel
def fill_present(arrays: RoundArrays, line: Timeline) -> None:
    """Write what the running jobs leave free at this moment, as if that would not change.

    Without windows nothing is taken later that is free now: a job that fits at this moment fits for good.
    """
    line.times[0] = arrays.now
    set_present(arrays, line.free)
    close(line, 1)


@borrowing_kernel
def copy_timeline(line: Timeline, source: Timeline) -> None:
    """Make a timeline the same as another."""
    size = source.size[0] + 1
    for i in range(size):
        line.times[i] = source.times[i]
        set_entry(line.free, i, source.free[i])
    line.size[0] = size - 1


@borrowing_kernel
def earliest_end(line: Timeline, demand: Any, walltime: int) -> int:
    """Return the end (s) of the earliest slot, without taking it."""
    i = earliest_index(line.times, line.free, line.size[0], demand, walltime, 0)
    return int(line.times[i] + walltime)


@borrowing_kernel
def reserve(line: Timeline, demand: Any, walltime: int) -> int:
    """Take the earliest slot; return its start (s)."""
    i, size = place_earliest(line.times, line.free, line.size[0], demand, walltime, 0)
    line.size[0] = size
    return int(line.times[i])


@borrowing_kernel
def fits_now(line: Timeline, demand: Any, walltime: int) -> bool:
    """Whether a job can start at the beginning of the timeline."""
    now = line.times[0]
    return bool(fits_at(line.times, line.free, line.size[0], demand, now, now + walltime))


@borrowing_kernel
def take_now(line: Timeline, demand: Any, walltime: int) -> None:
    """Take what a job needs from the beginning of the timeline on."""
    close(line, place(line.times, line.free, line.size[0], 0, demand, walltime))
