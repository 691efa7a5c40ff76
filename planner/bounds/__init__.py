"""Lower bounds of the cost of every plan of a round.

``lower_bound(problem, objective)`` is all that others need; the bound depends on what the objective declares about
itself.
"""

from dataclasses import replace
from numbers import Real

import numpy as np

from planbatch.planner.arguments import expect, whole
from planbatch.planner.bounds.largest import largest_bound
from planbatch.planner.bounds.proof import Proof, known_plan, seed_start
from planbatch.planner.bounds.resources import alone_bound, relaxations, sum_relaxations
from planbatch.planner.bounds.separable import ROW_ITERATIONS, prove_sum
from planbatch.planner.bounds.staircase import without_windows
from planbatch.planner.bounds.tree import MOST_JOBS, NODES, SMALL_ROUND, prove_without_prices
from planbatch.planner.decoder import decode
from planbatch.planner.display import short_repr
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.optimizer import Result, Status
from planbatch.planner.promises import with_feasible_promises
from planbatch.planner.registry.objective import as_objective
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms, check_terms, jobs_that_count, order_of_some, terms_of_some

#: Iterations of relaxations alone, and the default: about a second for a few dozen waiting jobs, less for more.
RELAXATIONS, ITERATIONS = 2 * ROW_ITERATIONS, 3 * ROW_ITERATIONS
#: At least so many for small rounds whose plan is looked for.
SMALL_ITERATIONS = 4 * ROW_ITERATIONS

__all__ = ["ITERATIONS", "RELAXATIONS", "bounded", "lower_bound", "prove", "prove_terms", "terms_bound"]


def prove_terms(problem: Round, terms: Terms, upper: float | None = None, iterations: int = ITERATIONS) -> Proof:
    """Prove a lower bound of an objective given by its terms; see :func:`lower_bound`.

    Jobs that cost nothing may start after all others, so the proof does without them. Promises that cannot all be kept
    are relaxed, as in searches.
    """
    checked = check_terms(terms, len(problem))
    problem = with_feasible_promises(problem)
    counts = jobs_that_count(problem, checked)
    if counts.all():
        return _prove_terms(problem, checked, upper, iterations)
    proof = _prove_terms(problem.only(counts), terms_of_some(checked, counts), upper, iterations)
    if proof.start is None:
        return proof
    return proof._replace(start=decode(problem, order_of_some(proof.start, counts)).start)


def _prove_terms(problem: Round, checked: Terms, upper: float | None, iterations: int) -> Proof:
    if not len(problem):
        return Proof(0.0)
    nodes = NODES * max(iterations - RELAXATIONS, 0)
    best = Proof(alone_bound(problem, checked))
    whole = without_windows(problem)
    branched = nodes if len(problem) <= MOST_JOBS else 0
    if checked.largest:
        bound = max(best.bound, *(largest_bound(relaxed, checked) for relaxed in relaxations(problem)))
        best = Proof(bound)
        if branched:
            known = known_plan(whole, checked, seed_start(whole, checked), upper)
            best = prove_without_prices(whole, checked, bound, known, branched)
    else:
        for k, (relaxed, resources) in enumerate(sum_relaxations(whole)):
            proof = prove_sum(relaxed, checked, upper, iterations, resources, 0 if k else branched)
            if relaxed is not whole:
                proof = Proof(proof.bound)  # its plan may take more of the other resources than there is
            best = proof._replace(bound=max(best.bound, proof.bound))
            if best.optimal:
                break  # nothing proves more
    if whole is problem:
        return best
    if not nodes or len(problem) > SMALL_ROUND:
        return Proof(best.bound)  # its plan may overlap windows
    known = known_plan(problem, checked, seed_start(problem, checked), upper)
    return prove_without_prices(problem, checked, best.bound, known, nodes)


def terms_bound(problem: Round, terms: Terms, upper: float | None = None, iterations: int = ITERATIONS) -> float:
    """Return a lower bound of an objective given by its terms; see :func:`lower_bound`."""
    return prove_terms(problem, terms, upper, iterations).bound


def prove(problem: Round, objective: Objective, upper: float | None = None, iterations: int = ITERATIONS) -> Proof:
    """Prove a lower bound of the cost of every feasible plan of the round; see :func:`lower_bound`."""
    if objective.bound is not None:
        return Proof(float(objective.bound(problem, upper, iterations)))
    if objective.terms is not None:
        return prove_terms(problem, objective.terms_of(problem), upper, iterations)
    return Proof(float("nan"))


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
        a branch and bound, if up to 62 jobs cost something. For the same ``upper``, more iterations never give a
        smaller bound.

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
    if upper is not None and not (isinstance(upper, Real) and upper == upper):
        raise ValueError(f"upper: {short_repr(upper)} is not the cost of a plan")
    return prove(problem, as_objective(objective), upper, whole("iterations", iterations)).bound


def bounded(result: Result, problem: Round, objective: Objective, iterations: int = ITERATIONS) -> Result:
    """Return ``result`` with the larger of its bound and what is proven, and with an optimal plan if one is found."""
    if iterations > 0 and len(problem) <= SMALL_ROUND:
        iterations = max(iterations, SMALL_ITERATIONS)
    proof = prove(problem, objective, result.cost, iterations)
    if proof.start is not None:
        order = np.argsort(proof.start, kind="stable")
        plan = decode(problem, order)
        cost = float(objective.cost(plan.start, problem.jobs, problem.now))
        if cost < result.cost:
            result = replace(result, plan=plan, permutation=order, cost=cost)
    best = float(np.fmax(result.cost if proof.optimal else proof.bound, result.lower_bound))
    proven = result.status is Status.FINISHED and best >= result.cost
    status = Status.OPTIMAL if proven else result.status
    return replace(result, lower_bound=best, status=status)
