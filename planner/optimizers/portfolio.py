"""A portfolio: several optimizers share one budget, and the best plan wins."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from planbatch.planner.budget import Budget
from planbatch.planner.display import brief_repr
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Optimizer, Result, Status
from planbatch.planner.round import Round
from planbatch.planner.soundness import checked_search


@dataclass(frozen=True)
class Portfolio:
    """Several optimizers one after the other, each with an equal share of the budget.

    Attributes
    ----------
    members : tuple of Optimizer
        The optimizers.
    spread : callable
        ``spread(function, items)`` applies the function to every item; ``map`` by default, or a parallel one such as
        ``ThreadPoolExecutor().map``.
    name : str
        Name of the optimizer in tables.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import Annealing, Portfolio, Tabu
    >>> problem = pb.Round.of(
    ...     capacity=8, now=100, running=[(4, 200)], waiting=[(10, 8, 100), (20, 4, 300), (30, 2, 50)]
    ... )
    >>> both = Portfolio((Annealing(), Tabu()))
    >>> pb.solve(problem, "wait", both, evaluations=100).plan.start
    array([200, 300, 100])
    """

    __repr__ = brief_repr

    members: tuple[Optimizer, ...]
    spread: Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]] = map
    name: str = "portfolio"

    #: Members share the seconds, so a search stopped by the clock is not the beginning of a longer one.
    replayable = False

    def __post_init__(self) -> None:
        if not self.members:
            raise ValueError("members: a portfolio needs at least one optimizer")

    def supports(self, objective: Objective) -> bool:
        """Return whether every member can work on the objective."""
        return all(member.supports(objective) for member in self.members)

    def optimize(self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator) -> Result:
        """Search for a plan; see :class:`~planbatch.planner.optimizer.Optimizer`."""
        clock = budget.start()
        streams = rng.spawn(len(self.members))
        shares = [self._share(budget, index) for index in range(len(self.members))]
        tasks = list(zip(self.members, shares, streams, strict=True))

        def one(task: tuple[Optimizer, Budget, np.random.Generator]) -> Result:
            member, share, stream = task
            if self.spread is map and share.seconds is not None:
                # Includes what the others have left over or overrun.
                remaining = len(self.members) - self.members.index(member)
                share = replace(share, seconds=max(0.0, clock.remaining / remaining))
            return checked_search(member, problem, objective, share, stream)

        results: list[Result] = []
        for result in self.spread(one, tasks):
            results.append(result)
            if result.status in (Status.OPTIMAL, Status.INTERRUPTED):
                break
        best = min(results, key=lambda result: result.cost)
        last = results[-1].status
        return replace(
            best,
            seed_cost=min(result.seed_cost for result in results),
            evaluations=sum(result.evaluations for result in results),
            seconds=clock.elapsed,
            status=last if last is Status.INTERRUPTED else best.status,
        )

    def _share(self, budget: Budget, index: int) -> Budget:
        count = len(self.members)
        evaluations = budget.evaluations
        if evaluations is not None:
            evaluations = evaluations // count + (index < evaluations % count)
        seconds = None if budget.seconds is None else budget.seconds / count
        return replace(budget, seconds=seconds, evaluations=evaluations)
