"""The two lists of deadline-based backfilling: definitive and tentative reservations.

A waiting job is in one of two lists (N'takpé and Suter 2017, Section 4). The reservations in L₀
are definitive: they only ever move forward. Those in L₁ belong to jobs with a deadline, and may be laid out again as
long as the deadline holds. A policy remembers nothing outside the round: for each job it notes (``Round.notes``) the
latest end up to which it may be delayed; for a job in L₀ it notes ``NEVER``, or −1 − the time at which it moved there
from L₁. Jobs without a planned start are new.

"Increasing order of submission time" is FCFS order, which is the order of the round's jobs.
"""

from typing import Any, NamedTuple

import numpy as np

from planbatch.baselines.advance import advance_all
from planbatch.baselines.timeline import (
    Timeline,
    close,
    copy_timeline,
    fill,
    new_timeline,
    reserve,
)
from planbatch.planner.kernels.native import borrowing_kernel, kernel, shared_kernel
from planbatch.planner.kernels.profile import overdrawn, take_between
from planbatch.planner.kernels.reserving import (
    FEW_RESERVATIONS,
    add_reservations,
    any_before,
)
from planbatch.planner.kernels.sorting import copy_column, fill_column, stable_order
from planbatch.planner.model import NEVER, BoolArray, IntArray, JobTable
from planbatch.planner.round import RoundArrays


class Lists(NamedTuple):
    """The waiting jobs of a round, in their lists.

    Attributes
    ----------
    start : int64 array, shape (n,)
        Reservations (s); ``NEVER`` for new jobs.
    limit : int64 array, shape (n,)
        Latest ends of the jobs in L₁ (s); for those in L₀ ``NEVER``, or −1 − the time when they moved.
    trial : int64 array, shape (n,)
        Reservations of the layout that is being tried (s).
    urgent : bool array, shape (n,)
        L_tmp: jobs of L₁ that are laid out before the new regular job.
    demands : int64 array, shape (n,) or (n, K)
        What the jobs take: processors, or all resources.
    """

    start: IntArray
    limit: IntArray
    trial: IntArray
    urgent: BoolArray
    demands: Any


#: After an early end, the jobs of L₀ move forward in FCFS order; together with those of L₁; in the order in which they
#: joined the list; or with those that came from L₁ last.
FCFS_ORDER, TOGETHER, LIST_ORDER, REGULAR_FIRST = range(4)


@kernel(inline="always")
def is_tentative(limit: Any) -> Any:
    """Whether a job with this entry of ``limit`` is in L₁; for a whole column, one answer per job."""
    return (limit >= 0) & (limit < NEVER)


@kernel
def fill_settled(arrays: RoundArrays, lists: Lists, settled: Timeline) -> bool:
    """Write the running jobs and the reservations of L₀; say whether they fit."""
    if len(lists.start) < FEW_RESERVATIONS:
        fill(arrays, settled)
        return bool(add_in_turn(arrays, lists, False, settled))
    alone = new_timeline(arrays)
    fill(arrays, alone)
    return bool(add_at_once(arrays, lists, False, alone, settled))


@kernel
def fill_all(arrays: RoundArrays, lists: Lists, settled: Timeline, line: Timeline) -> bool:
    """Write into ``line`` what is settled, and the reservations of L₁; say whether they fit."""
    if len(lists.start) < FEW_RESERVATIONS:
        copy_timeline(line, settled)
        return bool(add_in_turn(arrays, lists, True, line))
    return bool(add_at_once(arrays, lists, True, settled, line))


@borrowing_kernel
def add_in_turn(arrays: RoundArrays, lists: Lists, tentative: bool, line: Timeline) -> bool:
    """Add the reservations of L₁ (``tentative``) or of L₀ to a timeline; say whether they fit."""
    jobs = arrays.jobs
    size = line.size[0]
    fits = True
    for i in range(len(lists.start)):
        when = lists.start[i]
        if when != NEVER and is_tentative(lists.limit[i]) == tentative:
            if when < arrays.now:
                fits = False
                break
            end = when + jobs.walltime[i]
            size = take_between(line.times, line.free, size, when, end, lists.demands[i])
    close(line, size)
    return fits and not overdrawn(line.free, size)


@shared_kernel
def add_at_once(
    arrays: RoundArrays, lists: Lists, tentative: bool, before: Timeline, line: Timeline
) -> bool:
    """:func:`add_in_turn` for many jobs: write the timeline ``before`` with their reservations into ``line``."""
    start = lists.start
    chosen = np.flatnonzero((start != NEVER) & (is_tentative(lists.limit) == tentative))
    if any_before(start, chosen, arrays.now):
        return False
    size = add_reservations(
        arrays, lists.demands, chosen, start,
        before.times, before.free, before.size[0], line.times, line.free,
    )  # fmt: skip
    close(line, size)
    return not overdrawn(line.free, size)


@borrowing_kernel
def lay_out(
    arrays: RoundArrays, lists: Lists, regular: int, to_the_end: bool, line: Timeline
) -> int:
    """Reserve, in ``trial``: the urgent jobs, the regular one (if not -1), and the rest of L₁.

    The lists themselves are laid out in FCFS order. Returns the first of the rest that misses its
    deadline, or -1; unless ``to_the_end``, the jobs behind it are not laid out.
    """
    jobs = arrays.jobs
    trial = lists.trial
    for i in range(len(trial)):
        if lists.urgent[i]:
            trial[i] = reserve(line, lists.demands[i], jobs.walltime[i])
    if regular >= 0:
        trial[regular] = reserve(line, lists.demands[regular], jobs.walltime[regular])
    late = -1
    for i in range(len(trial)):
        if is_tentative(lists.limit[i]) and not lists.urgent[i]:
            trial[i] = reserve(line, lists.demands[i], jobs.walltime[i])
            if late < 0 and trial[i] + jobs.walltime[i] > lists.limit[i]:
                late = i
                if not to_the_end:
                    break
    return late


@borrowing_kernel
def last_late_urgent(arrays: RoundArrays, lists: Lists) -> int:
    """Return the last of the urgent jobs that misses its deadline in ``trial``, or -1 (line 23)."""
    for i in range(len(lists.trial) - 1, -1, -1):
        if lists.urgent[i] and lists.trial[i] + arrays.jobs.walltime[i] > lists.limit[i]:
            return i
    return -1


@borrowing_kernel
def all_before_are_urgent(lists: Lists, last: int) -> bool:
    """Make all jobs of L₁ before ``last`` urgent (lines 24, 25); return whether they already were."""
    already = True
    for i in range(last):
        if is_tentative(lists.limit[i]) and not lists.urgent[i]:
            lists.urgent[i] = True
            already = False
    return already


@borrowing_kernel
def make_late_urgent(arrays: RoundArrays, lists: Lists) -> None:
    """Make all jobs of L₁ urgent that miss their deadline in ``trial``."""
    for i in range(len(lists.trial)):
        end = lists.trial[i] + arrays.jobs.walltime[i]
        if is_tentative(lists.limit[i]) and end > lists.limit[i]:
            lists.urgent[i] = True


@kernel
def find_layout_2017(
    arrays: RoundArrays, lists: Lists, regular: int, settled: Timeline, line: Timeline
) -> bool:
    """Find who must come before the regular job (2017, lines 4 to 35); return if deadlines hold.

    Jobs that would be late become urgent one at a time, the first in FCFS order (lines 9 to 21).
    Then, while an urgent job is late, all those submitted before the last such join (lines 22 to
    35). The paper does this once, without checking the deadlines again; here both steps are repeated until the
    deadlines hold.
    """
    while True:
        copy_timeline(line, settled)
        late = lay_out(arrays, lists, regular, False, line)
        if late >= 0:
            lists.urgent[late] = True
            continue
        last = last_late_urgent(arrays, lists)
        if last < 0:
            return True
        if all_before_are_urgent(lists, last):
            return False


@kernel
def find_layout_2016(
    arrays: RoundArrays, lists: Lists, regular: int, settled: Timeline, line: Timeline
) -> bool:
    """Find who must come before the regular job (2016, lines 2 to 10); return if deadlines hold.

    All jobs that would be late become urgent together (line 2); if one of them is still late, all those submitted
    before the last such join (lines 4 to 7). Only then the regular job and the rest are reserved (lines 8 and 10). The
    paper does not check the rest again; here, late jobs among the rest become urgent in turn.
    """
    while True:
        copy_timeline(line, settled)
        late = lay_out(arrays, lists, regular, True, line)
        last = last_late_urgent(arrays, lists)
        if last >= 0:
            if all_before_are_urgent(lists, last):
                return False
        elif late >= 0:
            make_late_urgent(arrays, lists)
        else:
            return True


@kernel
def lay_out_again(
    arrays: RoundArrays,
    lists: Lists,
    regular: int,
    all_at_once: bool,
    settled: Timeline,
    line: Timeline,
) -> bool:
    """Reserve for a regular job (-1 for none), and again for L₁; return whether deadlines hold.

    Urgent jobs move to L₀. ``settled`` is the profile without L₁, to which definitive reservations
    are added; ``line`` becomes the profile with all reservations. If the deadlines do not hold, only ``line`` changes.
    """
    jobs = arrays.jobs
    fill_column(lists.urgent, False)
    if all_at_once:
        found = find_layout_2016(arrays, lists, regular, settled, line)
    else:
        found = find_layout_2017(arrays, lists, regular, settled, line)
    if not found:
        return False
    size = settled.size[0]
    for i in range(len(lists.start)):
        if i == regular or is_tentative(lists.limit[i]):
            lists.start[i] = lists.trial[i]
        if i == regular or lists.urgent[i]:
            lists.limit[i] = NEVER if i == regular else -1 - arrays.now
            end = lists.start[i] + jobs.walltime[i]
            size = take_between(
                settled.times, settled.free, size, lists.start[i], end, lists.demands[i]
            )
    close(settled, size)
    return True


@kernel
def admit_regular(
    arrays: RoundArrays,
    lists: Lists,
    regular: int,
    all_at_once: bool,
    settled: Timeline,
    line: Timeline,
) -> None:
    """Algorithm 1 (either paper's) for a new regular job.

    If no layout keeps the deadlines, not even the jobs of L₁ in FCFS order (earlier reservations
    may have been better than any that this order gives), all reservations stay as they are and
    become definitive, and the new job takes the earliest slot that they leave.
    """
    if lay_out_again(arrays, lists, regular, all_at_once, settled, line):
        return
    fill_all(arrays, lists, settled, line)
    jobs = arrays.jobs
    lists.start[regular] = reserve(line, lists.demands[regular], jobs.walltime[regular])
    for i in range(len(lists.limit)):
        if is_tentative(lists.limit[i]):
            lists.limit[i] = -1 - arrays.now
    copy_timeline(settled, line)


@shared_kernel
def turns_of_definitive(jobs: JobTable, lists: Lists, advance: int) -> IntArray:
    """The jobs of L₀ in the order of their turns.

    A regular job joins the list when it is submitted; jobs that move there at that moment come after it.
    """
    definitive = np.flatnonzero(~is_tentative(lists.limit))
    if advance == FCFS_ORDER:
        return definitive
    rank = np.zeros(len(definitive), np.int64)
    for k, i in enumerate(definitive):
        moved = lists.limit[i] != NEVER
        if advance == REGULAR_FIRST:
            rank[k] = int(moved)
        elif advance == LIST_ORDER:
            rank[k] = -1 - 2 * lists.limit[i] if moved else 2 * jobs.submit[i]
    return definitive[stable_order(rank)]


@shared_kernel
def advance_after_early_end(
    arrays: RoundArrays,
    lists: Lists,
    advance: int,
    all_at_once: bool,
    settled: Timeline,
    line: Timeline,
) -> None:
    """Move reservations forward after a job ended before its walltime.

    ``TOGETHER``: all waiting jobs, in FCFS order, one at a time (design rule 7). Otherwise L₀ goes
    first, with the reservations of L₁ cancelled, and L₁ is laid out again in what is left, as Algorithm 1 does for a
    new regular job; if deadlines would not hold, all move together instead. Either way, no definitive start gets
    later.
    """
    if advance != TOGETHER:
        before = lists.start.copy()
        size = advance_all(
            arrays,
            lists.demands,
            turns_of_definitive(arrays.jobs, lists, advance),
            lists.start,
            settled.times,
            settled.free,
            settled.size[0],
        )
        close(settled, size)
        if lay_out_again(arrays, lists, -1, all_at_once, settled, line):
            return
        copy_column(lists.start, before)
        fill_settled(arrays, lists, settled)
    fill_all(arrays, lists, settled, line)
    everyone = np.arange(len(lists.start))
    size = advance_all(
        arrays, lists.demands, everyone, lists.start, line.times, line.free, line.size[0]
    )
    close(line, size)
    fill_settled(arrays, lists, settled)


@kernel
def start_over(arrays: RoundArrays, lists: Lists, line: Timeline) -> None:
    """Give every reservation, in the order of the starts, the earliest start that still fits; ``line`` is a buffer.

    Needed only if jobs run for longer than was assumed while they waited (``mixed`` estimates), or if a part of the
    machine is unavailable. Jobs that can no longer meet their deadline become regular.
    """
    jobs = arrays.jobs
    fill(arrays, line)
    for i in stable_order(lists.start):
        if lists.start[i] != NEVER:
            lists.start[i] = reserve(line, lists.demands[i], jobs.walltime[i])
            if is_tentative(lists.limit[i]) and lists.start[i] + jobs.walltime[i] > lists.limit[i]:
                lists.limit[i] = NEVER
