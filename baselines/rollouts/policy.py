"""Rollouts: each set of jobs that could start now is judged by simulating what a base policy makes of it."""

from typing import Any

from numba.core import config
from numba.core.dispatcher import Dispatcher
from planbatch.planner.kernels.native import kernel
from planbatch.planner.kernels.profile import any_fits
from planbatch.planner.kernels.sorting import fill_column
from planbatch.planner.optimizers.annealing.optimizer import Annealing
from planbatch.planner.run_times import RUN_TIMES, check_history

from planbatch.baselines.plan_based import DEFAULT_EVALUATIONS
from planbatch.baselines.policy import CompiledPolicy, Traits
from planbatch.baselines.rollouts.candidates import candidates_of
from planbatch.baselines.rollouts.judgement import (
    concluded,
    judge_in_a_future,
    new_judgement,
)
from planbatch.baselines.rollouts.timed import TimedRollouts
from planbatch.planner.budget import Budget
from planbatch.planner.durations import seconds_of
from planbatch.planner.model import NEVER, BoolArray, FloatArray, IntArray
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.orders import OrderKeys, as_order
from planbatch.planner.plugins.objective import as_objective
from planbatch.planner.round import RoundArrays

#: Futures in each round unless their number or a time is given.
DEFAULT_SAMPLES = 16


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
        judged = new_judgement(arrays, known, keys)
        for _ in range(int(params[0])):
            judge_in_a_future(arrays, order, cost, int(params[1]), rng, judged)
        best = concluded(judged, params[2], report)
    chosen: BoolArray = known.sets[best]
    for i in range(len(start)):
        if chosen[i]:
            start[i] = arrays.now


def rollouts(
    order: str | OrderKeys = "wfp3",
    objective: Objective | Cost | str = "squared-wait",
    samples: int | None = None,
    coming: str = "0s",
    confidence: float = 2.0,
    evaluations: int | None = None,
    seconds: float | None = None,
    name: str = "rollouts",
) -> CompiledPolicy | TimedRollouts:
    """Simulate what EASY would make of each set of jobs that could start now, in sampled futures; start the best.

    Parameters
    ----------
    order : str or callable
        The order of the EASY that is simulated, and followed unless another start is better.
    objective : str or callable
        What a future costs: the waits of the jobs that wait and of those that will come.
    samples : int, optional
        Futures in which each set is simulated: 16 by default, or as many as there is time for.
    coming : str
        For how long jobs come in a future, such as ``6h``; ``0s`` for none.
    confidence : float
        By how many standard errors a set must be better than EASY's to be started.
    evaluations : int, optional
        With how many evaluations a plan is searched for, whose start is another set; 0 for none, 100 by default.
    seconds : float, optional
        Time of each round (s), which ends the simulations, the search and the proposals of further sets.
    name : str
        What tables call it.

    Raises
    ------
    ValueError
        If a parameter is out of its range, there is no order or objective of a name, or one of them is plain Python or
        asks for a history other than that of run times.
    """
    if samples is None and seconds is None:
        samples = DEFAULT_SAMPLES
    if samples is not None and not samples >= 1:
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
    drawn = float("inf") if samples is None else float(samples)
    untimed = CompiledPolicy(
        name,
        decide_rollouts,
        order=by,
        cost=costs.cost,
        params=(drawn, float(span), float(confidence), *Annealing().packed(evaluations)),
        traits=Traits(
            searches=True,
            parameters={
                "objective": costs.name,
                "samples": samples,
                "coming": coming,
                "confidence": confidence,
                "evaluations": evaluations,
                "seconds": seconds,
            },
        ),
        history=RUN_TIMES,
    )
    if seconds is None:
        return untimed
    return TimedRollouts(untimed, costs, Budget(seconds=seconds, evaluations=evaluations))
