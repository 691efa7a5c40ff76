"""The optimizers by the names that the command uses."""

from collections.abc import Callable

from planner.annealing import Annealing
from planner.names import did_you_mean
from planner.optimizer import Optimizer

#: Name → maker of the optimizer.
OPTIMIZERS: dict[str, Callable[[], Optimizer]] = {
    "annealing": Annealing,
    "annealing-paper": Annealing.paper,
}


def make_optimizer(name: str) -> Optimizer:
    """Make the optimizer of a name, with its default parameters.

    Raises
    ------
    ValueError
        Where there is none of this name; suggests the nearest.
    """
    if name not in OPTIMIZERS:
        raise ValueError(f"optimizer: there is no {name!r}; {did_you_mean(name, OPTIMIZERS)}")
    return OPTIMIZERS[name]()
