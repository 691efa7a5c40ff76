"""What all queue-based policies share: start jobs from the head of the queue until one is blocked, then backfill."""

from typing import Any

import numpy as np

from planbatch.baselines.timeline import Timeline, fill, fill_present, fits_now, take_now
from planbatch.planner.kernels.amounts import enough
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.kernels.sorting import stable_order
from planbatch.planner.model import BoolArray, FloatArray, IntArray
from planbatch.planner.round import RoundArrays


@borrowing_kernel
def next_of(keys: FloatArray, taken: BoolArray) -> int:
    """Index of the smallest key among the jobs not yet taken, -1 if there is none."""
    best = -1
    for i in range(len(keys)):
        if not taken[i] and (best < 0 or keys[i] < keys[best]):
            best = i
    return best


@borrowing_kernel
def start_head(
    arrays: RoundArrays,
    demands: Any,
    keys: FloatArray,
    line: Timeline,
    taken: BoolArray,
    start: IntArray,
) -> int:
    """Start jobs in the order of their keys while they fit; return the first that does not, or -1.

    Marks the started ones in ``taken``; in the timeline they count as running from then on. Without windows, the
    timeline covers only the present; :func:`whole_timeline` extends it.
    """
    if len(arrays.windows.start):
        fill(arrays, line)
    else:
        fill_present(arrays, line)
    blocked = next_of(keys, taken)
    while blocked >= 0 and fits_now(line, demands[blocked], arrays.jobs.walltime[blocked]):
        taken[blocked] = True
        start[blocked] = arrays.now
        take_now(line, demands[blocked], arrays.occupied[blocked])
        blocked = next_of(keys, taken)
    return int(blocked)


@borrowing_kernel
def whole_timeline(arrays: RoundArrays, demands: Any, line: Timeline, start: IntArray) -> None:
    """Write the profile with the running jobs and those started from the head of the queue."""
    fill(arrays, line)
    for i in range(len(start)):
        if start[i] == arrays.now:
            take_now(line, demands[i], arrays.occupied[i])


@kernel
def candidates(demands: Any, keys: FloatArray, line: Timeline, taken: BoolArray) -> IntArray:
    """The jobs not yet taken whose demands are free at this moment, in the order of their keys."""
    found = np.empty(len(keys), np.int64)
    count = 0
    for i in range(len(keys)):
        if not taken[i] and enough(line.free, 0, demands[i]):
            found[count] = i
            count += 1
    found = found[:count]
    return found[stable_order(keys[found])]


@borrowing_kernel
def backfill(
    arrays: RoundArrays, demands: Any, waiting: IntArray, line: Timeline, start: IntArray
) -> None:
    """Start, one after the other, those jobs that fit into the timeline now."""
    for i in waiting:
        walltime = arrays.jobs.walltime[i]
        if fits_now(line, demands[i], walltime):
            start[i] = arrays.now
            take_now(line, demands[i], walltime)
