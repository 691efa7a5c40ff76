"""Deadline-based backfilling: jobs with a deadline make room for those without.

``dbf`` is Algorithm 1 and Section 4 of "Don't hurry be happy: a deadline-based backfilling
approach" (JSSPP 2017), ``dbf-2016`` the algorithm of "Prise en compte de tâches non-prioritaires
dans l'ordonnancement batch" (Compas 2016), ``wdbf`` the idea of "A working time deadline-based
backfilling scheduling solution" (Le Hai et al., ACOMP 2020).
"""

from typing import Any

import numpy as np

from baselines.two_lists import (
    Lists,
    admit_regular,
    advance_after_early_end,
    earliest_end,
    fill_all,
    fill_settled,
    new_timeline,
    reserve,
    start_over,
)
from planner.model import NEVER, FloatArray, IntArray
from planner.native import kernel
from planner.round import RoundArrays


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
    used = arrays.running.procs.sum()
    for i in range(len(start)):
        if start[i] < arrays.now:
            return False
        if start[i] == arrays.now:
            used += arrays.jobs.procs[i]
    return bool(used <= arrays.capacity)


@kernel
def decide_with_lists(
    arrays: RoundArrays, openings: FloatArray, together: bool, all_at_once: bool, start: IntArray
) -> None:
    """Decide a round of any deadline-based backfilling; see ``two_lists`` for the parameters.

    First, where a job ended early, reservations move forward. Then new jobs are admitted in FCFS
    order: one with a deadline takes the earliest slot that all reservations leave, and stands in L₁
    if it can make its deadline; otherwise it is a regular job (2017, Section 4; 2016, Section 4.1).
    A regular job is given its definitive reservation by Algorithm 1.
    """
    jobs = arrays.jobs
    n = len(jobs.procs)
    start[:] = arrays.planned
    limit = arrays.notes
    lists = Lists(start, limit, np.empty(n, np.int64), np.zeros(n, np.bool_))
    if start[n - 1] != NEVER and not arrays.ended_early and due_jobs_fit(arrays, start):
        return
    settled, line = new_timeline(arrays), new_timeline(arrays)
    if not (fill_settled(arrays, lists, settled) and fill_all(arrays, lists, settled, line)):
        start_over(arrays, lists)
        fill_settled(arrays, lists, settled)
        fill_all(arrays, lists, settled, line)
    if arrays.ended_early:
        advance_after_early_end(arrays, lists, together, all_at_once, settled, line)
    for i in range(n):
        if start[i] != NEVER:
            continue
        procs, walltime = jobs.procs[i], jobs.walltime[i]
        deadline = jobs.deadline[i]
        if len(openings):
            deadline = next_opening_after(earliest_end(settled, procs, walltime), openings)
        if deadline != NEVER and earliest_end(line, procs, walltime) <= deadline:
            limit[i] = deadline
        if limit[i] != NEVER:
            start[i] = reserve(line, procs, walltime)
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
    """Deadline-based backfilling of 2017: Algorithm 1 and Section 4."""
    together = len(params) > 0 and params[0] > 0
    decide_with_lists(arrays, np.empty(0), together, False, start)


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
    """Deadline-based backfilling of 2016: Algorithm 1 of the French paper."""
    together = len(params) > 0 and params[0] > 0
    decide_with_lists(arrays, np.empty(0), together, True, start)


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
    decide_with_lists(arrays, params, False, False, start)
