"""EASY simulated forward from a round, run times and coming jobs given: the one simulation behind all rollouts."""

from typing import Any, NamedTuple

import numpy as np
from planbatch.planner.kernels.amounts import copy_entry, enough, give, take
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.kernels.profile import new_amounts, set_present
from planbatch.planner.kernels.sorting import fill_column

from planbatch.planner.model import NEVER, BoolArray, IntArray, JobTable
from planbatch.planner.round import RoundArrays


class Future(NamedTuple):
    """What a simulation is given: one possible future of a round.

    Jobs are numbered: first the m running ones, then those of ``jobs``: the n that wait, and those that will come, by
    submit time.

    Attributes
    ----------
    jobs : JobTable
        Jobs that wait and jobs that will come.
    waiting : int
        How many of them wait.
    run : int64 array, shape (m + n + a,)
        The end of each running job (s), the run time of the others (s).
    expected : int64 array, shape (m + n + a,)
        The end of each running job as schedulers expect it (s); of the others it is written when they start.
    needs : int64 array, shape (m + n + a + 1,) or (m + n + a + 1, K)
        Processors of each job, or its demands on all resources; the last entry is the least that any of ``jobs`` needs.
    order : int64 array, shape (n + a,)
        ``jobs`` in the order of the queue.
    """

    jobs: JobTable
    waiting: int
    run: IntArray
    expected: IntArray
    needs: Any
    order: IntArray


class Workspace(NamedTuple):
    """The state of a simulation.

    Attributes
    ----------
    free : amounts, two entries
        What is free; what is left over at the shadow time.
    by_end : int64 array
        The running jobs, by expected end.
    heap, actual : int64 arrays
        The running jobs as a heap, and their actual ends (s).
    behind : int64 array
        For each job of the queue, the next one in its order; -1 for none.
    """

    free: Any
    by_end: IntArray
    heap: IntArray
    actual: IntArray
    behind: IntArray


@kernel
def new_workspace(arrays: RoundArrays, jobs: int) -> Workspace:
    """Make room for the running jobs of a round and so many others."""
    room = len(arrays.running.end) + jobs + 1
    return Workspace(
        new_amounts(arrays, 2),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(jobs + 1, np.int64),
    )


@borrowing_kernel
def push(work: Workspace, size: int, job: int, end: int) -> int:
    """Put a job that will end into the heap; return the new size."""
    at = size
    while at > 0 and work.actual[(at - 1) // 2] > end:
        work.actual[at] = work.actual[(at - 1) // 2]
        work.heap[at] = work.heap[(at - 1) // 2]
        at = (at - 1) // 2
    work.actual[at] = end
    work.heap[at] = job
    return size + 1


@borrowing_kernel
def pop(work: Workspace, size: int) -> int:
    """Take the job that ends first off the heap; return the new size."""
    size -= 1
    end, job = work.actual[size], work.heap[size]
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and work.actual[child + 1] < work.actual[child]:
            child += 1
        if work.actual[child] >= end:
            break
        work.actual[at] = work.actual[child]
        work.heap[at] = work.heap[child]
        at = child
    work.actual[at] = end
    work.heap[at] = job
    return size


@borrowing_kernel
def begin(future: Future, work: Workspace, running: int, job: int, now: int) -> int:
    """Start a job of the queue; return how many run."""
    number = len(future.run) - len(future.order) + job
    end = now + future.jobs.walltime[job]
    future.expected[number] = end
    at = running
    while at > 0 and future.expected[work.by_end[at - 1]] > end:
        work.by_end[at] = work.by_end[at - 1]
        at -= 1
    work.by_end[at] = number
    take(work.free, 0, future.needs[number])
    return push(work, running, number, now + future.run[number])


@borrowing_kernel
def finish(future: Future, work: Workspace, running: int) -> int:
    """End the job that ends first; return how many run."""
    job = work.heap[0]
    at = 0
    while work.by_end[at] != job:
        at += 1
    for i in range(at, running - 1):
        work.by_end[i] = work.by_end[i + 1]
    give(work.free, 0, future.needs[job])
    return pop(work, running)


@borrowing_kernel
def shadow_of(future: Future, work: Workspace, running: int, need: Any) -> int:
    """Return the shadow time of a blocked job, and write what is left over then into the second entry of ``free``."""
    copy_entry(work.free, 1, 0)
    shadow = NEVER
    for i in range(running):
        give(work.free, 1, future.needs[work.by_end[i]])
        shadow = future.expected[work.by_end[i]]
        last = i + 1 == running or future.expected[work.by_end[i + 1]] != shadow
        if last and enough(work.free, 1, need):
            break
    take(work.free, 1, need)
    return shadow


@borrowing_kernel
def queue_up(future: Future, work: Workspace, start: IntArray) -> int:
    """Link the jobs that have not started in the order of the queue; return the first."""
    first, last = -1, -1
    for job in future.order:
        if start[job] != NEVER:
            continue
        if last < 0:
            first = job
        else:
            work.behind[last] = job
        work.behind[job] = -1
        last = job
    return first


@borrowing_kernel
def easy_at(
    future: Future, work: Workspace, running: int, first: int, now: int, start: IntArray
) -> tuple[int, int]:
    """Let EASY start jobs at one moment; return how many run, and the first of the queue."""
    ahead = len(future.run) - len(future.order)
    shadow = -1
    before, job = -1, first
    while job >= 0 and enough(work.free, 0, future.needs[len(future.run)]):
        behind = work.behind[job]
        fits = False
        if future.jobs.submit[job] <= now:
            need = future.needs[ahead + job]
            fits = enough(work.free, 0, need)
            if shadow >= 0:
                late = now + future.jobs.walltime[job] > shadow
                fits = fits and (not late or enough(work.free, 1, need))
                if fits and late:
                    take(work.free, 1, need)
            elif not fits:
                shadow = shadow_of(future, work, running, need)
        if fits:
            start[job] = now
            running = begin(future, work, running, job, now)
            if before < 0:
                first = behind
            else:
                work.behind[before] = behind
        else:
            before = job
        job = behind
    return running, first


@borrowing_kernel
def simulate(
    arrays: RoundArrays, future: Future, chosen: BoolArray, work: Workspace, start: IntArray
) -> None:
    """Start the chosen waiting jobs now, and whatever EASY starts later; write the starts of all jobs of the future.

    EASY goes through the queue in one order, that of ``future``; whatever has not come yet is passed over. It knows
    the walltimes, jobs end as the future says. Windows are not seen.
    """
    now = arrays.now
    ahead = len(future.run) - len(future.order)
    set_present(arrays, work.free)
    running = 0
    for i in range(ahead):
        work.by_end[i] = i
        running = push(work, running, i, future.run[i])
    fill_column(start, NEVER)
    for i in range(future.waiting):
        if chosen[i]:
            start[i] = now
            running = begin(future, work, running, i, now)
    first = queue_up(future, work, start)
    coming = future.waiting
    while first >= 0:
        moment = NEVER
        if running:
            moment = work.actual[0]
        if coming < len(future.order):
            moment = min(moment, future.jobs.submit[coming])
        if moment == NEVER:
            break
        while coming < len(future.order) and future.jobs.submit[coming] <= moment:
            coming += 1
        while running and work.actual[0] <= moment:
            running = finish(future, work, running)
        running, first = easy_at(future, work, running, first, moment, start)
