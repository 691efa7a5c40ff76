"""What is proven of the cost of all plans of a round, and the known plan that a proof begins with."""

from typing import NamedTuple

import numpy as np

from planbatch.planner.bounds.staircase import EXACT
from planbatch.planner.decoder import decode
from planbatch.planner.model import IntArray
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
    """Return the starts of the best of a few decoded orders."""
    orders = ("smallest-area", "shortest", "submit", "earliest-deadline")
    plans = [decode(problem, order_by(keys, problem.jobs, problem.now)) for keys in orders]
    return min((plan.start for plan in plans), key=lambda start: terms_cost(terms, start))


def known_plan(terms: Terms, start: IntArray, upper: float | None) -> KnownPlan:
    """Return a plan with its cost, or a plan of which only the cost ``upper`` is known if that is less."""
    cost = terms_cost(terms, start)
    return KnownPlan(cost, start) if upper is None or not upper < cost else KnownPlan(upper, None)


def rounded_up(total: float, terms: Terms) -> float:
    """Return a bound of the sum of the terms, raised to a whole number if the sum is one in every plan."""
    whole = bool((terms.weight == np.floor(terms.weight)).all()) and 0 <= total < EXACT
    return (float(np.ceil(total - 1e-6)) if whole else max(total, 0.0)) / terms.divisor
