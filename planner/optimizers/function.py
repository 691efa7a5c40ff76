"""A function of the user's as an optimizer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from planbatch.planner.optimizers.search import OrderOptimizer, OrderSearch
from planbatch.planner.soundness import OrderGivenError


@dataclass(frozen=True)
class FunctionOptimizer(OrderOptimizer):
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

    def improve(self, search: OrderSearch, rng: np.random.Generator) -> None:
        """Call the function; it should return nothing."""
        result = self.function(search, rng, *self.values)
        if result is not None and not isinstance(result, (int, float, np.number)):
            raise OrderGivenError(
                f"returned a {type(result).__name__}: give orders to search.evaluate(order), which keeps the best"
            )
