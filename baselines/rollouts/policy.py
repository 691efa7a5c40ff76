"""Rollouts: each set of jobs that could start now is judged by simulating what a base policy makes of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from planbatch.baselines.policy import CompiledPolicy, Traits
from planbatch.baselines.rollouts.candidates import Candidates, candidates_of, propose, with_expected_run_times
from planbatch.baselines.rollouts.scenarios import draw_future
from planbatch.baselines.rollouts.simulation import new_workspace, simulate
from planbatch.planner.budget import as_budget
from planbatch.planner.durations import seconds_of
from planbatch.planner.history import history_of
from planbatch.planner.kernels.job_tables import chosen_jobs
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.kernels.profile import any_fits
from planbatch.planner.kernels.signatures import Report
from planbatch.planner.kernels.sorting import fill_column, stable_order
from planbatch.planner.model import NEVER, BoolArray, FloatArray, IntArray
from planbatch.planner.optimizers.annealing.optimizer import Annealing, decide_annealing
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.orders import OrderKeys, as_order
from planbatch.planner.plugins.objective import as_objective
from planbatch.planner.round import RoundArrays
from planbatch.planner.run_times import RUN_TIMES

#: Simulations look at so many waiting jobs, the first in the base order, and at those that a candidate starts.
MOST_WAITING = 200


@kernel
def looked_at(found: Candidates, keys: FloatArray) -> IntArray:
    """Return the waiting jobs that simulations look at, ascending."""
    marked = np.zeros(len(keys), np.bool_)
    for job in stable_order(keys)[:MOST_WAITING]:
        marked[job] = True
    for c in range(found.count[0]):
        for i in range(len(keys)):
            if found.sets[c, i]:
                marked[i] = True
    return np.flatnonzero(marked)


@borrowing_kernel
def best_of(total: FloatArray, square: FloatArray, samples: int, confidence: float) -> int:
    """Return the candidate with the least mean cost of those that are surely better than the first, or the first.

    Candidates have met the same scenarios, so their differences to the first are compared, not their costs.

    Parameters
    ----------
    total, square : float64 arrays, shape (c,)
        The sums of the differences and of their squares over the scenarios.
    samples : int
        Scenarios.
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
def judge(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    found: Candidates,
    keys: FloatArray,
    samples: int,
    span: int,
    confidence: float,
    rng: Any,
    report: FloatArray,
) -> int:
    """Simulate every candidate in the same scenarios; return the one to start."""
    count = found.count[0]
    which = looked_at(found, keys)
    jobs = chosen_jobs(arrays.jobs, which)
    sets = np.empty((count, len(which)), np.bool_)
    for c in range(count):
        for i in range(len(which)):
            sets[c, i] = found.sets[c, which[i]]
    total, square = np.zeros(count), np.zeros(count)
    base = 0.0
    for _ in range(samples):
        future = draw_future(arrays, jobs, order, span, rng)
        work = new_workspace(arrays, len(future.order))
        start = np.empty(len(future.order), np.int64)
        first = 0.0
        for c in range(count):
            simulate(arrays, future, sets[c], work, start)
            value = cost(start, future.jobs, arrays.now)
            if c == 0:
                first = value
                base += value / samples
            total[c] += value - first
            square[c] += (value - first) ** 2
    best = best_of(total, square, samples, confidence)
    report[Report.EVALUATIONS] = samples * count
    report[Report.SEED_COST] = base
    report[Report.COST] = base + total[best] / samples
    return best


@kernel
def decide_rollouts(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """Start the candidate after which the base policy, EASY in ``order``, is expected to cost least.

    ``params``: scenarios; seconds for which jobs come in them; the confidence of :func:`best_of`.

    This is one step of policy improvement by rollouts (Bertsekas and Castañon: "Rollout Algorithms for Stochastic
    Scheduling Problems", Journal of Heuristics 5, 1999): if the scenarios are the truth, the policy is no worse than
    its base.
    """
    fill_column(start, NEVER)
    if not any_fits(arrays):
        return
    keys = order(arrays.jobs, arrays.now)
    found = candidates_of(arrays, keys)
    if params[3] > 0:
        searched = np.zeros(3)
        decide_annealing(arrays, order, cost, params[3:], rng, start, searched)
        propose(found, arrays, start)
        if len(arrays.windows.start) == 0:
            expected = with_expected_run_times(arrays)
            decide_annealing(expected, order, cost, params[3:], rng, start, searched)
            propose(found, arrays, start)
        fill_column(start, NEVER)
    best = 0
    if found.count[0] > 1:
        samples, span = int(params[0]), int(params[1])
        best = judge(arrays, order, cost, found, keys, samples, span, params[2], rng, report)
    chosen: BoolArray = found.sets[best]
    for i in range(len(start)):
        if chosen[i]:
            start[i] = arrays.now


@dataclass(frozen=True)
class Rollouts(CompiledPolicy):
    """:func:`decide_rollouts`."""


def rollouts(
    order: str | OrderKeys = "wfp3",
    objective: Objective | Cost | str = "squared-wait",
    samples: int = 8,
    coming: str = "6h",
    confidence: float = 2.0,
    evaluations: int = 0,
    name: str = "rollouts",
) -> CompiledPolicy:
    """Simulate what EASY would make of each set of jobs that could start now, in sampled futures; start the best.

    Parameters
    ----------
    order : str or callable
        The order of the EASY that is simulated, and followed unless another start is better.
    objective : str or callable
        What a future costs: the waits of the jobs that wait and of those that will come.
    samples : int
        Futures in which each set is simulated.
    coming : str
        For how long jobs come in a future, such as ``6h``; ``0s`` for none.
    confidence : float
        By how many standard errors a set must be better than EASY's to be started.
    name : str
        What tables call it.

    Raises
    ------
    ValueError
        If a parameter is out of its range, there is no order or objective of a name, or one of them asks for a history
        other than that of run times.
    """
    if not samples >= 1:
        raise ValueError(f"rollouts: samples: {samples} is no positive number of futures")
    if not confidence >= 0:
        raise ValueError(f"rollouts: confidence: {confidence} is negative")
    span = seconds_of(coming)
    by, costs = as_order(order), as_objective(objective)
    return Rollouts(
        name,
        decide_rollouts,
        order=by,
        cost=costs.cost,
        params=(float(samples), float(span), float(confidence), *Annealing().compiled(costs, as_budget(evaluations), False).params),
        traits=Traits(searches=True),
        history=RUN_TIMES,
    )
