"""Local search: the random search of plan-based production schedulers."""

from dataclasses import dataclass

import numpy as np

from planbatch.planner.budget import Budget
from planbatch.planner.display import brief_repr
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Result
from planbatch.planner.optimizers.search import OrderSearch, moved
from planbatch.planner.round import Round


@dataclass(frozen=True)
class LocalSearch:
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

    def supports(self, objective: Objective) -> bool:
        """Return True: every objective is supported."""
        return True

    def optimize(
        self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator
    ) -> Result:
        """Search for a plan; see :class:`~planbatch.planner.optimizer.Optimizer`."""
        search = OrderSearch(problem, objective, budget)
        n = len(problem)

        def climb() -> None:
            order, cost = search.order, search.cost
            while True:
                source, target = rng.integers(n, size=2)
                neighbour = moved(order, source, target)
                value = search.evaluate(neighbour)
                if value <= cost:
                    order, cost = neighbour, value

        return search.run(climb)
