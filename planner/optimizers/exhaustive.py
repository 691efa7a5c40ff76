"""Exhaustive search: proven optima of small rounds, by branch and bound over plans in the order of their starts.

The compiled core visits the nodes. Each is a set of placed jobs, and the next job starts as early as possible, but not
before the last placed one. On processors alone a node is cut if

- its bound is not below the best plan: the cost so far with every other job alone, or the Lagrangian bound with the
  reduced costs of the starts (see :mod:`separable`), or for largest terms the work by due time;
- another job could be done before the next start (active schedules: Giffler, Thompson 1960);
- an equal job, or one that costs from an earlier time on, is still to be placed;
- an earlier node with the same jobs was no dearer, had no later last start, and left no fewer processors free from
  then on (dominance).

With several resources or with windows, free amounts do not only rise, which dominance and the Lagrangian bound build
on; there the bound is that of every other job alone in what the placed ones leave. Each cut retains an optimal plan for
terms that never fall when a job starts later.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from planbatch import _core
from planbatch.planner.bounds import terms_bound
from planbatch.planner.bounds.largest import largest_bound
from planbatch.planner.bounds.separable import relax, rounded_up
from planbatch.planner.bounds.staircase import EXACT, processors_alone
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.display import brief_repr
from planbatch.planner.model import BoolArray, FloatArray, IntArray
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Result, Status
from planbatch.planner.optimizers.first_plan import FirstPlan, first_plan
from planbatch.planner.profile import Profile
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms, equal_jobs, terms_cost

#: The nodes remembered for dominance, times the length of a profile.
TABLE = 1 << 21


@dataclass(frozen=True)
class Exhaustive:
    """Branch and bound over all plans, with the Lagrangian bound.

    Rounds of about 12 jobs are solved to the optimum, often larger ones too (of about 9 with several resources or
    windows). The status of the result is ``OPTIMAL``, or ``FINISHED`` if the budget was used up before. An evaluation
    is a visited node.

    Attributes
    ----------
    iterations : int
        Iterations of the subgradient method at the root.
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

    iterations: int = 1000
    name: str = "exhaustive"

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
        if len(problem):
            run = _ExhaustiveRun(problem, terms, first.start, self.iterations)
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


class _Root(NamedTuple):
    """What is known before the search; times are seconds after now."""

    bound: float  #: lower bound of the sum of the terms, or of the largest, less ``offset``
    offset: float  #: part of the sum that no plan can change
    slack: float  #: rounding errors of the bounds of nodes
    origin: FloatArray  #: shape (n,): origins of the terms
    #: The jobs' shares of the Lagrangian bound, if the search uses it.
    shares: _core.Shares | None = None
    #: Shape (n,): each job's entry of the market; empty without shares.
    entry: IntArray = np.empty(0, dtype=np.int64)


def _seconds_after_now(problem: Round, terms: Terms) -> FloatArray:
    return (terms.origin - problem.now).astype(np.float64)


def _sum_root(problem: Round, terms: Terms, start: IntArray, iterations: int) -> _Root:
    """Return the root for a sum of terms on processors alone; ``start`` is a known plan."""
    relaxed = relax(problem, terms, start)
    market = relaxed.market
    goal = terms_cost(terms, start) * terms.divisor - relaxed.offset
    climbed, price = market.climb(relaxed.price, goal, iterations)
    _, magnitude = market.respond(price)
    return _Root(
        bound=max(relaxed.simple, climbed),
        offset=relaxed.offset,
        slack=1e-10 * magnitude + 1e-6,
        origin=market.origin[relaxed.entry],
        shares=_core.Shares(market, price),
        entry=relaxed.entry,
    )


def _largest_root(problem: Round, terms: Terms, start: IntArray) -> _Root:
    """Return the root for the largest term on processors alone."""
    bound = largest_bound(problem, terms) * terms.divisor
    slack = 1e-9 * terms_cost(terms, start) * terms.divisor + 1e-6
    return _Root(bound, 0.0, slack, _seconds_after_now(problem, terms))


def _resource_root(problem: Round, terms: Terms, start: IntArray, iterations: int) -> _Root:
    """Return the root with several resources or windows."""
    cost = terms_cost(terms, start)
    bound = terms_bound(problem, terms, cost, iterations) * terms.divisor
    return _Root(bound, 0.0, 1e-12 * cost * terms.divisor, _seconds_after_now(problem, terms))


class _ExhaustiveRun:
    """The state of one call of :meth:`Exhaustive.optimize`; the search works on sums less the root's offset."""

    def __init__(self, problem: Round, terms: Terms, start: IntArray, iterations: int) -> None:
        self.problem, self.terms = problem, terms
        self.alone = processors_alone(problem) is problem
        if not self.alone:
            self.root = _resource_root(problem, terms, start, iterations)
        elif terms.largest:
            self.root = _largest_root(problem, terms, start)
        else:
            self.root = _sum_root(problem, terms, start, iterations)
        self.goal = terms_cost(terms, start) * terms.divisor - self.root.offset
        whole = bool((terms.weight == np.floor(terms.weight)).all())
        self.whole = whole and self.goal + abs(self.root.offset) < EXACT
        # Better by less than the rounding errors is not better.
        self.step = 1.0 if self.whole else 2 * self.root.slack
        self.order, differs = equal_jobs(problem, terms)
        self.search = self._search(differs)

    def _search(self, differs: BoolArray) -> _core.ProcessorBranchAndBound | _core.ResourceBranchAndBound:
        """Return a search that has not begun; ``differs``: which jobs of the order do from the one before."""
        problem, terms, root, order = self.problem, self.terms, self.root, self.order
        jobs, demands = problem.jobs, problem.demands
        weight, origin = terms.weight[order], root.origin[order]
        by_due = np.argsort(origin + jobs.walltime[order], kind="stable")
        profile = Profile(problem)
        length = len(problem) + len(problem.running.procs) + 2
        make = _core.ProcessorBranchAndBound if self.alone else _core.ResourceBranchAndBound
        return make(
            times=profile.times - problem.now,
            free=profile.free.reshape(len(profile.times), -1),
            amounts=np.ascontiguousarray(demands[order]),
            walltime=jobs.walltime[order],
            latest=jobs.latest[order] - problem.now,
            weight=weight,
            origin=origin,
            kind=np.concatenate([[0], np.cumsum(differs)]).astype(np.int64),
            entry=root.entry[order] if root.shares else root.entry,
            by_due=by_due[weight[by_due] > 0],
            shares=root.shares,
            largest=terms.largest,
            power=terms.power,
            slack=root.slack,
            step=self.step,
            goal=self.goal,
            remembered=TABLE // length,
        )

    @property
    def done(self) -> bool:
        """Whether the best plan is proven: every node has been visited or cut, or the root's bound is met."""
        if self.search.done:
            return True
        best, root = self.search.best, self.root
        if self.alone:
            return best < root.bound + self.step - 2 * root.slack
        return best * (1 - 1e-12) <= root.bound

    def better(self, objective: Objective, first: FirstPlan) -> FirstPlan:
        """Return the better of the first plan and the best plan found, decoded."""
        if not self.search.best < self.goal:
            return first
        start = np.empty(len(self.order), dtype=np.int64)
        start[self.order] = self.search.best_start
        order = np.argsort(start, kind="stable")
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
            better = search.best - (0 if self.whole else self.step)
            left = max(left, min(better, search.open_bound - root.slack))
        return min(cost, rounded_up(left + root.offset, terms))
