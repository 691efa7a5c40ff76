"""Exhaustive search: proven optima of small rounds."""

from dataclasses import dataclass

import numpy as np

from planbatch.planner.bounds.lagrangian import climb, respond
from planbatch.planner.bounds.largest import largest_bound
from planbatch.planner.bounds.separable import CLIMB, relax, rounded_up
from planbatch.planner.bounds.shares import Shares, share_out
from planbatch.planner.bounds.staircase import EXACT, processors_alone
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.model import IntArray
from planbatch.planner.objective import Objective, UnsupportedObjectiveError
from planbatch.planner.optimizer import Result, Status
from planbatch.planner.optimizers.exhaustive.branching import (
    At,
    Jobs,
    Rule,
    Search,
    begin,
    explore,
)
from planbatch.planner.optimizers.exhaustive.prefix_branching import PrefixRun
from planbatch.planner.optimizers.first_plan import FirstPlan, first_plan
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round
from planbatch.planner.soundness import true_cost
from planbatch.planner.terms import Terms, check_terms, terms_cost

#: Entries of the table of seen nodes, times the length of a profile.
TABLE = 1 << 21


@dataclass(frozen=True)
class Exhaustive:
    """Branch and bound over all plans, with the Lagrangian bound; see :mod:`branching`.

    Rounds of about 12 jobs are solved to the optimum, often larger ones too (of about 9 with several resources or
    windows, see :mod:`prefix_branching`). The status of the result is
    ``OPTIMAL``, or ``FINISHED`` if the budget was used up before. An evaluation is a visited node.

    Attributes
    ----------
    iterations : int
        Iterations of the subgradient method at the root.
    name : str
        Name of the optimizer in tables.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> result = pb.solve(problem, "squared-wait", pb.Exhaustive(), budget=1000)
    >>> result.cost, result.status.value
    (1250.0, 'optimal')
    """

    iterations: int = 1000
    name: str = "exhaustive"

    def supports(self, objective: Objective) -> bool:
        """Return whether the objective declares its terms."""
        return objective.terms is not None

    def optimize(
        self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator
    ) -> Result:
        """Search for an optimal plan; see :class:`Optimizer`. Nothing is drawn from ``rng``.

        Raises
        ------
        UnsupportedObjectiveError
            If the objective has no terms.
        """
        clock = budget.start()
        if objective.terms is None:
            raise UnsupportedObjectiveError(f"objective {objective.name} declares no terms")
        terms = check_terms(objective.terms(problem.jobs, problem.now), len(problem))
        first = first_plan(problem, objective)
        best, status, bound = first, Status.OPTIMAL, first.cost
        if len(problem):
            alone = processors_alone(problem) is problem
            make = _Run if alone else PrefixRun
            run = make(problem, terms, first.start, self.iterations)
            status = Status.FINISHED
            try:
                pace = 1e-5
                while not run.done and (count := clock.portion(pace, most=20_000)):
                    clock.evaluations += run.explore(count)
                    pace = clock.elapsed / max(clock.evaluations, 1)
            except KeyboardInterrupt:
                status = Status.INTERRUPTED
            best = run.better(objective, first)
            bound = run.lower_bound(best.cost)
            if run.done:
                status, bound = Status.OPTIMAL, best.cost
        return Result(
            plan=Plan(best.start),
            permutation=best.order,
            cost=best.cost,
            seed_cost=first.cost,
            evaluations=clock.evaluations,
            seconds=clock.elapsed,
            native=True,
            status=status,
            lower_bound=bound,
        )


class _Run:
    """The state of one call of :meth:`Exhaustive.optimize`; the search works on sums in seconds after now."""

    def __init__(self, problem: Round, terms: Terms, start: IntArray, iterations: int) -> None:
        self.problem, self.terms = problem, terms
        self.relaxed = relax(problem, terms, start)
        self.offset = 0.0 if terms.largest else self.relaxed.offset
        goal = terms_cost(terms, start) * terms.divisor - self.offset
        self.root = self.relaxed.simple
        if terms.largest:
            self.root = largest_bound(problem, terms) * terms.divisor
        else:
            climbed, _ = climb(self.relaxed.market, self.relaxed.price, goal, iterations, CLIMB)
            self.root = max(self.root, climbed)
        self.shares: Shares = share_out(self.relaxed.market, self.relaxed.price)
        self.order = self._order()
        self.jobs = self._jobs()
        self.rule = self._rule(goal)
        places = 1 << int(np.log2(TABLE / (len(problem) + len(problem.running.procs) + 2)))
        self.search: Search = begin(self.jobs, problem, goal, places)
        self.goal = goal

    def _order(self) -> IntArray:
        """Return the jobs, equal ones next to one another by origin: of those, the first is to start first."""
        jobs, terms = self.problem.jobs, self.terms
        keys = (terms.origin, jobs.latest, terms.weight, jobs.walltime, jobs.procs)
        return np.lexsort(keys)

    def _jobs(self) -> Jobs:
        jobs, terms, order, now = self.problem.jobs, self.terms, self.order, self.problem.now
        alike = np.stack([jobs.procs, jobs.walltime, terms.weight, jobs.latest])[:, order]
        differs = (alike[:, 1:] != alike[:, :-1]).any(axis=0)
        entry = self.relaxed.entry[order]
        origin = (terms.origin[order] - now).astype(np.float64)
        due = origin + jobs.walltime[order]
        by_due = np.argsort(due, kind="stable")
        return Jobs(
            procs=jobs.procs[order],
            walltime=jobs.walltime[order],
            latest=jobs.latest[order] - now,
            weight=terms.weight[order],
            origin=origin if terms.largest else self.relaxed.market.origin[entry],
            kind=np.concatenate([[0], np.cumsum(differs)]).astype(np.int64),
            by_due=by_due[terms.weight[order][by_due] > 0],
            entry=entry,
        )

    def _rule(self, goal: float) -> Rule:
        market, price = self.relaxed.market, self.relaxed.price
        sizes, buckets = len(market.coef), market.capacity.shape[1]
        rate = np.zeros((sizes, buckets + 1))
        _, magnitude = respond(market, price, rate, rate.copy(), np.zeros((sizes, buckets)))
        terms = self.terms
        whole = bool((terms.weight == np.floor(terms.weight)).all())
        whole = whole and goal + abs(self.offset) < EXACT
        slack = 1e-9 * goal + 1e-6 if terms.largest else 1e-10 * magnitude + 1e-6
        positive = terms.weight[terms.weight > 0]
        least = float(positive.min()) if len(positive) else 0.0
        # Better by less than the rounding errors is not better.
        step = 1.0 if whole else 2 * slack
        return Rule(terms.largest, terms.power, slack, step, least)

    @property
    def done(self) -> bool:
        """Whether the best plan is proven: every node has been visited or cut, or the root's bound is met."""
        spare = self.rule.step - 2 * self.rule.slack
        return bool(self.search.counters[At.DONE]) or self.search.best[0] < self.root + spare

    def explore(self, nodes: int) -> int:
        """Visit further nodes and return how many."""
        relaxed = self.relaxed
        return int(explore(self.jobs, relaxed.market, self.shares, self.search, self.rule, nodes))

    def better(self, objective: Objective, first: FirstPlan) -> FirstPlan:
        """Return the better of the first plan and the best plan found, decoded."""
        if not self.search.best[0] < self.goal:
            return first
        start = np.empty(len(self.order), dtype=np.int64)
        start[self.order] = self.search.best_start
        order = np.argsort(start, kind="stable")
        plan = decode(self.problem, order)
        cost = true_cost(self.problem, objective, plan.start)
        return FirstPlan(order, plan.start, cost) if cost < first.cost else first

    def lower_bound(self, cost: float) -> float:
        """Return the root's bound, or the least bound of an unvisited node if that is higher."""
        terms, search = self.terms, self.search
        if terms.largest:
            return min(cost, self.root / terms.divisor)
        left = search.best[0] - (0 if self.rule.step == 1 else self.rule.step)
        if search.counters[At.NODES] == 0:
            left = self.root
        for depth in range(search.counters[At.DEPTH] + 1):
            rest = search.child_bound[depth, search.next[depth] : search.children[depth]]
            left = min(left, rest.min(initial=np.inf) - self.rule.slack)
        return min(cost, rounded_up(max(left, self.root) + self.offset, terms))
