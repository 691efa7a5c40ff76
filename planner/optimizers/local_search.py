"""Local search: the random search of plan-based production schedulers."""

from dataclasses import dataclass

import numpy as np

from planbatch.planner.display import brief_repr
from planbatch.planner.optimizers.search import OrderOptimizer, OrderSearch, move_job


@dataclass(frozen=True)
class LocalSearch(OrderOptimizer):
    """Move a random job to a random position; accept what is not worse (Klusáček and Rudová 2010, random search).

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import LocalSearch
    >>> problem = pb.Round.of(
    ...     capacity=8, now=100, running=[(4, 200)], waiting=[(10, 8, 100), (20, 4, 300), (30, 2, 50)]
    ... )
    >>> pb.solve(problem, "wait", LocalSearch(), evaluations=100).plan.start
    array([200, 300, 100])
    """

    __repr__ = brief_repr

    name: str = "local-search"

    def improve(self, search: OrderSearch, rng: np.random.Generator) -> None:
        """Climb, for ever."""
        order, cost = search.order, search.cost
        while True:
            source, target = rng.integers(len(order), size=2)
            neighbour = move_job(order, source, target)
            value = search.evaluate(neighbour)
            if value <= cost:
                order, cost = neighbour, value
