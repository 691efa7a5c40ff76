"""Scenarios: run times drawn from what a user's jobs took of their requests, in which plans and starts are judged.

Levels (:func:`~planbatch.planner.run_times.run_time_at`) are drawn for jobs, not for users and not for scenarios alone:
half of the time, all jobs of one user with one walltime share theirs, since such jobs often are of one kind and end
alike.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from planbatch.planner.kernels.decode import class_limits, fill_guarded
from planbatch.planner.kernels.futures import Futures, new_futures
from planbatch.planner.kernels.job_tables import with_running
from planbatch.planner.kernels.native import borrowing_kernel, kernel, shared_kernel
from planbatch.planner.kernels.profile import room_for
from planbatch.planner.kernels.sorting import copy_column, stable_order
from planbatch.planner.ledger import UNKNOWN, Entry
from planbatch.planner.model import IntArray, JobTable
from planbatch.planner.round import Round, RoundArrays, RunningTable
from planbatch.planner.run_times import run_time_at

#: How often jobs of one user with one walltime share their level.
SHARED = 0.5
#: More scenarios than this would take hours a replay, and say no more.
MOST_SCENARIOS = 1000


@dataclass(frozen=True)
class Scenarios:
    """In how many scenarios plans are judged, and which of them count.

    Attributes
    ----------
    count : int
        How many are drawn in each round.
    risk : float
        From 0 to below 1: the cost of a plan is the mean over the most expensive (1 − risk) of them, the conditional
        value at risk; 0 for the mean of all.

    Raises
    ------
    ValueError
        If one is out of its range; names it.

    Examples
    --------
    >>> import planbatch as pb
    >>> str(pb.Scenarios(8, risk=0.9))
    'scenarios=8,risk=0.9'
    """

    count: int = 8
    risk: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MOST_SCENARIOS:
            raise ValueError(
                f"scenarios: {self.count} is not a number from 1 to {MOST_SCENARIOS:,}"
            )
        if not 0 <= self.risk < 1:
            raise ValueError(f"risk: {self.risk:g} is not from 0 to below 1, such as 0.9")

    def __str__(self) -> str:
        return f"scenarios={self.count}" + (f",risk={self.risk:g}" if self.risk else "")

    @property
    def parameters(self) -> dict[str, float]:
        """The two by the names of their parameters."""
        return {"scenarios": self.count, "risk": self.risk}

    def draw(self, problem: Round, rng: np.random.Generator) -> Futures:
        """Draw the scenarios of a round."""
        drawn: Futures = draw_futures(problem.arrays, self.count, float(self.risk), rng)
        return drawn


@borrowing_kernel
def shared_level(user: int, walltime: int, salt: int) -> float:
    """Return a level from 0 to 1 that all jobs of a user with a walltime have in one scenario."""
    mixed = np.uint64(user + 2) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= np.uint64(walltime) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= np.uint64(salt) * np.uint64(0x165667B19E3779F9)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return float(mixed >> np.uint64(11)) / 9007199254740992.0  # 2^53


@kernel
def level(user: int, walltime: int, salt: int, rng: Any) -> float:
    """Draw the level of a job in a scenario."""
    if rng.random() < SHARED:
        return shared_level(user, walltime, salt)
    return float(rng.random())


@kernel
def drawn_run_times(
    arrays: RoundArrays, jobs: JobTable, waiting: int, coming: IntArray, rng: Any
) -> IntArray:
    """Draw the ends of the running jobs and the run times of others.

    Parameters
    ----------
    arrays : RoundArrays
        The round.
    jobs : JobTable
        Jobs that wait, and behind them jobs to come.
    waiting : int
        How many of them wait.
    coming : int64 array
        From its second entry on, the rows of the ledger after which jobs to come are modelled; one that has ended gives
        its run time.
    rng : Generator
        What is drawn from.

    Returns
    -------
    int64 array, shape (m + n,)
        The ends of the m running jobs (s), as expected if there is no ledger; the run times of ``jobs`` (s).
    """
    running, ledger = arrays.running, arrays.ledger
    m = len(running.end)
    run = np.empty(m + len(jobs.submit), np.int64)
    salt = int(rng.integers(0, 1 << 31))
    for i in range(m):
        run[i] = running.end[i]
        if len(ledger.rows):
            row = ledger.rows[ledger.running[i]]
            drawn = level(row[Entry.USER], row[Entry.WALLTIME], salt, rng)
            elapsed = arrays.now - row[Entry.START]
            past = ledger.past[ledger.running[i]]
            run[i] = row[Entry.START] + run_time_at(past, row[Entry.WALLTIME], drawn, elapsed)
    for i in range(len(jobs.submit)):
        known = UNKNOWN
        if i >= waiting:
            known = ledger.rows[coming[1 + i - waiting], Entry.RUNTIME]
        if known == UNKNOWN:
            drawn = level(jobs.user[i], jobs.walltime[i], salt, rng)
            known = run_time_at(jobs.past[i], jobs.walltime[i], drawn, 0)
        run[m + i] = known
    return run


@kernel
def set_future(futures: Futures, k: int, arrays: RoundArrays, run: IntArray) -> None:
    """Write one scenario: the ends of the running jobs, and behind them the run times of the waiting ones (s)."""
    m = len(arrays.running.end)
    by_end = stable_order(run[:m])
    running = RunningTable(
        arrays.running.procs[by_end], run[:m][by_end], arrays.running.demands[by_end]
    )
    taken = run[m:]
    copy_column(futures.run[k], taken)
    lengths = class_limits(taken)
    copy_column(futures.length_within[k], np.searchsorted(lengths, taken, side="right") - 1)
    copy_column(futures.length_above[k], np.searchsorted(lengths, taken, side="left"))
    seen = with_running(arrays, running)
    futures.size[k] = fill_guarded(seen, futures.times[k], futures.free[k])


@borrowing_kernel
def rounded_off(seconds: int, most: int) -> int:
    """Return a drawn time to three binary digits behind the first, so within 7 %; at most ``most``, which stays exact.

    Times that are multiples of large powers of two have common ends: the profiles of scenarios have fewer breakpoints,
    and plans are judged in half of the time.
    """
    if seconds >= most:
        return most
    unit = 1
    while seconds >= 16 * unit:
        unit *= 2
    return min((seconds + unit // 2) // unit * unit, most)


@shared_kernel
def draw_futures(arrays: RoundArrays, count: int, risk: float, rng: Any) -> Futures:
    """Draw the scenarios in which all plans of a round are judged (common random numbers)."""
    futures = new_futures(arrays, count, room_for(arrays, 0), risk)
    n = len(arrays.planned)
    for k in range(count):
        run = drawn_run_times(arrays, arrays.jobs, n, np.zeros(1, np.int64), rng)
        m = len(run) - n
        for i in range(m):
            left = arrays.running.end[i] - arrays.now
            run[i] = arrays.now + rounded_off(run[i] - arrays.now, left)
        for i in range(n):
            run[m + i] = rounded_off(run[m + i], arrays.jobs.walltime[i])
        set_future(futures, k, arrays, run)
    return futures
