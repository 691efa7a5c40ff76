"""Rollouts: each set of jobs that could start now is evaluated by simulating a base policy from there.

The decision is in the core (``core/policies/rollouts``): candidates, futures, simulation and judgement.
"""

from planbatch import _core
from planbatch.baselines.policy import CorePolicy, Traits
from planbatch.planner.arguments import whole
from planbatch.planner.budget import REPLAY_EVALUATIONS, Budget
from planbatch.planner.durations import seconds_of
from planbatch.planner.history.expectation import RUN_TIMES, check_history
from planbatch.planner.history.history import history_of
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.orders.catalogue import as_order
from planbatch.planner.orders.order import OrderKeys, core_order
from planbatch.planner.registry.objective import as_objective

#: Futures in each round unless their number or a time is given.
DEFAULT_SAMPLES = 16


def rollouts(
    order: str | OrderKeys = "wfp3",
    objective: Objective | Cost | str = "squared-wait",
    samples: int | None = None,
    coming: str = "0s",
    confidence: float = 2.0,
    evaluations: int | None = None,
    seconds: float | None = None,
    name: str = "rollouts",
) -> CorePolicy:
    """Simulate what EASY would make of each set of jobs that could start now, in sampled futures; start the best.

    Experimental: it may change in any release. This is one step of policy improvement by rollouts (Bertsekas and
    Castañon: "Rollout Algorithms for Stochastic Scheduling Problems", Journal of Heuristics 5, 1999): if the futures
    are the truth, the policy is no worse than its base. After k futures with all sets proposed, the decision under a
    time is that of ``samples=k`` without one.

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
        If a parameter is out of its range, there is no order or objective of a name, or one of them asks for a history
        other than that of run times.
    """
    if samples is None and seconds is None:
        samples = DEFAULT_SAMPLES
    if samples is not None:
        samples = whole("rollouts: samples", samples, 1, "futures")
    evaluations = whole("rollouts: evaluations", REPLAY_EVALUATIONS if evaluations is None else evaluations)
    if not confidence >= 0:
        raise ValueError(f"rollouts: confidence: {confidence} is negative")
    if seconds is not None:
        Budget(seconds=seconds)
    by, costs, search = as_order(order), as_objective(objective), Annealing()
    check_history("rollouts: the order", history_of(by))
    check_history("rollouts: the objective", history_of(costs.cost))
    core = _core.Rollouts(
        core_order(by),
        costs.core,
        search.setting,
        search.first_numbers.tolist(),
        evaluations,
        samples,
        seconds_of(coming),
        float(confidence),
        seconds,
    )
    parameters = {
        "objective": costs.name,
        "samples": samples,
        "coming": coming,
        "confidence": confidence,
        "evaluations": evaluations,
        "seconds": seconds,
    }
    return CorePolicy(name, core, Traits(searches=True, parameters=parameters), RUN_TIMES)
