"""Large neighbourhood search: take a window of the plan, and find its best order."""

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from planner.budget import Budget
from planner.objective import Objective
from planner.optimizer import Result
from planner.round import Round
from planner.search import OrderSearch


@dataclass(frozen=True)
class LargeNeighbourhood:
    """Free a window of the permutation, try every order of it, keep the best, go on elsewhere (Shaw 1998).

    A window is a run of neighbours in the order of the planned starts, or, every other time, a random set of jobs
    that takes the places it has among itself. Windows are drawn towards the front.

    Attributes
    ----------
    window : int
        Jobs that are freed together, 2 … 6; all their orders are evaluated.
    name : str
        What tables call the optimizer.
    """

    window: int = 4
    name: str = "lns"

    def __post_init__(self) -> None:
        if not 2 <= self.window <= 6:
            raise ValueError(f"window: {self.window} is outside 2 … 6")

    def supports(self, objective: Objective) -> bool:
        """Any objective will do."""
        return True

    def optimize(
        self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator
    ) -> Result:
        """Search for a plan; see :class:`~planner.optimizer.Optimizer`."""
        search = OrderSearch(problem, objective, budget)
        n = len(problem)
        width = min(self.window, n)

        def window_by_window() -> None:
            contiguous = True
            while True:
                # The order of the starts: jobs that start one after the other compete for the same processors.
                order = search.order[np.argsort(search.start[search.order], kind="stable")]
                if contiguous:
                    first = int((n - width + 1) * rng.random() ** 2)
                    places = np.arange(first, first + width)
                else:
                    reach = min(n, 4 * width)
                    first = int((n - reach + 1) * rng.random() ** 2)
                    places = first + np.sort(rng.choice(reach, size=width, replace=False))
                contiguous = not contiguous
                jobs = order[places]
                for arrangement in permutations(range(width)):
                    candidate = order.copy()
                    candidate[places] = jobs[list(arrangement)]
                    search.evaluate(candidate)

        return search.run(window_by_window)
