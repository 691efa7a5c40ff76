"""No result of an optimizer is taken on trust: its plan is checked, and its cost is computed again."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from numbers import Integral, Real

import numpy as np

from planbatch import _core
from planbatch.planner.arguments import short_repr
from planbatch.planner.budget import Budget
from planbatch.planner.columns import permutation_of
from planbatch.planner.failures import USER_ERRORS, failure
from planbatch.planner.model import IntArray
from planbatch.planner.objective import Objective, ObjectiveError, UnsupportedObjectiveError, not_finite
from planbatch.planner.optimizer import Optimizer, Result, Status
from planbatch.planner.plan import Plan, check_plan
from planbatch.planner.promises import with_feasible_promises
from planbatch.planner.round import Round

#: Relative difference allowed between a reported cost and that of its plan.
COST_TOLERANCE = 1e-6
#: What the numbers of a result have to be.
FIELDS = {
    "cost": Real, "seed_cost": Real, "evaluations": Integral, "seconds": Real, "lower_bound": Real, "status": Status
}  # fmt: skip


class OptimizerError(ValueError):
    """An optimizer raised, or evaluated or returned an invalid order, plan or cost.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> def hasty(search, rng):
    ...     search.evaluate([1, 2])
    >>> try:
    ...     pb.solve(problem, "wait", hasty)
    ... except pb.OptimizerError as error:
    ...     print(error)
    optimizer hasty gave search.evaluate positions counted from 1 in the round at 0: an order has each of the
    positions 0 … 1 once
    """


class OrderGivenError(ValueError):
    """An optimizer evaluated something that is no order; the message has it."""


@contextmanager
def named_errors(name: str, now: int) -> Iterator[None]:
    """Have errors name the optimizer and the round; those of an objective name that already."""
    try:
        yield
    except (ObjectiveError, UnsupportedObjectiveError, OptimizerError, _core.Cancelled):
        raise
    except OrderGivenError as error:
        fault, cure = str(error).split(": ", 1)
        raise OptimizerError(f"optimizer {name} {fault} in the round at {now}: {cure}") from error
    except USER_ERRORS as error:
        raise OptimizerError(f"optimizer {name} {failure(error, f'in the round at {now}')}") from error


def checked_search(
    optimizer: Optimizer, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator
) -> Result:
    """Search for a plan (:meth:`Optimizer.optimize`), and check that the result is one of the round, and has this cost.

    Promises that can no longer all be kept are relaxed first.

    Raises ``OptimizerError``, with its name and the round, if the optimizer raises or its result is not sound, and
    ``ObjectiveError`` if the objective raises or returns no finite number.
    """
    problem = with_feasible_promises(problem)
    with named_errors(optimizer.name, problem.now):
        result = optimizer.optimize(problem, objective, budget, rng)
        return sound(optimizer.name, problem, objective, result)


def sound(name: str, problem: Round, objective: Objective, result: object) -> Result:
    """Return the result of an optimizer of this name, or raise an :class:`OptimizerError` if it is not sound.

    A search that was interrupted before it knew a cost may return an infinite one.
    """
    where = f"in the round at {problem.now}"
    if not isinstance(result, Result) or not isinstance(result.plan, Plan):
        returned = "None" if result is None else f"a {type(result).__name__}"
        if isinstance(result, Result):
            returned = f"a Result whose plan is a {type(result.plan).__name__}"
        raise OptimizerError(f"optimizer {name} returned {returned} {where}; it should return a Result with a Plan")
    for field, kind in FIELDS.items():
        value = getattr(result, field)
        if not isinstance(value, kind):
            raise OptimizerError(f"optimizer {name} returned a Result whose {field} is {short_repr(value)} {where}")
    faults = plan_faults(problem, result.plan.start)
    if faults:
        raise OptimizerError(f"optimizer {name} returned no plan of the round at {problem.now}: {faults[0]}")
    try:
        order = permutation_of(result.permutation, problem.ids)
    except ValueError as error:
        raise OptimizerError(
            f"optimizer {name} returned {error} as permutation {where}: it should be Plan.order()"
        ) from None
    claimed, bound = float(result.cost), float(result.lower_bound)
    if bound > claimed + COST_TOLERANCE * abs(claimed):
        raise OptimizerError(
            f"optimizer {name}: a lower bound of {bound:.9g} is claimed, but the plan costs {claimed:.9g}, {where}"
        )
    if len(problem) and not (result.status is Status.INTERRUPTED and claimed == np.inf):
        cost = true_cost(problem, objective, result.plan.start, order)
        if not np.isclose(cost, claimed, rtol=COST_TOLERANCE, atol=0):
            raise OptimizerError(
                f"optimizer {name}: a cost of {claimed:.9g} is claimed, but the plan costs {cost:.9g}, {where}"
            )
    return result if order is result.permutation else replace(result, permutation=order)


def plan_faults(problem: Round, start: IntArray) -> list[str]:
    """List the rules that a complete plan breaks; promises are those of :func:`with_feasible_promises`."""
    if np.shape(start) == (len(problem),):
        problem = with_feasible_promises(problem)
    return check_plan(problem, Plan(start), complete=True)


def true_cost(problem: Round, objective: Objective, start: IntArray, order: IntArray | None = None) -> float:
    """Return the cost of a plan; over scenarios, that of its order.

    Raises ``ObjectiveError`` if the objective raises, or returns anything but a finite number.
    """
    if objective.scenarios is None:
        value = objective.core(start, problem.jobs, problem.now)
    else:
        order = Plan(start).order() if order is None else order
        value = objective.search(problem).planned_cost(order, start)
    if not np.isfinite(value):
        raise not_finite(objective, problem.now)
    return float(value)
