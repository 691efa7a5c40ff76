"""The judgement of candidates: all are simulated in the same futures, one future after the other."""

from typing import Any, NamedTuple

import numpy as np
from planbatch.planner.kernels.job_tables import chosen_jobs
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.kernels.signatures import Report
from planbatch.planner.kernels.sorting import stable_order

from planbatch.baselines.rollouts.candidates import Candidates
from planbatch.baselines.rollouts.scenarios import draw_future
from planbatch.baselines.rollouts.simulation import new_workspace, simulate
from planbatch.planner.model import BoolArray, FloatArray, IntArray, JobTable
from planbatch.planner.objective import NotFiniteError
from planbatch.planner.round import RoundArrays

#: Simulations look at so many waiting jobs, the first in the base order, and at those that a candidate starts.
MOST_WAITING = 200


class Judgement(NamedTuple):
    """What simulations have shown so far. Candidates meet the same futures, so differences to the first are summed.

    Attributes
    ----------
    jobs : JobTable
        The waiting jobs that simulations look at.
    sets : bool array, shape (c, len(jobs))
        Which of them each candidate starts.
    total, square : float64 array, shape (c,)
        The sums of the differences to the first candidate's cost, and of their squares.
    base : float64 array, shape (2,)
        Futures simulated; the sum of the first candidate's costs in them.
    """

    jobs: JobTable
    sets: BoolArray
    total: FloatArray
    square: FloatArray
    base: FloatArray


@kernel
def looked_at(known: Candidates, keys: FloatArray) -> IntArray:
    """Return the waiting jobs that simulations look at, ascending."""
    marked = np.zeros(len(keys), np.bool_)
    for job in stable_order(keys)[:MOST_WAITING]:
        marked[job] = True
    for c in range(known.number[0]):
        for i in range(len(keys)):
            if known.sets[c, i]:
                marked[i] = True
    return np.flatnonzero(marked)


@kernel
def new_judgement(arrays: RoundArrays, known: Candidates, keys: FloatArray) -> Judgement:
    """Return the judgement of candidates before the first future; ``keys`` are those of the base order."""
    count = known.number[0]
    which = looked_at(known, keys)
    sets = np.empty((count, len(which)), np.bool_)
    for c in range(count):
        for i in range(len(which)):
            sets[c, i] = known.sets[c, which[i]]
    return Judgement(
        chosen_jobs(arrays.jobs, which), sets, np.zeros(count), np.zeros(count), np.zeros(2)
    )


@kernel
def judge_in_a_future(
    arrays: RoundArrays, order: Any, cost: Any, span: int, rng: Any, known: Judgement
) -> None:
    """Draw a future, in which jobs come for ``span`` seconds, and simulate every candidate in it."""
    future = draw_future(arrays, known.jobs, order, span, rng)
    work = new_workspace(arrays, len(future.order))
    start = np.empty(len(future.order), np.int64)
    first = 0.0
    for c in range(len(known.sets)):
        simulate(arrays, future, known.sets[c], work, start)
        value = cost(start, future.jobs, arrays.now)
        if not np.isfinite(value):
            raise NotFiniteError
        if c == 0:
            first = value
            known.base[0] += 1.0
            known.base[1] += value
        known.total[c] += value - first
        known.square[c] += (value - first) ** 2


@borrowing_kernel
def best_of(total: FloatArray, square: FloatArray, samples: int, confidence: float) -> int:
    """Return the candidate with the least mean cost of those that are surely better than the first, or the first.

    Candidates have met the same futures, so their differences to the first are compared, not their costs.

    Parameters
    ----------
    total, square : float64 arrays, shape (c,)
        The sums of the differences and of their squares over the futures.
    samples : int
        Futures.
    confidence : float
        By how many standard errors the mean difference has to be below 0.
    """
    best = 0
    for c in range(1, len(total)):
        spread = np.sqrt(max(square[c] - total[c] ** 2 / samples, 0.0))
        if total[c] < total[best] and -total[c] > confidence * spread:
            best = c
    return best


@kernel
def concluded(known: Judgement, confidence: float, report: FloatArray) -> int:
    """Return the candidate to start, the first if no future was simulated; report what was simulated."""
    samples = int(known.base[0])
    if samples == 0:
        return 0
    best = best_of(known.total, known.square, samples, confidence)
    report[Report.EVALUATIONS] = samples * len(known.total)
    report[Report.SEED_COST] = known.base[1] / samples
    report[Report.COST] = (known.base[1] + known.total[best]) / samples
    return best
