"""An adapter to the library simanneal: the same problem through its ``Annealer``."""

import random
from dataclasses import dataclass
from threading import Lock

import numpy as np
from simanneal import Annealer

from planbatch.planner.arguments import whole
from planbatch.planner.budget import Budget
from planbatch.planner.columns import Permutation
from planbatch.planner.display import brief_repr
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Result
from planbatch.planner.optimizers.search import OrderOptimizer, OrderSearch, move_job
from planbatch.planner.round import Round

#: The library draws from the global ``random``: only one search at a time may use it.
_GLOBAL_RANDOM = Lock()


class _PlanAnnealer(Annealer):  # type: ignore[misc]
    """Permutations as states. The library's constructor is not called: it would take over Ctrl-C."""

    copy_strategy = "method"
    updates = 0
    user_exit = False
    save_state_on_exit = False

    def __init__(self, search: OrderSearch, hottest: float, coldest: float, steps: int) -> None:
        self.search = search
        self.state: Permutation = search.order.copy()
        self.first_cost: float | None = search.cost
        self.Tmax, self.Tmin, self.steps = hottest, coldest, steps

    def move(self) -> None:
        n = len(self.state)
        first, second = random.randrange(n), random.randrange(n)  # noqa: S311 - a search, no secret
        self.state = move_job(self.state, first, second)

    def energy(self) -> float:
        # The library asks for the energy of the first state, which is a first plan and costs no evaluation.
        if self.first_cost is not None:
            value, self.first_cost = self.first_cost, None
            return value
        return self.search.evaluate(self.state)


@dataclass(frozen=True)
class SimAnneal(OrderOptimizer):
    """simanneal 0.5 on permutations, with remove-and-insert moves, from the best first plan.

    The adapter avoids the library's pitfalls: it handles no signals, so it works in any thread; it seeds the global
    ``random`` from ``rng`` and restores it; it copies states shallowly; the budget ends it. Runs of ``steps``
    evaluations follow each other, each from the best plan so far.

    Attributes
    ----------
    hottest, coldest : float
        Temperatures of a run, relative to the best cost less the cost if every job started now.
    steps : int
        Evaluations of a run.
    name : str
        Name of the optimizer in tables.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import SimAnneal
    >>> problem = pb.Round.of(
    ...     capacity=8, now=100, running=[(4, 200)], waiting=[(10, 8, 100), (20, 4, 300), (30, 2, 50)]
    ... )
    >>> pb.solve(problem, "wait", SimAnneal(), evaluations=100).plan.start
    array([200, 300, 100])
    """

    __repr__ = brief_repr

    hottest: float = 1e-3
    coldest: float = 1e-5
    steps: int = 1000
    name: str = "simanneal"

    def __post_init__(self) -> None:
        if not 0 < self.coldest < self.hottest:
            raise ValueError(f"coldest, hottest: 0 < {self.coldest} < {self.hottest} does not hold")
        whole("steps", self.steps, 1)

    def optimize(self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator) -> Result:
        """Search for a plan; see :class:`~planbatch.planner.optimizer.Optimizer`."""
        with _GLOBAL_RANDOM:
            before = random.getstate()
            random.seed(int(rng.integers(2**62)))
            try:
                return super().optimize(problem, objective, budget, rng)
            finally:
                random.setstate(before)

    def improve(self, search: OrderSearch, rng: np.random.Generator) -> None:
        """Let one run of the library follow the other, for ever."""
        floor = search.floor()
        while True:
            scale = max(search.cost - floor, 1e-300)
            hottest, coldest = self.hottest * scale, self.coldest * scale
            _PlanAnnealer(search, hottest, coldest, self.steps).anneal()
