"""What is proven of the cost of all plans of a round, and the known plan that a proof begins with."""

from typing import NamedTuple

import numpy as np

from planbatch.planner.bounds.staircase import EXACT
from planbatch.planner.decoder import decode
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.orders.catalogue import order_by
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms, terms_cost


class Proof(NamedTuple):
    """What is proven of the cost of all plans."""

    bound: float  #: no plan costs less
    #: Whether the least cost is known up to rounding errors: that of ``start``, or of the known plan.
    optimal: bool = False
    start: IntArray | None = None  #: shape (n,): the starts of an optimal plan (s), if it is not the known one


class KnownPlan(NamedTuple):
    """A good plan of a round."""

    cost: float
    start: IntArray | None  #: shape (n,): its starts (s); None if only the cost is known


def seed_start(problem: Round, terms: Terms) -> IntArray:
    """Return the starts of the best of a few decoded orders: of those that keep all promises, if any does."""
    names = ("smallest-area", "shortest", "submit", "earliest-deadline")
    orders = [order_by(keys, problem.jobs, problem.now) for keys in names]
    if (problem.jobs.latest < NEVER).any():
        orders.append(np.argsort(problem.planned, kind="stable"))
    starts = [decode(problem, order).start for order in orders]
    return min(starts, key=lambda start: (not _keeps_promises(problem, start), terms_cost(terms, start)))


def known_plan(problem: Round, terms: Terms, start: IntArray, upper: float | None) -> KnownPlan:
    """Return a plan with its cost, or only a cost if the plan costs more than ``upper`` or breaks a promise."""
    cost = terms_cost(terms, start)
    if upper is None or not np.isfinite(upper):
        upper = cost
    if cost <= upper and _keeps_promises(problem, start):
        return KnownPlan(cost, start)
    return KnownPlan(upper, None)


def _keeps_promises(problem: Round, start: IntArray) -> bool:
    return bool((start <= problem.jobs.latest).all())


def rounded_up(total: float, terms: Terms) -> float:
    """Return a bound of the sum of the terms, raised to a whole number if the sum is one in every plan."""
    whole = bool((terms.weight == np.floor(terms.weight)).all()) and 0 <= total < EXACT
    return (float(np.ceil(total - 1e-6)) if whole else max(total, 0.0)) / terms.divisor
