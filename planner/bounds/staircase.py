"""The processors that running jobs leave, as rising staircases, and the rows of capacity built on them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planbatch import _core
from planbatch.planner.model import FloatArray, IntArray
from planbatch.planner.profile import Profile
from planbatch.planner.resources import no_windows
from planbatch.planner.round import Round

#: Whole numbers up to here are exact in float64.
EXACT = 2.0**53
#: Above this many steps of the knapsacks, capacities are not tightened.
KNAPSACK_STEPS = 50_000_000


class Staircase(NamedTuple):
    """Free processors of a round from now on; running jobs only ever end, so the levels rise."""

    times: FloatArray  #: shape (k,): breakpoints (s after now); the first is 0
    #: Shape (k,): free processors from each breakpoint until the next; the last level is the capacity.
    levels: IntArray

    def earliest(self, procs: IntArray) -> FloatArray:
        """Return the earliest start (s after now) of a job of each size, if it were the only one."""
        return self.times[np.searchsorted(self.levels, procs)]


class Rows(NamedTuple):
    """Kinds of capacity: at every moment, the coefficients of the jobs in progress add up to at most a level."""

    sizes: IntArray  #: shape (q,): the different sizes of jobs (processors), ascending
    jobs: IntArray  #: shape (q,): how many jobs of each size there are
    #: Shape (q, rows): demand of a job of each size, in units of the last level of every row. Row 0 is that of the
    #: processors.
    coef: FloatArray
    #: Shape (rows, k): available amount from each breakpoint of the staircase on; the last is 1.
    levels: FloatArray

    def coefficients(self, amounts: IntArray) -> FloatArray:
        """Return the demand of jobs that take these amounts, a row each; zero of those that take nothing."""
        demand = np.zeros((len(amounts), len(self.levels)))
        taking = amounts > 0
        demand[taking] = self.coef[np.searchsorted(self.sizes, amounts[taking])]
        return demand


def processors_alone(problem: Round) -> Round:
    """Return the round without other resources and without windows: no plan costs more than before."""
    if not problem.resources and not len(problem.windows.start):
        return problem
    jobs = problem.jobs._replace(demands=problem.jobs.demands[:, :0])
    running = problem.running._replace(demands=problem.running.demands[:, :0])
    return replace(problem, jobs=jobs, running=running, resources=(), windows=no_windows(0))


def without_windows(problem: Round) -> Round:
    """Return the round without windows: no plan costs more than before."""
    return replace(problem, windows=no_windows(len(problem.resources))) if len(problem.windows.start) else problem


def staircase(problem: Round) -> Staircase:
    """Return the staircase of processors that running jobs leave; other resources and windows are relaxed."""
    return staircases(problem, (0,))[0]


def staircases(problem: Round, resources: Sequence[int]) -> list[Staircase]:
    """Return a staircase per resource, a column of :attr:`Round.demands`, with common breakpoints, without windows."""
    profile = Profile(without_windows(problem))
    times, free = (profile.times - problem.now).astype(np.float64), profile.free.reshape(len(profile.times), -1)
    return [Staircase(times, np.ascontiguousarray(free[:, k])) for k in resources]


def row_coefficients(sizes: IntArray, capacity: int) -> list[tuple[int, IntArray]]:
    """Return pairs (k, whole numbers a(size)) that are worth a row of their own, besides the sizes themselves.

    ⌈k·size/capacity⌉ − 1 is a dual feasible function (Fekete, Schepers 2001): of jobs that run side by side on
    ``free`` processors, it adds up to at most ⌈k·free/capacity⌉ − 1, and so does the number of jobs wider than
    capacity/k. Such rows measure how much wide jobs waste.
    """
    rows = [(k, -(-k * sizes // capacity) - 1) for k in range(2, 7)]
    rows += [(k, (k * sizes > capacity).astype(np.int64)) for k in range(3, 7)]
    distinct: list[tuple[int, IntArray]] = []
    for k, row in rows:
        if row.any() and not any((row == other).all() for _, other in distinct):
            distinct.append((k, row))
    return distinct


def capacity_rows(stairs: Staircase, procs: IntArray, weight: IntArray) -> Rows:
    """Return the rows of a round.

    Each level is the most that a subset of the waiting jobs can take side by side of the free processors (a bounded
    knapsack), which is less than the free processors themselves if sizes do not add up to them. ``procs``, shape (j,),
    are the processors of the waiting jobs, and each entry stands for ``weight`` of them.
    """
    sizes, index = np.unique(procs, return_inverse=True)
    count = np.bincount(index, weights=weight).astype(np.int64)
    capacity = int(stairs.levels[-1])
    unit = int(np.gcd.reduce(sizes))
    rows = [(1, sizes), *row_coefficients(sizes, capacity)]
    steps = len(rows) * (capacity // unit) * int(np.log2(count + 1).sum() + len(sizes))
    coef = np.empty((len(sizes), len(rows)))
    levels = np.empty((len(rows), len(stairs.times)))
    for r, (k, row) in enumerate(rows):
        if steps <= KNAPSACK_STEPS:
            most = _core.most_value(sizes // unit, row, count, capacity // unit)[stairs.levels // unit]
        else:
            most = stairs.levels if r == 0 else np.maximum(-(-k * stairs.levels // capacity) - 1, 0)
        coef[:, r] = row / most[-1]
        levels[r] = most / most[-1]
    return Rows(sizes, count, coef, levels)


def resource_rows(stairs: Staircase, amounts: IntArray, weight: IntArray) -> Rows:
    """Return the rows of a resource that some jobs take nothing of; none if no job takes any."""
    taking = amounts > 0
    if taking.any():
        return capacity_rows(stairs, amounts[taking], weight[taking])
    nothing = np.empty(0, dtype=np.int64)
    return Rows(nothing, nothing, np.empty((0, 0)), np.empty((0, len(stairs.times))))


class Rooms(NamedTuple):
    """The free processors in each bucket, and the jobs that may share them; in units that divide all sizes."""

    units: IntArray  #: shape (q,): units of a job of each size
    jobs: IntArray  #: shape (q,): how many jobs of each size there are
    rooms: IntArray  #: shape (k,): free units, ascending
    seconds: FloatArray  #: shape (k, buckets): seconds of each bucket with so many free units

    @property
    def steps(self) -> int:
        """The steps of one knapsack for every bucket."""
        portions = np.log2(self.jobs + 1).sum() + len(self.units)
        return int(self.rooms[-1] * portions) * self.seconds.shape[1] + 1


def free_rooms(stairs: Staircase, rows: Rows, edges: FloatArray) -> Rooms:
    """Return the free processors between ``edges`` (s after now), for the jobs of :func:`capacity_rows`."""
    unit = int(np.gcd.reduce(rows.sizes))
    rooms, level = np.unique(stairs.levels // unit, return_inverse=True)
    ends = np.append(stairs.times[1:], np.inf)[:, None]
    overlap = np.minimum(ends, edges[1:]) - np.maximum(stairs.times[:, None], edges[:-1])
    seconds = np.zeros((len(rooms), len(edges) - 1))
    np.add.at(seconds, level, np.maximum(overlap, 0.0))
    return Rooms(rows.sizes // unit, rows.jobs, rooms, seconds)


def areas_at(times: FloatArray, level: FloatArray, when: FloatArray) -> FloatArray:
    """Return ∫₀^when level(t) dt for every entry of ``when``."""
    whole = np.concatenate([[0.0], np.cumsum(level[:-1] * np.diff(times))])
    i = np.searchsorted(times, when, side="right") - 1
    area: NDArray[np.float64] = whole[i] + level[i] * (when - times[i])
    return area


def when_used(times: FloatArray, level: FloatArray, area: FloatArray) -> FloatArray:
    """Return the earliest moment at which the level has provided each area (inverse of :func:`areas_at`)."""
    whole = np.concatenate([[0.0], np.cumsum(level[:-1] * np.diff(times))])
    i = np.maximum(np.searchsorted(whole, area, side="left") - 1, 0)
    moment: NDArray[np.float64] = times[i] + (area - whole[i]) / np.maximum(level[i], 1e-300)
    return np.where(area <= 0, 0.0, moment)
