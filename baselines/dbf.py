"""Deadline-based backfilling: jobs with a deadline make room for those without.

``dbf`` is Algorithm 1 and Section 4 of "Don't hurry be happy: a deadline-based backfilling
approach" (JSSPP 2017), ``dbf-2016`` the algorithm of "Prise en compte de tâches non-prioritaires
dans l'ordonnancement batch" (Compas 2016), ``wdbf`` the idea of "A working time deadline-based
backfilling scheduling solution" (Le Hai et al., ACOMP 2020).
"""

from typing import Any

import numpy as np

from planbatch.baselines.timeline import (
    Timeline,
    earliest_end,
    new_timeline,
    reserve,
)
from planbatch.baselines.two_lists import (
    FCFS_ORDER,
    Lists,
    admit_regular,
    advance_after_early_end,
    fill_all,
    fill_settled,
    is_tentative,
    start_over,
)
from planbatch.planner.kernels.native import kernel, shared_kernel
from planbatch.planner.kernels.profile import demands_of, free_now
from planbatch.planner.kernels.sorting import copy_column
from planbatch.planner.model import NEVER, FloatArray, IntArray
from planbatch.planner.round import RoundArrays


@kernel
def next_opening_after(end: int, openings: FloatArray) -> int:
    """Return when the next working period begins, for an end outside all of them; else ``NEVER``.

    ``openings`` are alternately the beginning and the end of a period (s).
    """
    at = np.searchsorted(openings, float(end), side="right")
    return int(openings[at]) if at % 2 == 0 and at < len(openings) else NEVER


@kernel
def due_jobs_fit(arrays: RoundArrays, start: IntArray) -> bool:
    """Say whether the reservations that fall due now can be kept, and none lies in the past."""
    free = free_now(arrays)
    for i in range(len(start)):
        if start[i] < arrays.now:
            return False
        if start[i] == arrays.now:
            free[0] -= arrays.jobs.procs[i]
            for k in range(1, len(free)):
                free[k] -= arrays.jobs.demands[i, k - 1]
    for amount in free:  # noqa: SIM110 (compiled)
        if amount < 0:
            return False
    return True


@shared_kernel
def decide_with_lists(
    arrays: RoundArrays, openings: FloatArray, advance: int, all_at_once: bool, start: IntArray
) -> None:
    """Decide a round of any deadline-based backfilling; see ``two_lists`` for the parameters."""
    n = len(start)
    copy_column(start, arrays.planned)
    nothing_new = start[n - 1] != NEVER and not arrays.ended_early
    if nothing_new and len(arrays.windows.start) == 0 and due_jobs_fit(arrays, start):
        return
    trial, urgent = np.empty(n, np.int64), np.zeros(n, np.bool_)
    lists = Lists(start, arrays.notes, trial, urgent, demands_of(arrays))
    settled, line = new_timeline(arrays), new_timeline(arrays)
    admit_all(arrays, lists, openings, advance, all_at_once, settled, line)


@shared_kernel
def admit_all(
    arrays: RoundArrays,
    lists: Lists,
    openings: FloatArray,
    advance: int,
    all_at_once: bool,
    settled: Timeline,
    line: Timeline,
) -> None:
    """Bring the reservations up to date and admit the new jobs; ``settled`` and ``line`` are buffers.

    First, if a job ended early, reservations move forward. Then new jobs are admitted in FCFS
    order: one with a deadline takes the earliest slot that all reservations leave, and joins L₁ if it can meet its
    deadline; otherwise it is a regular job (2017, Section 4; 2016, Section 4.1). A regular job is given its definitive
    reservation by Algorithm 1.
    """
    jobs, start, limit = arrays.jobs, lists.start, lists.limit
    if not (fill_settled(arrays, lists, settled) and fill_all(arrays, lists, settled, line)):
        start_over(arrays, lists, line)
        fill_settled(arrays, lists, settled)
        fill_all(arrays, lists, settled, line)
    if arrays.ended_early:
        advance_after_early_end(arrays, lists, advance, all_at_once, settled, line)
    for i in range(len(start)):
        if start[i] != NEVER:
            continue
        demand, walltime = lists.demands[i], jobs.walltime[i]
        deadline = jobs.deadline[i]
        if len(openings):
            deadline = next_opening_after(earliest_end(settled, demand, walltime), openings)
        if deadline != NEVER and earliest_end(line, demand, walltime) <= deadline:
            limit[i] = deadline
        if is_tentative(limit[i]):
            start[i] = reserve(line, demand, walltime)
        else:
            admit_regular(arrays, lists, i, all_at_once, settled, line)


@kernel
def decide_dbf(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """Deadline-based backfilling of 2017: Algorithm 1 and Section 4 of N'takpé and Suter, JSSPP 2017.

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (none),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("dbf")
    >>> policy.compiled_form().decide is pb.decide_dbf
    True
    """
    decide_with_lists(arrays, np.empty(0), FCFS_ORDER, False, start)


@kernel
def decide_dbf_2016(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """Deadline-based backfilling of 2016: Algorithm 1 of N'takpé and Suter, ComPAS 2016.

    ``params`` may give the order in which reservations move forward after an early end; the default is ``FCFS_ORDER``.

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (see above),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("dbf-2016")
    >>> policy.compiled_form().decide is pb.decide_dbf_2016
    True
    """
    advance = int(params[0]) if len(params) else FCFS_ORDER
    decide_with_lists(arrays, np.empty(0), advance, True, start)


@kernel
def decide_wdbf(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """Working-time deadlines: ``params`` are the working periods, alternately begin and end (s)."""
    decide_with_lists(arrays, params, FCFS_ORDER, False, start)
