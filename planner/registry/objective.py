"""Objectives as users give them: objects, functions, names."""

import warnings
from dataclasses import replace
from typing import Any

from planbatch import _core
from planbatch.planner.history.catalogue import required_history
from planbatch.planner.model import IntArray, JobTable
from planbatch.planner.names import create
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.registry.compiling import NotCompiledError, can_compile, compiled_objective, plain_function
from planbatch.planner.registry.source import PluginError


class PlainPythonWarning(UserWarning):
    """An objective runs as plain Python, since numba cannot compile it."""


def as_objective(objective: Objective | Cost | str) -> Objective:
    """Return an objective unchanged, or make one of a cost function or a name.

    Names are those of ``planbatch.objectives``, or a user's own: ``FILE.py:name``, ``MODULE:name``. A function in plain
    Python is compiled where numba is installed and can; in an :class:`Objective` it stays as it is. One that is
    decorated with ``numba.njit`` is compiled for the core in either form.

    Raises ``ValueError`` if there is no objective of this name, or it is none of the three.
    """
    if isinstance(objective, str):
        return create("objective", objective)  # type: ignore[no-any-return]
    name = getattr(objective, "__name__", "objective").replace("_", "-")
    return objective_of(objective, name)


def objective_of(objective: Any, name: str, values: tuple[Any, ...] = ()) -> Objective:
    """Return an objective, its function compiled if numba has compiled it, or make one of a cost function.

    A function ``cost(start, jobs, now, *values)`` in plain Python is compiled where numba can; ``name`` is that of the
    objective that is made. Raises ``ValueError`` if it is neither.
    """
    if isinstance(objective, Objective):
        if plain_function(objective.cost) is objective.cost:
            return objective
        return replace(objective, cost=objective_of(objective.cost, objective.name).cost)
    if isinstance(objective, _core.Objective):
        return Objective(name, objective)
    if not callable(objective):
        raise ValueError(f"objective: {objective!r} is neither an Objective nor a function nor a name")
    history = required_history(f"objective {name}", objective)
    if history is not None:
        plain_function(objective).history = history  # type: ignore[attr-defined]
    try:
        return Objective(name, compiled_objective(objective, values, name))
    except NotCompiledError as error:
        if plain_function(objective) is not objective:
            raise PluginError(f"objective {name}: it cannot be compiled: {error}") from None
        if can_compile():
            warnings.warn(
                f"objective {name} runs as plain Python, which is slower: numba cannot compile it: {error}",
                PlainPythonWarning,
                stacklevel=2,
            )
    if not values:
        return Objective(name, objective)

    def bound(start: IntArray, jobs: JobTable, now: int) -> Any:
        return objective(start, jobs, now, *values)

    bound.__dict__.update(vars(objective))
    bound.__name__ = objective.__name__
    return Objective(name, bound)
