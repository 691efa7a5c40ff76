"""The optimizers, by name."""

from collections.abc import Callable
from typing import Any

from planbatch.planner.arguments import short_repr
from planbatch.planner.failures import USER_ERRORS, failure
from planbatch.planner.objective import Objective, UnsupportedObjectiveError
from planbatch.planner.optimizer import Optimizer
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.optimizers.cpsat import CpSat
from planbatch.planner.optimizers.exhaustive import Exhaustive
from planbatch.planner.optimizers.function import FunctionOptimizer
from planbatch.planner.optimizers.greedy import Greedy
from planbatch.planner.optimizers.lns import LargeNeighbourhood
from planbatch.planner.optimizers.local_search import LocalSearch
from planbatch.planner.optimizers.portfolio import Portfolio
from planbatch.planner.optimizers.simanneal_adapter import SimAnneal
from planbatch.planner.optimizers.tabu import Tabu
from planbatch.planner.registry.registry import Registry
from planbatch.planner.soundness import OptimizerError


def portfolio(members: tuple[str, ...] = ("annealing", "lns", "tabu"), name: str = "portfolio") -> Portfolio:
    """Several optimizers one after the other, each with an equal share of the budget.

    Parameters
    ----------
    members : tuple of str
        Names of the optimizers.
    name : str
        What tables call it.
    """
    return Portfolio(tuple(make_optimizer(member) for member in members), name=name)


OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {
    "annealing": Annealing,
    "annealing-paper": Annealing.paper,
    "hybrid": Annealing.hybrid,
    "simanneal": SimAnneal,
    "tabu": Tabu,
    "local-search": LocalSearch,
    "lns": LargeNeighbourhood,
    "cp-sat": CpSat,
    "exhaustive": Exhaustive,
    "greedy": Greedy,
    "portfolio": portfolio,
}
"""Name → maker of the optimizer; its parameters are the settings of the optimizer.

Examples
--------
>>> import planbatch as pb
>>> sorted(pb.OPTIMIZERS)
['annealing', 'annealing-paper', 'cp-sat', 'exhaustive', 'greedy', 'hybrid', 'lns', 'local-search', 'portfolio',
'simanneal', 'tabu']
"""


def _accept(value: Any, name: str, values: tuple[Any, ...]) -> Optimizer:
    if isinstance(value, type):
        raise ValueError(f"optimizer: {value.__name__} is a class; give an object of it")
    if not hasattr(value, "supports"):
        if callable(value):
            return FunctionOptimizer(value, values, name)
        raise ValueError(
            f"optimizer: {short_repr(value)} is neither an optimizer (with name, supports and optimize) nor a function "
            "nor a name"
        )
    if not isinstance(getattr(value, "name", None), str) or not callable(getattr(value, "optimize", None)):
        raise ValueError(f"optimizer: a {type(value).__name__} needs name, a text, and optimize, besides supports")
    return value  # type: ignore[no-any-return]


#: The optimizers by name, packages' and users' own among them.
OPTIMIZER_NAMES = Registry("optimizer", OPTIMIZERS, ("search", "rng"), _accept, "optimizers")


def make_optimizer(name: str) -> Optimizer:
    """Make an optimizer by name, with its parameters: ``tabu``, ``annealing:cooling=0.8,moves=20``, ``my.py:Mine``.

    Parameters
    ----------
    name : str
        One of :data:`OPTIMIZERS`, with parameters after a colon; or a user's own, ``FILE.py:name``.

    Raises
    ------
    ValueError
        If there is none of this name (suggests the nearest), or a parameter is unknown or wrong.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.make_optimizer("tabu:neighbours=6")
    Tabu(neighbours=6, name='tabu:neighbours=6')
    """
    return OPTIMIZER_NAMES.make(name)  # type: ignore[no-any-return]


def as_optimizer(optimizer: Optimizer | Callable[..., Any] | str) -> Optimizer:
    """Return an optimizer unchanged, or make one of a function (:class:`FunctionOptimizer`) or a name.

    Raises ``ValueError`` if there is no optimizer of this name, or it is none of the three.
    """
    if isinstance(optimizer, str):
        return make_optimizer(optimizer)
    return _accept(optimizer, getattr(optimizer, "__name__", type(optimizer).__name__).replace("_", "-"), ())


def check_supported(optimizer: Optimizer, objective: Objective) -> None:
    """Raise ``UnsupportedObjectiveError``, with both names, if the optimizer cannot work on the objective.

    Raises ``OptimizerError`` if it cannot even say.
    """
    try:
        supported = optimizer.supports(objective)
    except USER_ERRORS as error:
        raise OptimizerError(f"optimizer {optimizer.name} {failure(error, 'in supports')}") from error
    if not supported:
        if objective.scenarios is not None:
            raise UnsupportedObjectiveError(
                f"optimizer {optimizer.name} needs the terms of an objective, and costs over scenarios have none: "
                "take one that evaluates orders, such as annealing"
            )
        raise UnsupportedObjectiveError(
            f"optimizer {optimizer.name} cannot work on the objective {objective.name}, "
            "which declares neither terms nor a model"
        )
