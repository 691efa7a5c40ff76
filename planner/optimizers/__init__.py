"""The optimizers, by name."""

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from planbatch.planner.budget import Budget
from planbatch.planner.names import did_you_mean
from planbatch.planner.objective import Objective, ObjectiveError, UnsupportedObjectiveError
from planbatch.planner.optimizer import Optimizer
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.optimizers.cpsat import CpSat
from planbatch.planner.optimizers.exhaustive import Exhaustive
from planbatch.planner.optimizers.greedy import Greedy
from planbatch.planner.optimizers.lns import LargeNeighbourhood
from planbatch.planner.optimizers.local_search import LocalSearch
from planbatch.planner.optimizers.portfolio import Portfolio
from planbatch.planner.optimizers.simanneal_adapter import SimAnneal
from planbatch.planner.optimizers.tabu import Tabu
from planbatch.planner.round import Round

#: Name → maker of the optimizer.
OPTIMIZERS: dict[str, Callable[[], Optimizer]] = {
    "annealing": Annealing,
    "annealing-paper": Annealing.paper,
    "simanneal": SimAnneal,
    "tabu": Tabu,
    "local-search": LocalSearch,
    "lns": LargeNeighbourhood,
    "cp-sat": CpSat,
    "exhaustive": Exhaustive,
    "greedy": Greedy,
    "portfolio": lambda: Portfolio((Annealing(), LargeNeighbourhood(), Tabu())),
}


#: Evaluations of a warm-up: enough for optimizers that use several others in turn.
WARM_UP = 64


def make_optimizer(name: str) -> Optimizer:
    """Make an optimizer by name, with its default parameters.

    Raises
    ------
    ValueError
        If there is none of this name; suggests the nearest.
    """
    if name not in OPTIMIZERS:
        raise ValueError(f"optimizer: there is no {name!r}; {did_you_mean(name, OPTIMIZERS)}")
    return OPTIMIZERS[name]()


def as_optimizer(optimizer: Optimizer | str) -> Optimizer:
    """Return an optimizer unchanged, or make it by its name in :data:`OPTIMIZERS`.

    Raises
    ------
    ValueError
        If there is no optimizer of this name, or it is neither.
    """
    if isinstance(optimizer, str):
        return make_optimizer(optimizer)
    if isinstance(optimizer, type) or not hasattr(optimizer, "supports"):
        raise ValueError(f"optimizer: {optimizer!r} is neither an optimizer nor a name")
    return optimizer


def check_supported(optimizer: Optimizer, objective: Objective) -> None:
    """Raise ``UnsupportedObjectiveError``, with both names, if the optimizer cannot work on the objective."""
    if not optimizer.supports(objective):
        raise UnsupportedObjectiveError(
            f"optimizer {optimizer.name} cannot work on the objective {objective.name}, "
            "which declares neither terms nor a model"
        )


def warm_up(optimizer: Optimizer, objective: Objective) -> None:
    """Compile what a search with these two runs, or load it from disk, so that no round's time includes it."""
    # Sizes that fit badly, so that no bound proves a seed optimal and ends the search before all was run once.
    jobs = [(-i, 3 + 5 * i % 7, 10 + 31 * i % 37) for i in range(12, 0, -1)]
    running = [(6, 19)]
    plain = Round.of(11, 1, running, jobs)
    reduced = Round.of(11, 1, running, jobs, windows=[(40, 50, 3)])
    for problem in (plain, reduced):
        with suppress(ObjectiveError):  # the search itself will say so, with the round that matters
            optimizer.optimize(
                problem, objective, Budget(evaluations=WARM_UP), np.random.default_rng(0)
            )
