"""A function of the user's as an optimizer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from planbatch.planner.budget import Budget
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Result
from planbatch.planner.optimizers.search import OrderSearch
from planbatch.planner.round import Round
from planbatch.planner.soundness import OrderGivenError, named_errors


@dataclass(frozen=True)
class FunctionOptimizer:
    """An optimizer made of a function ``function(search, rng, *values)``.

    The function looks for better orders with ``search.evaluate(order)``, which returns the cost of the plan that an
    order decodes to, keeps the best, and ends the search when the budget is used up. It begins with ``search.order``,
    the best first plan, and returns nothing; if it ends, the search ends.

    Attributes
    ----------
    function : callable
        The function; ``search`` is an :class:`OrderSearch`.
    values : tuple
        Its further arguments.
    name : str
        What tables call it.
    """

    function: Callable[..., Any]
    values: tuple[Any, ...] = ()
    name: str = "function"

    def supports(self, objective: Objective) -> bool:
        """Return True: every objective is supported."""
        return True

    def optimize(
        self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator
    ) -> Result:
        """Search for a plan; see :class:`~planbatch.planner.optimizer.Optimizer`.

        Raises
        ------
        OptimizerError
            If the function raises, evaluates what is no order, or returns something.
        """
        search = OrderSearch(problem, objective, budget)

        def run() -> None:
            found = self.function(search, rng, *self.values)
            if found is not None and not isinstance(found, (int, float, np.number)):
                raise OrderGivenError(
                    f"returned a {type(found).__name__}: give orders to search.evaluate(order), which keeps the best"
                )

        with named_errors(self.name, problem.now):
            return search.run(run)
