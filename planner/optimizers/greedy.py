"""The first plans alone, without a search."""

from dataclasses import dataclass

import numpy as np

from planbatch.planner.budget import Budget
from planbatch.planner.display import brief_repr
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Result
from planbatch.planner.optimizers.search import OrderSearch
from planbatch.planner.round import Round


@dataclass(frozen=True)
class Greedy:
    """The best of the first plans (:data:`FIRST_PLANS`), conservative backfilling among them.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import Greedy
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.solve(problem, "wait", Greedy()).cost
    25.0
    """

    __repr__ = brief_repr

    name: str = "greedy"

    def supports(self, objective: Objective) -> bool:
        """Return True: every objective is supported."""
        return True

    def optimize(
        self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator
    ) -> Result:
        """Decode the first plans and return the best; neither ``rng`` nor the budget is used."""
        return OrderSearch(problem, objective, budget).run(lambda: None)
