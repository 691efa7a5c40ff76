"""The best first plan of a round, for optimizers that work on terms and models rather than on evaluations."""

from typing import NamedTuple

import numpy as np

from planbatch.planner.columns import Permutation
from planbatch.planner.kernels.first_plans import FIRST_PLANS, best_first_plan
from planbatch.planner.model import IntArray
from planbatch.planner.objective import Objective, checked, not_finite
from planbatch.planner.round import Round


class FirstPlan(NamedTuple):
    """A permutation, the starts it decodes to (s), and their cost.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> best = pb.first_plan(problem, pb.WAIT)
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
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.first_plan(problem, pb.WAIT).start.tolist()
    [50, 0]
    """
    n = len(problem)
    order = np.arange(n)
    start = np.full(n, problem.now, dtype=np.int64)
    arrays = problem.arrays
    cost = checked(objective, problem.now)
    if n == 0:
        return FirstPlan(order, start, cost(start, problem.jobs, problem.now))
    numbers, classes = np.arange(len(FIRST_PLANS)), objective.classes(arrays)
    value = float(best_first_plan(arrays, classes, cost, numbers, order, start))
    if not np.isfinite(value):
        raise not_finite(objective, problem.now)
    return FirstPlan(order, start, value)
