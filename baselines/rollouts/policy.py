"""Rollouts: each set of jobs that could start now is judged by simulating what a base policy makes of it."""

from typing import Any

import numpy as np
from numba.core import config
from numba.core.dispatcher import Dispatcher

from planbatch.baselines.plan_based import DEFAULT_EVALUATIONS
from planbatch.baselines.policy import CompiledPolicy, Traits
from planbatch.baselines.rollouts.candidates import Candidates, candidates_of
from planbatch.baselines.rollouts.scenarios import draw_future
from planbatch.baselines.rollouts.simulation import new_workspace, simulate
from planbatch.planner.durations import seconds_of
from planbatch.planner.kernels.job_tables import chosen_jobs
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.kernels.profile import any_fits
from planbatch.planner.kernels.signatures import Report
from planbatch.planner.kernels.sorting import fill_column, stable_order
from planbatch.planner.model import NEVER, BoolArray, FloatArray, IntArray
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.optimizers.annealing.optimizer import Annealing
from planbatch.planner.orders import OrderKeys, as_order
from planbatch.planner.plugins.objective import as_objective
from planbatch.planner.round import RoundArrays
from planbatch.planner.run_times import RUN_TIMES, check_history

#: Simulations look at so many waiting jobs, the first in the base order, and at those that a candidate starts.
MOST_WAITING = 200


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
    known: Candidates,
    keys: FloatArray,
    samples: int,
    span: int,
    confidence: float,
    rng: Any,
    report: FloatArray,
) -> int:
    """Simulate every candidate in the same scenarios; return the one to start."""
    count = known.number[0]
    which = looked_at(known, keys)
    jobs = chosen_jobs(arrays.jobs, which)
    sets = np.empty((count, len(which)), np.bool_)
    for c in range(count):
        for i in range(len(which)):
            sets[c, i] = known.sets[c, which[i]]
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

    ``params``: scenarios; seconds for which jobs come in them; the confidence of :func:`best_of`; the parameters of the
    annealing that searches for a plan.

    This is one step of policy improvement by rollouts (Bertsekas and Castañon: "Rollout Algorithms for Stochastic
    Scheduling Problems", Journal of Heuristics 5, 1999): if the scenarios are the truth, the policy is no worse than
    its base.

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (see above),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("rollouts")
    >>> policy.compiled_form().decide is pb.decide_rollouts
    True
    """
    fill_column(start, NEVER)
    if not any_fits(arrays):
        return
    keys = order(arrays.jobs, arrays.now)
    known = candidates_of(arrays, order, cost, keys, params[3:], rng)
    best = 0
    if known.number[0] > 1:
        samples, span = int(params[0]), int(params[1])
        best = judge(arrays, order, cost, known, keys, samples, span, params[2], rng, report)
    chosen: BoolArray = known.sets[best]
    for i in range(len(start)):
        if chosen[i]:
            start[i] = arrays.now


def rollouts(
    order: str | OrderKeys = "wfp3",
    objective: Objective | Cost | str = "squared-wait",
    samples: int = 16,
    coming: str = "0s",
    confidence: float = 2.0,
    evaluations: int | None = None,
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
    evaluations : int, optional
        With how many evaluations a plan is searched for, whose start is another set; 0 for none, 100 by default.
    name : str
        What tables call it.

    Raises
    ------
    ValueError
        If a parameter is out of its range, there is no order or objective of a name, or one of them is plain Python or
        asks for a history other than that of run times.
    """
    if not samples >= 1:
        raise ValueError(f"rollouts: samples: {samples} is no positive number of futures")
    evaluations = DEFAULT_EVALUATIONS if evaluations is None else evaluations
    if not evaluations >= 0:
        raise ValueError(f"rollouts: evaluations: {evaluations} is negative")
    if not confidence >= 0:
        raise ValueError(f"rollouts: confidence: {confidence} is negative")
    span = seconds_of(coming)
    by, costs = as_order(order), as_objective(objective)
    check_history("rollouts: the order", by)
    check_history("rollouts: the objective", costs.cost)
    if not config.DISABLE_JIT and not (isinstance(by, Dispatcher) and costs.compiled):
        what = "order" if costs.compiled else f"objective {costs.name}"
        raise ValueError(
            f"rollouts: the {what} is plain Python, which simulations cannot call: write what numba compiles"
        )
    return CompiledPolicy(
        name,
        decide_rollouts,
        order=by,
        cost=costs.cost,
        params=(float(samples), float(span), float(confidence), *Annealing().packed(evaluations)),
        traits=Traits(
            searches=True,
            parameters={
                "objective": costs.name,
                "samples": samples,
                "coming": coming,
                "confidence": confidence,
                "evaluations": evaluations,
            },
        ),
        history=RUN_TIMES,
    )
