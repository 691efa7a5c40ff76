"""Tabu search over permutations."""

from dataclasses import dataclass
from itertools import count

import numpy as np

from planbatch.planner.arguments import whole
from planbatch.planner.display import brief_repr
from planbatch.planner.optimizers.search import OrderOptimizer, OrderSearch, move_job


@dataclass(frozen=True)
class Tabu(OrderOptimizer):
    """Take the best of some random neighbours, even if it is worse; do not move recently moved jobs.

    The scheme of Glover 1989 with remove-and-insert moves: a job that was moved is tabu for ``tenure`` steps, unless
    moving it gives a new best plan.

    Attributes
    ----------
    neighbours : int
        Neighbours evaluated in each step.
    tenure : float
        Number of steps for which a moved job is tabu, as a share of the number of jobs.
    name : str
        Name of the optimizer in tables.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import Tabu
    >>> problem = pb.Round.of(
    ...     capacity=8, now=100, running=[(4, 200)], waiting=[(10, 8, 100), (20, 4, 300), (30, 2, 50)]
    ... )
    >>> pb.solve(problem, "wait", Tabu(neighbours=6), evaluations=100).plan.start
    array([200, 300, 100])
    """

    __repr__ = brief_repr

    neighbours: int = 12
    tenure: float = 0.25
    name: str = "tabu"

    def __post_init__(self) -> None:
        whole("neighbours", self.neighbours, 1)
        if not 0 <= self.tenure < 1:
            raise ValueError(f"tenure: {self.tenure} is not a share below 1")

    def improve(self, search: OrderSearch, rng: np.random.Generator) -> None:
        """Take one step after the other, for ever."""
        order = search.order
        n = len(order)
        free_from = np.zeros(n, dtype=np.int64)
        for step in count(1):
            best, value = None, np.inf
            for _ in range(self.neighbours):
                # Half the jobs come from the front, where a move matters most.
                source = int(n * rng.random() ** rng.integers(1, 3))
                target = int(n * rng.random() ** rng.integers(1, 3))
                before = search.cost
                neighbour = move_job(order, source, target)
                cost = search.evaluate(neighbour)
                allowed = free_from[order[source]] <= step or cost < before
                if allowed and cost < value:
                    best, value, job = neighbour, cost, order[source]
            if best is not None:
                order = best
                free_from[job] = step + 1 + int(self.tenure * n)
