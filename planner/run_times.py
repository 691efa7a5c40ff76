"""Distributions of run times, from how much of their requests a user's jobs took; scenarios are drawn from them.

The history :data:`RUN_TIMES` writes the columns of :mod:`expectation`, and behind them quantiles of the same quotients
run time / walltime: of a user's last ended jobs, or of everybody's where too few have ended.
"""

from typing import Any

import numpy as np

from planbatch.planner.expectation import (
    ALL,
    ENDED,
    EXPECTED_RUN_TIMES,
    FEW,
    OWN,
    QUANTILES,
    QUOTIENTS,
    Expected,
    follow_quotients,
)
from planbatch.planner.history import History, history_of
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.kernels.sorting import copy_column, fill_column
from planbatch.planner.model import FloatArray, IntArray, JobTable

#: The column of ``jobs.past`` with the first of the quantiles; the k-th is that at (k + ½) / QUANTILES.
FIRST_QUANTILE = len(Expected) + 1
#: Everybody's quantiles are taken anew after so many ends: they change little, and sorting takes time.
REFRESH = 16

# Columns of the memory behind those of the expectation: at how many ended jobs the quantiles were taken, and these.
_TAKEN = QUOTIENTS + ALL
_TABLE = _TAKEN + 1


@kernel
def take_quantiles(row: FloatArray, most: int, taken: float) -> None:
    """Write the quantiles of the quotients that a row of the memory remembers."""
    count = min(int(row[ENDED]), most)
    ascending = np.sort(row[QUOTIENTS : QUOTIENTS + count])
    for k in range(QUANTILES):
        row[_TABLE + k] = ascending[int((k + 0.5) * count / QUANTILES)]
    row[_TAKEN] = taken


@kernel
def follow_run_times(news: IntArray, memory: FloatArray, jobs: JobTable, now: int) -> None:
    """:func:`follow_quotients`; then bring the quantiles of the waiting jobs up to date."""
    stale = np.empty(len(jobs.submit), np.bool_)
    everybody = memory[len(memory) - 1]
    before = jobs.past[:, Expected.KNOWN].copy()
    follow_quotients(news, memory, jobs, now)
    for i in range(len(stale)):
        stale[i] = jobs.past[i, Expected.KNOWN] != before[i]
    for i in range(len(stale)):
        if not stale[i]:
            continue
        past = jobs.past[i]
        row = memory[int(past[0])]
        own = row[ENDED] >= FEW
        if not own:
            row = everybody
        if row[ENDED] == 0:
            fill_column(past[FIRST_QUANTILE : FIRST_QUANTILE + QUANTILES], 1.0)
            continue
        taken = row[ENDED] if own else row[ENDED] // REFRESH + 1.0
        if row[_TAKEN] != taken:
            take_quantiles(row, OWN if own else ALL, taken)
        copy_column(past[FIRST_QUANTILE:], row[_TABLE : _TABLE + QUANTILES])


#: Expected run times and quantiles, and the ledger.
RUN_TIMES = History(follow_run_times, _TABLE + QUANTILES, len(Expected) + QUANTILES, ledger=True)


def check_history(what: str, function: Any) -> None:
    """Raise unless a function asks for no history, or for one of run times: a replay keeps one."""
    if history_of(function) not in (None, EXPECTED_RUN_TIMES, RUN_TIMES):
        raise ValueError(
            f"{what} asks for a history of its own, and a replay keeps one: that of run times"
        )


@borrowing_kernel
def quotient_at(past: FloatArray, level: float) -> float:
    """Return the quotient run time / walltime of a job at a level from 0 to 1, linear between the quantiles.

    1 if no history is kept: then a job is taken to use its whole request.
    """
    if len(past) < FIRST_QUANTILE + QUANTILES:
        return 1.0
    place = level * QUANTILES - 0.5
    k = min(max(int(np.floor(place)), 0), QUANTILES - 2)
    low, high = past[FIRST_QUANTILE + k], past[FIRST_QUANTILE + k + 1]
    return float(low + (high - low) * min(max(place - k, 0.0), 1.0))


@borrowing_kernel
def level_of(past: FloatArray, quotient: float) -> float:
    """Return the share of runs that take no more than this quotient of their request: the level at which it stands."""
    if len(past) < FIRST_QUANTILE + QUANTILES:
        return 0.0
    if quotient < past[FIRST_QUANTILE]:
        return 0.0
    for k in range(QUANTILES - 1, -1, -1):
        low = past[FIRST_QUANTILE + k]
        if low <= quotient:
            if k == QUANTILES - 1:
                return 1.0
            high = past[FIRST_QUANTILE + k + 1]
            return float(k + 0.5 + (quotient - low) / max(high - low, 1e-12)) / QUANTILES
    return 0.0


@borrowing_kernel
def run_time_at(past: FloatArray, walltime: int, level: float, elapsed: int) -> int:
    """Return the run time of a job (s) at a level, given that it has run for ``elapsed`` seconds and not ended.

    The levels of the runs that would have ended are left out: from 0 to 1, the others are gone through. A job that has
    outlived them all may end at any moment until its walltime. At least ``elapsed`` + 1, at most the walltime.
    """
    most = max(walltime, elapsed + 1)
    gone = level_of(past, elapsed / walltime) if elapsed > 0 else 0.0
    if gone < 1.0:
        run = int(quotient_at(past, gone + (1.0 - gone) * level) * walltime)
    else:
        run = elapsed + int(level * (most - elapsed))
    return min(max(run, elapsed + 1), most)
