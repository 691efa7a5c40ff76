"""The first plans alone, without a search."""

from dataclasses import dataclass

from planbatch.planner.display import brief_repr
from planbatch.planner.optimizers.search import OrderOptimizer


@dataclass(frozen=True)
class Greedy(OrderOptimizer):
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
