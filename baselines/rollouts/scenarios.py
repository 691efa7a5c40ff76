"""The futures that simulations are given: run times (:mod:`~planbatch.planner.scenarios`) and jobs to come."""

from typing import Any

import numpy as np
from numba.extending import overload
from planbatch.planner.kernels.job_tables import chosen_jobs
from planbatch.planner.kernels.native import kernel
from planbatch.planner.kernels.profile import all_demands, processors_alone
from planbatch.planner.kernels.sorting import copy_column, stable_order

from planbatch.baselines.rollouts.simulation import Future
from planbatch.planner.ledger import ENTRIES, Entry
from planbatch.planner.model import NEVER, IntArray, JobTable
from planbatch.planner.round import RoundArrays
from planbatch.planner.scenarios import drawn_run_times

#: Coming jobs are drawn from among so many that were submitted last; a scenario has at most so many of them.
REMEMBERED, MOST_COMING = 3000, 500


@kernel
def coming_jobs(arrays: RoundArrays, span: int, rng: Any) -> IntArray:
    """Draw which jobs come next: rows of the ledger, those submitted within ``span`` seconds of some past moment.

    The moment is one of the past in which the last :data:`REMEMBERED` jobs came, uniformly (a bootstrap of blocks,
    which keeps bursts together).

    Returns
    -------
    int64 array
        The rows; the first entry is the moment.
    """
    rows = arrays.ledger.rows
    first = max(len(rows) - REMEMBERED, 0)
    if span <= 0 or first == len(rows) or rows[first, Entry.SUBMIT] >= arrays.now:
        return np.zeros(1, np.int64)
    submit = rows[first:, Entry.SUBMIT]
    moment = submit[0] + int(rng.random() * max(arrays.now - submit[0] - span, 1))
    low = np.searchsorted(submit, moment)
    high = min(np.searchsorted(submit, moment + span), low + MOST_COMING)
    found = np.empty(high - low + 1, np.int64)
    found[0] = moment
    for i in range(low, high):
        found[1 + i - low] = first + i
    return found


@kernel
def with_coming(arrays: RoundArrays, jobs: JobTable, coming: IntArray) -> JobTable:
    """Return the jobs that wait, and behind them those that come, by submit time: all after this moment."""
    n = len(jobs.submit)
    both = chosen_jobs(jobs, np.minimum(np.arange(n + len(coming) - 1), max(n - 1, 0)))
    ledger = arrays.ledger
    for i in range(1, len(coming)):
        row, at = ledger.rows[coming[i]], n + i - 1
        both.submit[at] = arrays.now + 1 + row[Entry.SUBMIT] - coming[0]
        both.procs[at] = row[Entry.PROCS]
        both.walltime[at] = row[Entry.WALLTIME]
        both.user[at] = row[Entry.USER]
        both.deadline[at] = NEVER
        both.latest[at] = NEVER
        for k in range(both.demands.shape[1]):
            both.demands[at, k] = row[ENTRIES + k]
        for k in range(both.past.shape[1]):
            both.past[at, k] = ledger.past[coming[i], k]
    return both


def needs_of(arrays: RoundArrays, jobs: JobTable) -> Any:
    """Return what the running jobs and these need, and at the end the least that any of these needs."""
    return (needs_alone if processors_alone(arrays) else needs_in_rows)(arrays, jobs)


@overload(needs_of, strict=False)
def _needs_of(arrays: Any, jobs: Any) -> Any:
    if processors_alone(arrays):
        return lambda arrays, jobs: needs_alone(arrays, jobs)
    return lambda arrays, jobs: needs_in_rows(arrays, jobs)


@kernel
def needs_alone(arrays: RoundArrays, jobs: JobTable) -> IntArray:
    """:func:`needs_of` for processors alone."""
    least = np.full(1, jobs.procs.min())
    return np.concatenate((arrays.running.procs, jobs.procs, least))


@kernel
def needs_in_rows(arrays: RoundArrays, jobs: JobTable) -> IntArray:
    """:func:`needs_of` for several resources."""
    least = np.zeros((1, 1 + len(arrays.capacities)), np.int64)
    least[0, 0] = jobs.procs.min()
    taken = all_demands(arrays.running.procs, arrays.running.demands)
    return np.concatenate((taken, all_demands(jobs.procs, jobs.demands), least))


@kernel
def draw_future(arrays: RoundArrays, jobs: JobTable, order: Any, span: int, rng: Any) -> Future:
    """Draw one future of a round.

    Parameters
    ----------
    arrays : RoundArrays
        The round.
    jobs : JobTable
        Those of its jobs that are looked at.
    order : callable
        The order of the queue, as it is now.
    span : int
        For how long jobs will come (s).
    rng : Generator
        What is drawn from.
    """
    n = len(jobs.submit)
    coming = coming_jobs(arrays, span, rng)
    both = with_coming(arrays, jobs, coming)
    run = drawn_run_times(arrays, both, n, coming, rng)
    expected = np.empty(len(run), np.int64)
    copy_column(expected, arrays.running.end)
    keys = order(both, arrays.now)
    return Future(both, n, run, expected, needs_of(arrays, both), stable_order(keys))
