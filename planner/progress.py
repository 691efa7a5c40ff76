"""What the callbacks of a search see of it."""

from collections.abc import Callable
from typing import NamedTuple

from planbatch.planner.columns import IntArray
from planbatch.planner.plan import Plan


class Progress(NamedTuple):
    """What the callbacks of :func:`solve` see of a search.

    Attributes
    ----------
    cost : float
        The cost of the best plan.
    plan : Plan
        That plan.
    bound : float
        A lower bound of all plans, proven before the search; NaN if the objective has none.
    evaluations : int
        Evaluations so far.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100 + k) for k in range(8)])
    >>> def near_enough(progress):
    ...     return progress.cost < 1.01 * progress.bound
    >>> pb.solve(problem, "wait", on_best=near_enough).cost
    357.0
    """

    cost: float
    plan: Plan
    bound: float
    evaluations: int


Callback = Callable[[Progress], object]


class Watcher:
    """The watch of a budget that calls ``on_best`` when the best plan has changed, and ``on_progress`` every time.

    Both see ``bound`` as the bound of their :class:`Progress`; a plan that reaches it ends the search.
    """

    def __init__(self, bound: float, on_best: Callback | None, on_progress: Callback | None) -> None:
        self.bound, self.on_best, self.on_progress = bound, on_best, on_progress
        self.cost = float("inf")

    def __call__(self, cost: float, start: IntArray, evaluations: int) -> bool:
        """Call them; return whether one of them, or a proof, ends the search."""
        progress = Progress(cost, Plan(start), self.bound, evaluations)
        called = [self.on_progress]
        if cost < self.cost:
            self.cost = cost
            called.insert(0, self.on_best)
        answers = [callback(progress) for callback in called if callback is not None]
        return cost <= self.bound or any(value is True for value in answers)
