"""Large neighbourhood search: find the best order of one window of the plan after the other."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from time import perf_counter

import numpy as np

from planbatch.planner.arguments import whole
from planbatch.planner.columns import Permutation
from planbatch.planner.display import brief_repr
from planbatch.planner.model import IntArray
from planbatch.planner.objective import Objective
from planbatch.planner.optimizers.cpsat.window import repair
from planbatch.planner.optimizers.search import BudgetUsedUp, OrderOptimizer, OrderSearch

#: Methods that find the order of a window, and the largest window of each.
REPAIRS = {"enumerate": 6, "cp-sat": 30}
#: The most evaluations that CP-SAT may spend on a window, and its deterministic time that stands for one.
WINDOW_EVALUATIONS = 100
TIME_PER_EVALUATION = 1e-4


@dataclass(frozen=True)
class LargeNeighbourhood(OrderOptimizer):
    """Optimise the order of a window of the permutation, then move on to another (Shaw 1998).

    A window is a run of neighbours in the order of the planned starts, or, every other time, a random set of jobs
    that exchange places among themselves. Windows near the front are drawn more often.

    Attributes
    ----------
    window : int
        Jobs that are freed together, 2 … 6; 2 … 30 with CP-SAT.
    repair : {"enumerate", "cp-sat"}
        Whether all orders of a window are evaluated, or CP-SAT finds the best starts of its jobs among the others'.
        The latter needs the terms of the objective; a window counts as one evaluation and the solver's deterministic
        time, and a time limit in seconds is not reproducible.
    name : str
        Name of the optimizer in tables.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import LargeNeighbourhood
    >>> problem = pb.Round.of(
    ...     capacity=8, now=100, running=[(4, 200)], waiting=[(10, 8, 100), (20, 4, 300), (30, 2, 50)]
    ... )
    >>> pb.solve(problem, "wait", LargeNeighbourhood(window=3), evaluations=100).plan.start
    array([200, 300, 100])
    """

    __repr__ = brief_repr

    window: int = 4
    repair: str = "enumerate"
    name: str = "lns"

    def __post_init__(self) -> None:
        if self.repair not in REPAIRS:
            raise ValueError(f"repair: {self.repair!r} is none of {', '.join(REPAIRS)}")
        if not 2 <= whole("window", self.window) <= REPAIRS[self.repair]:
            raise ValueError(f"window: {self.window} is outside 2 … {REPAIRS[self.repair]}")

    @property
    def replayable(self) -> bool:
        """Whether a search stopped by the clock is the beginning of a longer one."""
        return self.repair == "enumerate"

    def supports(self, objective: Objective) -> bool:
        """Return True if orders are enumerated; with CP-SAT, whether the objective declares its terms."""
        return self.repair == "enumerate" or objective.terms is not None

    def improve(self, search: OrderSearch, rng: np.random.Generator) -> None:
        """Optimise one window after the other, for ever."""
        (self._enumerate_windows if self.repair == "enumerate" else self._solve_windows)(search, rng)

    def _windows(self, search: OrderSearch, rng: np.random.Generator) -> Iterator[tuple[Permutation, IntArray]]:
        """Yield, for ever, the best order by its starts, and the places of a window in it."""
        n = len(search.problem)
        width = min(self.window, n)
        contiguous = True
        while True:
            # The order of the starts: jobs that start one after the other compete for the same processors.
            order = search.order[np.argsort(search.start[search.order], kind="stable")]
            if contiguous:
                first = int((n - width + 1) * rng.random() ** 2)
                positions = np.arange(first, first + width)
            else:
                reach = min(n, 4 * width)
                first = int((n - reach + 1) * rng.random() ** 2)
                positions = first + np.sort(rng.choice(reach, size=width, replace=False))
            contiguous = not contiguous
            yield order, positions

    def _enumerate_windows(self, search: OrderSearch, rng: np.random.Generator) -> None:
        """Evaluate every order of one window after the other."""
        for order, positions in self._windows(search, rng):
            jobs = order[positions]
            for arrangement in permutations(range(len(positions))):
                candidate = order.copy()
                candidate[positions] = jobs[list(arrangement)]
                search.evaluate(candidate)

    def _solve_windows(self, search: OrderSearch, rng: np.random.Generator) -> None:
        """Let CP-SAT solve one window after the other, as long as the budget has room for one."""
        problem, objective, clock = search.problem, search.objective, search.clock
        terms = objective.terms_of(problem)
        longest = 0.0
        for order, positions in self._windows(search, rng):
            evaluations = WINDOW_EVALUATIONS
            if clock.budget.evaluations is not None:
                evaluations = min(evaluations, clock.budget.evaluations - clock.evaluations - 1)
            if evaluations < 1 or clock.remaining < 2 * longest:
                raise BudgetUsedUp
            began = perf_counter()
            repaired = repair(
                problem, objective, terms, search.start, order[positions], int(rng.integers(2**31)),
                deterministic_time=evaluations * TIME_PER_EVALUATION,
                seconds=0.5 * clock.remaining,
            )  # fmt: skip
            longest = max(longest, perf_counter() - began)
            cost = int(np.ceil(repaired.used / TIME_PER_EVALUATION))
            clock.evaluations += min(cost, evaluations)
            search.evaluate(np.argsort(repaired.start, kind="stable"))
