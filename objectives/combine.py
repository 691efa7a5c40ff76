"""Objectives made of objectives: weighted sums, and one before another."""

from collections.abc import Sequence
from functools import cache
from numbers import Real

from planbatch import _core
from planbatch.planner.arguments import number, short_repr
from planbatch.planner.model import IntArray, JobTable
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.registry.objective import as_objective


def weighted_sum(*parts: tuple[float, Objective | Cost | str]) -> Objective:
    """Σ weightₖ · costₖ; compiled if every part is.

    Parameters
    ----------
    *parts : (weight, objective)
        Weights, 0 or more, and objectives: objects, functions or names.

    Raises
    ------
    ValueError
        If there is no part, a weight is negative, or there is no objective of a name.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> both = pb.weighted_sum((1.0, "wait"), (0.1, "makespan"))
    >>> pb.solve(problem, both).cost
    40.0
    """
    if not parts:
        raise ValueError("weighted sum: give at least one (weight, objective)")
    for part in parts:
        if isinstance(part, str) or not isinstance(part, Sequence) or len(part) != 2:
            raise ValueError(f"weighted sum: {short_repr(part)} is not (weight, objective)")
    return _weighted_sum(*((weight, _part(objective)) for weight, objective in parts))


def _part(objective: Objective | Cost | str) -> Objective:
    """Return a part of an objective; ``ValueError`` if it is one over scenarios: what is made of it would not be."""
    part = as_objective(objective)
    if part.scenarios is not None:
        raise ValueError(
            f"{part.label} cannot be a part of another objective: put the parts together first, and the whole into "
            "over_scenarios"
        )
    return part


@cache
def _weighted_sum(*parts: tuple[float, Objective]) -> Objective:
    for weight, objective in parts:
        if not isinstance(weight, Real) or not weight >= 0:
            raise ValueError(f"weighted sum: the weight {weight!r} of {objective.name} is not a number, 0 or more")
    name = "+".join(f"{weight:g}*{objective.name}" for weight, objective in parts)
    due = all(objective.needs_deadlines for _, objective in parts)
    if all(objective.compiled for _, objective in parts):
        weights = [float(weight) for weight, _ in parts]
        return Objective(name, _core.WeightedSum(weights, [part.core for _, part in parts]), needs_deadlines=due)

    def total(start: IntArray, jobs: JobTable, now: int) -> float:
        return float(sum(weight * part.cost(start, jobs, now) for weight, part in parts))

    return Objective(name, total, needs_deadlines=due)


def lexicographic(first: Objective | Cost | str, then: Objective | Cost | str, step: float = 1.0) -> Objective:
    """``first`` in whole steps, and ``then`` only between plans that are equal in it: ⌊cost₁ / step⌋ + squashed(cost₂).

    Parameters
    ----------
    first, then : Objective, function or str
        ``then`` must never be negative.
    step : float
        Differences of ``first`` below one step do not count. The sum is a float64: a step below a billionth of the
        usual cost would lose ``then`` in rounding.

    Raises
    ------
    ValueError
        If ``step`` is not positive, or there is no objective of a name.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.solve(problem, pb.lexicographic("makespan", "wait")).plan.start.tolist()
    [50, 0]
    """
    return _lexicographic(_part(first), _part(then), number("step", step, "a positive number"))


@cache
def _lexicographic(first: Objective, then: Objective, step: float) -> Objective:
    name = f"{first.name},{then.name}"
    due = first.needs_deadlines and then.needs_deadlines
    if first.compiled and then.compiled:
        return Objective(name, _core.Lexicographic(first.core, then.core, step), needs_deadlines=due)

    def cost(start: IntArray, jobs: JobTable, now: int) -> float:
        whole = first.cost(start, jobs, now) // step
        return float(whole + _core.squashed(then.cost(start, jobs, now)))

    return Objective(name, cost, needs_deadlines=due)
