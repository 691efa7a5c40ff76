"""The search state shared by optimizers in plain Python: first plan, evaluation of orders, best order, budget."""

import math
from collections.abc import Callable

import numpy as np

from planbatch.planner.budget import Budget, Clock
from planbatch.planner.columns import Permutation, permutation_of
from planbatch.planner.decoder import decode
from planbatch.planner.objective import Objective, UnsupportedObjectiveError, not_finite
from planbatch.planner.optimizer import Result, Status
from planbatch.planner.optimizers.first_plan import first_plan
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round
from planbatch.planner.soundness import OrderGivenError

#: Evaluations between two looks of a budget's watch.
WATCH_INTERVAL = 100


class BudgetUsedUp(Exception):  # noqa: N818 (no error: how a search ends)
    """The clock of a search has run out."""


class OrderSearch:
    """The state of one search over permutations.

    Parameters
    ----------
    problem : Round
        The round; the search starts from its best first plan.
    objective : Objective
        The cost of plans.
    budget : Budget
        The budget; its clock starts here.

    Attributes
    ----------
    order, start, cost
        The best permutation, its starts (s) and its cost so far.
    """

    def __init__(self, problem: Round, objective: Objective, budget: Budget) -> None:
        self.clock: Clock = budget.start()
        self.problem, self.objective = problem, objective
        self.status = Status.FINISHED
        try:
            self.order, self.start, self.cost = first_plan(problem, objective)
        except KeyboardInterrupt:
            self.order = Plan(problem.planned).order()
            self.start, self.cost = decode(problem, self.order).start.copy(), np.inf
            self.status = Status.INTERRUPTED
        self.seed_cost = self.cost
        if not len(problem):
            return
        self._search = objective.search(problem)

    def evaluate(self, order: Permutation) -> float:
        """Return the cost of an order (infinite if it breaks a promise), and remember the best.

        Parameters
        ----------
        order : int array, shape (n,)
            Indices of the waiting jobs, each once; a list will do.

        Raises
        ------
        OrderGivenError
            If it is no permutation of the round's jobs.
        BudgetUsedUp
            If the budget allows no further evaluation.
        ObjectiveError
            If the objective raises, or returns anything but a finite number.
        """
        try:
            order = permutation_of(order, self.problem.ids)
        except ValueError as error:
            raise OrderGivenError(
                f"gave search.evaluate {error}: an order has each of the positions 0 … {len(self.problem) - 1} once"
            ) from None
        clock = self.clock
        if not clock.portion(clock.elapsed / (clock.evaluations + 10), most=1):
            raise BudgetUsedUp
        value = self._search.evaluate(order)
        if math.isnan(value):
            raise not_finite(self.objective, self.problem.now)
        clock.evaluations += 1
        better = value < self.cost
        if better:
            self.cost = value
            self.order, self.start = order.copy(), self._search.trial
        if (better or clock.evaluations % WATCH_INTERVAL == 0) and clock.stopped(self.cost, lambda: self.start):
            self.status = Status.INTERRUPTED
            raise BudgetUsedUp
        return float(value)

    def floor(self) -> float:
        """Return the cost if every job could start now, which no plan undercuts."""
        cost = self._search.soonest_cost()
        if not np.isfinite(cost):
            raise not_finite(self.objective, self.problem.now)
        return cost

    def run(self, search: Callable[[], None]) -> Result:
        """Run a search until it ends by itself, by the budget or by an interrupt; return the best."""
        try:
            if len(self.problem) > 1 and self.status is Status.FINISHED:
                search()
        except BudgetUsedUp:
            pass
        except KeyboardInterrupt:
            self.status = Status.INTERRUPTED
        best = (self.start, self.order, self.cost)
        native = self.objective.compiled
        return Result.of_search(*best, self.seed_cost, self.clock, native, self.status)


class OrderOptimizer:
    """Base of optimizers that look for better orders in plain Python, for any objective."""

    def supports(self, objective: Objective) -> bool:
        """Return True: every objective is supported."""
        return True

    def optimize(self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator) -> Result:
        """Search for a plan; see :class:`~planbatch.planner.optimizer.Optimizer`."""
        if not self.supports(objective):
            raise UnsupportedObjectiveError(f"objective {objective.name} declares no terms")
        search = OrderSearch(problem, objective, budget)
        return search.run(lambda: self.improve(search, rng))

    def improve(self, search: OrderSearch, rng: np.random.Generator) -> None:
        """Evaluate orders until there is nothing more to try, or the budget is used up; at first, look no further."""


def move_job(order: Permutation, source: int, target: int) -> Permutation:
    """Return ``order`` with the job at place ``source`` moved to place ``target``."""
    return np.insert(np.delete(order, source), target, order[source])
