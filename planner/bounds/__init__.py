"""Lower bounds of the cost of every plan of a round.

``lower_bound(problem, objective)`` is all that others need; the bound depends on what the objective declares about
itself.
"""

from dataclasses import replace

import numpy as np

from planbatch.planner.arguments import expect
from planbatch.planner.bounds.largest import largest_bound
from planbatch.planner.bounds.resources import alone_bound, relaxations, sum_relaxations
from planbatch.planner.bounds.separable import ROW_ITERATIONS, sum_bound
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.optimizer import Result, Status
from planbatch.planner.registry.objective import as_objective
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms, check_terms

#: Default iterations of the subgradient method: well below a second for 300 waiting jobs.
ITERATIONS = 2 * ROW_ITERATIONS

__all__ = ["ITERATIONS", "bounded", "lower_bound", "terms_bound"]


def terms_bound(problem: Round, terms: Terms, upper: float | None = None, iterations: int = ITERATIONS) -> float:
    """Return a lower bound of an objective given by its terms; see :func:`lower_bound`."""
    checked = check_terms(terms, len(problem))
    if not len(problem):
        return 0.0
    best = alone_bound(problem, checked)
    if checked.largest:
        return max(best, *(largest_bound(relaxed, checked) for relaxed in relaxations(problem)))
    bounds = (sum_bound(relaxed, checked, upper, iterations, order) for relaxed, order in sum_relaxations(problem))
    return max(best, *bounds)


def lower_bound(
    problem: Round, objective: Objective | Cost | str, upper: float | None = None, iterations: int = ITERATIONS
) -> float:
    """Return a lower bound of the cost of every feasible plan of the round.

    Parameters
    ----------
    problem : Round
        The round.
    objective : Objective, function or str
        The objective, or its name. Its own ``bound`` is used first, then its ``terms``.
    upper : float, optional
        The cost of a plan: it guides the search for prices, and the bound holds whatever it is.
    iterations : int
        Iterations of the subgradient method, which sums of terms use; 0 for the fluid bound alone, and from 1,001 on
        with prices of configurations. For the same ``upper``, more iterations never give a smaller bound.

    Returns
    -------
    float
        The bound, in the units of the objective; NaN if the objective declares neither.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.lower_bound(problem, "wait"), pb.solve(problem, "wait").cost
    (25.0, 25.0)
    """
    expect("problem", problem, Round)
    cost = as_objective(objective)
    if cost.bound is not None:
        return float(cost.bound(problem, upper, iterations))
    if cost.terms is not None:
        return terms_bound(problem, cost.terms_of(problem), upper, iterations)
    return float("nan")


def bounded(result: Result, problem: Round, objective: Objective, iterations: int = ITERATIONS) -> Result:
    """Return ``result`` with the larger of its bound and :func:`lower_bound`; optimal if that is its cost."""
    bound = lower_bound(problem, objective, result.cost, iterations)
    best = float(np.fmax(bound, result.lower_bound))
    proven = result.status is Status.FINISHED and best >= result.cost
    status = Status.OPTIMAL if proven else result.status
    return replace(result, lower_bound=best, status=status)
