"""First plans: the orders from which every search starts; no search ends with a worse one."""

from typing import NamedTuple

import numpy as np

from planbatch.planner.columns import Permutation
from planbatch.planner.model import IntArray
from planbatch.planner.objective import Objective, not_finite
from planbatch.planner.round import Round

#: The names of the first plans, by their numbers in the core, which has their formulas (``core/first_plans.hpp``).
KNOWN_PLANS = (
    "previous", "submit", "smallest-area", "area-per-square", "size-root-length", "area-per-response",
    "root-size-length", "area-per-age", "shortest", "smallest", "regular-first", "expected-area",
    "expected-slowdown",
)  # fmt: skip
#: Those that ask for the past of users: searches start from them if they are asked to.
EXPECTED_PLANS = KNOWN_PLANS[-2:]
#: The others: from these searches start by default.
FIRST_PLANS = KNOWN_PLANS[:-2]
#: In rounds of more jobs than this, only the first few of them, and that of the deadlines, are decoded.
LONG_QUEUE = 500
FIRST_PLANS_OF_LONG_QUEUES = 4


class FirstPlan(NamedTuple):
    """A permutation, the starts it decodes to (s), and their cost.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.objectives import WAIT
    >>> from planbatch.planner import first_plan
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> best = first_plan(problem, WAIT)
    >>> best.order, best.start, best.cost
    (array([1, 0]), array([50,  0]), 25.0)
    """

    order: Permutation
    start: IntArray
    cost: float


def first_plan(problem: Round, objective: Objective) -> FirstPlan:
    """Decode all first plans and return the best.

    Parameters
    ----------
    problem : Round
        The round.
    objective : Objective
        What plans cost.

    Returns
    -------
    FirstPlan
        Order, starts (s) and cost of the best.

    Raises
    ------
    ObjectiveError
        If the objective raises, or returns anything but a finite number.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.objectives import WAIT
    >>> from planbatch.planner import first_plan
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> first_plan(problem, WAIT).start.tolist()
    [50, 0]
    """
    if not len(problem):
        nothing = np.zeros(0, dtype=np.int64)
        return FirstPlan(nothing, nothing, float(objective.core(nothing, problem.jobs, problem.now)))
    search = objective.search(problem, relaxes=False)
    if not search.try_first_plans(np.arange(len(FIRST_PLANS))):
        raise not_finite(objective, problem.now)
    return FirstPlan(search.order, search.start, search.cost)
