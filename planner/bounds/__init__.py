"""Lower bounds of the cost of every plan of a round.

``lower_bound(problem, objective)`` is all that others need; the bound depends on what the objective declares about
itself.
"""

from dataclasses import replace

import numpy as np

from planbatch.planner.arguments import expect
from planbatch.planner.bounds.largest import largest_bound, largest_root
from planbatch.planner.bounds.resources import alone_bound, relaxations, sum_relaxations
from planbatch.planner.bounds.separable import ROW_ITERATIONS, least_cost, rounded_up, seed_start, sum_bound
from planbatch.planner.bounds.staircase import without_windows
from planbatch.planner.bounds.tree import MOST_JOBS, NODES, Tree
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.optimizer import Result, Status
from planbatch.planner.registry.objective import as_objective
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms, check_terms

#: Default iterations: about a second for a few dozen waiting jobs, less for more.
ITERATIONS = 3 * ROW_ITERATIONS

__all__ = ["ITERATIONS", "bounded", "lower_bound", "terms_bound"]


def terms_bound(problem: Round, terms: Terms, upper: float | None = None, iterations: int = ITERATIONS) -> float:
    """Return a lower bound of an objective given by its terms; see :func:`lower_bound`."""
    checked = check_terms(terms, len(problem))
    if not len(problem):
        return 0.0
    best = alone_bound(problem, checked)
    whole = without_windows(problem)
    nodes = NODES * max(iterations - 2 * ROW_ITERATIONS, 0) if len(problem) <= MOST_JOBS else 0
    if checked.largest:
        best = max(best, *(largest_bound(relaxed, checked) for relaxed in relaxations(problem)))
        if nodes == 0:
            return best
        cost = least_cost(checked, seed_start(whole, checked), upper)
        root = largest_root(whole, checked, best, cost)
        return max(best, rounded_up(Tree(whole, checked, root, cost * checked.divisor).bound(nodes), checked))
    for k, (relaxed, resources) in enumerate(sum_relaxations(whole)):
        best = max(best, sum_bound(relaxed, checked, upper, iterations, resources, 0 if k else nodes))
    return best


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
        Iterations, which sums of terms use: 0 for the fluid bound alone, the first 1,000 of the subgradient method with
        prices of rows of capacity, the next 1,000 with prices of configurations; further ones visit 1,000 nodes each of
        a branch and bound, in rounds of up to 62 jobs. For the same ``upper``, more iterations never give a smaller
        bound.

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
