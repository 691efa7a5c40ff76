"""Exhaustive search: proven optima of small rounds, by branch and bound over plans in the order of their starts.

The compiled core visits the nodes. Each is a set of placed jobs, and the next job starts as early as possible, but not
before the last placed one. Without windows a node is cut if

- its bound is not below the best plan: the cost so far with every other job alone, or the Lagrangian bound with the
  reduced costs of the starts and of idle time (see :mod:`separable`), or for largest terms the work by due time;
- another job could be done before the next start (active schedules: Giffler, Thompson 1960);
- an equal job, or one that costs from an earlier time on, is still to be placed;
- an earlier node with the same jobs was no dearer, had no later last start, and left no less free from then on
  (dominance).

Jobs that cost nothing come behind the others, without a search.

With windows, free amounts do not only rise, which dominance and the Lagrangian bound build on; there the bound is that
of every other job alone in what the placed ones leave. Each cut retains an optimal plan for terms that never fall when
a job starts later.
"""

from dataclasses import dataclass

import numpy as np

from planbatch.planner.arguments import whole
from planbatch.planner.bounds import RELAXATIONS, terms_bound
from planbatch.planner.bounds.proof import rounded_up
from planbatch.planner.bounds.separable import relax, sum_root
from planbatch.planner.bounds.tree import Root, Tree, root_without_prices
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.display import brief_repr
from planbatch.planner.model import BoolArray, IntArray
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Result, Status
from planbatch.planner.optimizers.first_plan import FirstPlan, first_plan
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms, jobs_that_count, order_of_some, terms_cost, terms_of_some


@dataclass(frozen=True)
class Exhaustive:
    """Branch and bound over all plans, with the Lagrangian bound.

    Rounds of about 12 jobs are solved to the optimum, often much larger ones too (of about 9 with windows). The status
    of the result is ``OPTIMAL``, or ``FINISHED`` if the budget was used up before. An evaluation is a visited node.

    Attributes
    ----------
    iterations : int
        Iterations of the lower bound at the root, see :func:`lower_bound`.
    name : str
        Name of the optimizer in tables.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import Exhaustive
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> result = pb.solve(problem, "squared-wait", Exhaustive(), evaluations=1000)
    >>> result.cost, result.status.value
    (1250.0, 'optimal')
    """

    __repr__ = brief_repr

    iterations: int = 2000
    name: str = "exhaustive"

    def __post_init__(self) -> None:
        whole("iterations", self.iterations)

    def supports(self, objective: Objective) -> bool:
        """Return whether the objective declares its terms."""
        return objective.terms is not None

    def optimize(self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator) -> Result:
        """Search for an optimal plan; see :class:`Optimizer`. Nothing is drawn from ``rng``.

        Raises
        ------
        UnsupportedObjectiveError
            If the objective has no terms.
        """
        clock = budget.start()
        terms = objective.terms_of(problem)
        first = first_plan(problem, objective)
        best, status, bound = first, Status.OPTIMAL, first.cost
        counts = jobs_that_count(problem, terms)
        if counts.any():
            run = _ExhaustiveRun(problem, terms, counts, first.start, self.iterations)
            status = Status.FINISHED
            try:
                pace = 1e-5
                while not run.done and (count := clock.portion(pace, most=20_000)):
                    clock.evaluations += run.search.explore(count)
                    pace = clock.elapsed / max(clock.evaluations, 1)
            except KeyboardInterrupt:
                status = Status.INTERRUPTED
            best = run.better(objective, first)
            bound = run.lower_bound(best.cost)
            if run.done:
                status, bound = Status.OPTIMAL, best.cost
        plan = (best.start, best.order, best.cost)
        return Result.of_search(*plan, first.cost, clock, True, status, bound)


def _root(problem: Round, terms: Terms, start: IntArray, iterations: int) -> Root:
    """Return the root of a round; ``start`` is a known plan."""
    cost = terms_cost(terms, start)
    if terms.largest or len(problem.windows.start):
        bound = terms_bound(problem, terms, cost, min(iterations, RELAXATIONS))
        return root_without_prices(problem, terms, bound, cost)
    relaxed = relax(problem, terms, start, resources=range(problem.demands.shape[1]))
    return sum_root(relaxed, cost * terms.divisor - relaxed.offset, iterations)


class _ExhaustiveRun:
    """The state of one call of :meth:`Exhaustive.optimize`; the search works on sums less the root's offset."""

    def __init__(self, problem: Round, terms: Terms, counts: BoolArray, start: IntArray, iterations: int) -> None:
        self.problem, self.counts = problem, counts
        self.windows = len(problem.windows.start) > 0
        part, start, self.terms = problem.only(counts), start[counts], terms_of_some(terms, counts)
        self.root = _root(part, self.terms, start, iterations)
        goal = terms_cost(self.terms, start) * terms.divisor - self.root.offset
        self.tree = Tree(part, self.terms, self.root, goal)
        self.search = self.tree.search(self.tree.goal)

    @property
    def done(self) -> bool:
        """Whether the best plan is proven: every node has been visited or cut, or the root's bound is met."""
        if self.search.done:
            return True
        best, root = self.search.best, self.root
        if not self.windows:
            return best < root.bound + self.tree.step - 2 * root.slack
        return best * (1 - 1e-12) <= root.bound

    def better(self, objective: Objective, first: FirstPlan) -> FirstPlan:
        """Return the better of the first plan and the best plan found, decoded."""
        if not self.search.best < self.tree.goal:
            return first
        order = order_of_some(self.tree.best_start(self.search), self.counts)
        plan = decode(self.problem, order)
        cost = float(objective.cost(plan.start, self.problem.jobs, self.problem.now))
        return FirstPlan(order, plan.start, cost) if cost < first.cost else first

    def lower_bound(self, cost: float) -> float:
        """Return the root's bound, or the least bound of an unvisited node if that is higher."""
        terms, root, search = self.terms, self.root, self.search
        if root.shares is None:
            return min(cost, root.bound / terms.divisor)
        left = root.bound
        if search.begun:
            left = max(left, min(self.tree.rounded_down(search.best), search.open_bound - root.slack))
        return min(cost, rounded_up(left + root.offset, terms))
