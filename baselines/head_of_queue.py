"""What all queue-based policies share: start jobs from the head of the queue until one is blocked, then backfill."""

from typing import Any

import numpy as np

from planbatch.baselines.timeline import Timeline, fill, fill_present, fits_now, take_now
from planbatch.planner.kernels.amounts import enough
from planbatch.planner.kernels.blocks import BLOCK, next_planned
from planbatch.planner.kernels.native import (
    borrowing_kernel,
    kernel,
    shared_borrowing_kernel,
    shared_kernel,
)
from planbatch.planner.kernels.sorting import stable_order
from planbatch.planner.model import NEVER, BoolArray, FloatArray, IntArray
from planbatch.planner.round import RoundArrays


@kernel(inline="always")
def both_keys(keys: FloatArray, jobs: int) -> tuple[FloatArray, FloatArray]:
    """Return the keys by the primary and by the backfilling order: the same unless they are those of a pair."""
    return keys[:jobs], keys[len(keys) - jobs :]


@borrowing_kernel
def in_order(keys: FloatArray) -> bool:
    """Whether no key is smaller than the one before it, as in FCFS order."""
    before = keys[: max(len(keys) - 1, 0)]
    after = keys[1:]
    falls = 0
    for i in range(len(before)):  # without a way out, so that several are compared at once
        falls += before[i] > after[i]
    return falls == 0


@borrowing_kernel
def next_of(keys: FloatArray, sorted_from: int, taken: BoolArray) -> int:
    """Index of the smallest key among the jobs not yet taken, -1 if there is none.

    If the keys ascend, ``sorted_from`` is the first job that may not be taken; otherwise it is -1.
    """
    if sorted_from >= 0:
        return sorted_from if sorted_from < len(keys) else -1
    best = -1
    for i in range(len(keys)):
        if not taken[i] and (best < 0 or keys[i] < keys[best]):
            best = i
    return best


@shared_borrowing_kernel
def start_head(
    arrays: RoundArrays,
    demands: Any,
    keys: FloatArray,
    ascending: bool,
    line: Timeline,
    taken: BoolArray,
    start: IntArray,
) -> int:
    """Start jobs in the order of their keys while they fit; return the first that does not, or -1.

    ``ascending`` says whether the keys are (see :func:`in_order`). Marks the started ones in ``taken``; in the
    timeline they count as running from then on. Without windows, the timeline covers only the present;
    :func:`whole_timeline` extends it.
    """
    if len(arrays.windows.start):
        fill(arrays, line)
    else:
        fill_present(arrays, line)
    ahead = 0 if ascending else -1
    blocked = next_of(keys, ahead, taken)
    while blocked >= 0 and fits_now(line, demands[blocked], arrays.jobs.walltime[blocked]):
        taken[blocked] = True
        start[blocked] = arrays.now
        take_now(line, demands[blocked], arrays.occupied[blocked])
        ahead += ahead >= 0
        blocked = next_of(keys, ahead, taken)
    return int(blocked)


@borrowing_kernel
def whole_timeline(arrays: RoundArrays, demands: Any, line: Timeline, start: IntArray) -> None:
    """Write the profile with the running jobs and those started from the head of the queue."""
    fill(arrays, line)
    i = next_planned(start, 0)
    while i < len(start):
        take_now(line, demands[i], arrays.occupied[i])
        i = next_planned(start, i + 1)


@borrowing_kernel
def first_drop(line: Timeline) -> int:
    """Index of the first breakpoint at which less is free of a resource than at the beginning; 0 if there is none."""
    for k in range(1, line.size[0]):
        if not enough(line.free, k, line.free[0]):
            return k
    return 0


@borrowing_kernel
def may_fit(
    line: Timeline, drop: int, until: int, demands: Any, walltime: IntArray, first: int
) -> bool:
    """Whether any job of the block that begins with ``first`` may fit into the timeline now.

    ``drop`` is the first breakpoint at which less is free than now, ``until`` the seconds until then: a job has to fit
    now, and to end by then or fit then, too.
    """
    fitting = 0
    for i in range(first, first + BLOCK):  # without a way out, so that several are compared at once
        ends = (walltime[i] <= until) | enough(line.free, drop, demands[i])
        fitting += ends & enough(line.free, 0, demands[i])
    return bool(fitting > 0)


@borrowing_kernel
def any_candidate(demands: Any, walltime: IntArray, line: Timeline, taken: BoolArray) -> bool:
    """Whether the demands of a job not yet taken are free at this moment."""
    n = len(taken)
    for first in range(0, n, BLOCK):
        last = min(first + BLOCK, n)
        if last - first < BLOCK or may_fit(line, 0, NEVER, demands, walltime, first):
            for i in range(first, last):
                if not taken[i] and enough(line.free, 0, demands[i]):
                    return True
    return False


@borrowing_kernel
def backfill_queue(
    arrays: RoundArrays, demands: Any, line: Timeline, taken: BoolArray, start: IntArray
) -> None:
    """Start, in FCFS order, those jobs not yet taken that fit into the timeline now."""
    n = len(taken)
    walltime = arrays.jobs.walltime
    for first in range(0, n, BLOCK):
        last = min(first + BLOCK, n)
        if last - first == BLOCK:
            drop = first_drop(line)
            until = line.times[drop] - arrays.now if drop else NEVER
            if not may_fit(line, drop, until, demands, walltime, first):
                continue
        for i in range(first, last):
            if not taken[i] and fits_now(line, demands[i], walltime[i]):
                start[i] = arrays.now
                take_now(line, demands[i], walltime[i])


@shared_kernel
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
