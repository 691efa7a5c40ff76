"""Objectives as users give them: objects, functions, names."""

from typing import Any

from planbatch.planner.kernels.signatures import COST
from planbatch.planner.names import make_named
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.plugins.compiling import compiled_or_plain


def as_objective(objective: Objective | Cost | str) -> Objective:
    """Return an objective unchanged, or make one of a cost function or a name.

    Names are those of ``planbatch.objectives``, or a user's own: ``FILE.py:name``, ``MODULE:name``. A function in plain
    Python is compiled where numba can; in an :class:`Objective` it stays as it is.

    Raises
    ------
    ValueError
        If there is no objective of this name, or it is none of the three.
    """
    if isinstance(objective, str):
        return make_named("objective", objective)  # type: ignore[no-any-return]
    name = getattr(objective, "__name__", "objective").replace("_", "-")
    return objective_of(objective, name)


def objective_of(thing: Any, name: str, values: tuple[Any, ...] = ()) -> Objective:
    """Return an objective unchanged, or make one of a cost function.

    Parameters
    ----------
    thing : Objective or callable
        An objective, or a function ``cost(start, jobs, now, …)``; in plain Python it is compiled where numba can.
    name : str
        The name of an objective that is made.
    values : tuple
        Arguments of the function behind ``now``.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if isinstance(thing, Objective):
        return thing
    if not callable(thing):
        raise ValueError(f"objective: {thing!r} is neither an Objective nor a function nor a name")
    return Objective(name, compiled_or_plain(f"objective {name}", thing, COST.signature, values))
