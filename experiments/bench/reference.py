"""Straightforward versions of the hot kernels: the references of the benchmark."""

import numpy as np

from planbatch.planner.decoder import Permutation
from planbatch.planner.kernels.native import kernel
from planbatch.planner.kernels.profile import earliest_index, fill_profile, place, room_for
from planbatch.planner.model import IntArray
from planbatch.planner.round import RoundArrays


@kernel
def scan_decode(arrays: RoundArrays, order: Permutation, start: IntArray) -> None:
    """Decode by a linear scan: find the earliest breakpoint, then take the processors, job by job."""
    jobs = arrays.jobs
    room = room_for(arrays, len(order))
    times = np.empty(room, np.int64)
    free = np.empty(room, np.int64)
    size = fill_profile(arrays, times, free)
    for job in order:
        i = earliest_index(times, free, size, jobs.procs[job], jobs.walltime[job], 0)
        start[job] = times[i]
        size = place(times, free, size, i, jobs.procs[job], jobs.walltime[job])


@kernel
def repeat_scan(arrays: RoundArrays, order: Permutation, start: IntArray, times: int) -> None:
    """Run :func:`scan_decode` ``times`` times."""
    for _ in range(times):
        scan_decode(arrays, order, start)
