"""Branch and bound over the plans of a round, in the order of their starts; see ``core/branch_and_bound/search.hpp``.

Lower bounds rise by it as well: if no node is left of a search for plans that cost less than a threshold, none of them
does (a destructive bound, Klein, Scholl 1999).
"""

from typing import NamedTuple

import numpy as np

from planbatch import _core
from planbatch.planner.bounds.proof import KnownPlan, Proof, rounded_up
from planbatch.planner.bounds.staircase import EXACT
from planbatch.planner.model import FloatArray, IntArray
from planbatch.planner.profile import Profile
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms, equal_jobs

Search = _core.ProcessorBranchAndBound | _core.ResourceBranchAndBound | _core.WindowBranchAndBound

#: The nodes remembered for dominance, times the length of a profile.
TABLE = 1 << 21
#: Nodes per iteration of a lower bound beyond those with prices, and for up to how many jobs.
NODES, MOST_JOBS = 1_000, 62
#: Rounds of up to this many jobs are mostly solved by one search for a better plan. With windows, where fewer nodes are
#: cut, larger ones are not searched.
SMALL_ROUND = 15
#: Of profiles that are longer, nodes take longer, so there are fewer.
LENGTH = 100
#: The first threshold, relative to the gap, and the nodes that it is expected to take.
FIRST_STEP, FIRST_NODES = 1 / 16, 1_000
#: Steps that are smaller, relative to the gap, are not worth their nodes.
LEAST_STEP = 1 / 256
#: How many times as many nodes the next threshold is to take.
GROWTH = 2


class Root(NamedTuple):
    """What is known before the search; times are seconds after now."""

    bound: float  #: lower bound of the sum of the terms, or of the largest, less ``offset``
    offset: float  #: part of the sum that no plan can change
    slack: float  #: rounding errors of the bounds of nodes
    origin: FloatArray  #: shape (n,): origins of the terms
    #: The jobs' shares of the Lagrangian bound, if the search uses it.
    shares: _core.Shares | None = None
    #: Shape (n,): each job's entry of the market; empty without shares.
    entry: IntArray = np.empty(0, dtype=np.int64)


def root_without_prices(problem: Round, terms: Terms, bound: float, cost: float) -> Root:
    """Return the root for largest terms, or for sums with windows; ``bound`` and ``cost``: known ones."""
    cost *= terms.divisor
    slack = 1e-9 * cost + 1e-6 if terms.largest else 1e-12 * cost
    return Root(bound * terms.divisor, 0.0, slack, (terms.origin - problem.now).astype(np.float64))


def prove_without_prices(problem: Round, terms: Terms, bound: float, known: KnownPlan, nodes: int) -> Proof:
    """Prove a lower bound of largest terms, or of a sum with windows, from a known bound on."""
    tree = Tree(problem, terms, root_without_prices(problem, terms, bound, known.cost), known.cost * terms.divisor)
    proof = tree.prove(nodes, known.start)
    return proof._replace(bound=max(bound, rounded_up(proof.bound, terms)))


class Tree:
    """The plans of a round that cost less than ``goal``, a sum or a largest term less the root's offset."""

    def __init__(self, problem: Round, terms: Terms, root: Root, goal: float) -> None:
        self.problem, self.terms, self.root, self.goal = problem, terms, root, goal
        whole = bool((terms.weight == np.floor(terms.weight)).all())
        self.whole = whole and goal + abs(root.offset) < EXACT
        # Better by less than the rounding errors is not better.
        self.step = 1.0 if self.whole else 2 * root.slack
        self.order, self.differs = equal_jobs(problem, terms)
        self.length = len(problem) + len(problem.running.procs) + 2  # of a profile, at most

    def search(self, goal: float) -> Search:
        """Return a search for plans that cost less than a goal, which has not begun."""
        problem, terms, root, order = self.problem, self.terms, self.root, self.order
        jobs = problem.jobs
        weight, origin = terms.weight[order], root.origin[order]
        by_due = np.argsort(origin + jobs.walltime[order], kind="stable")
        profile = Profile(problem)
        make = _core.ResourceBranchAndBound if problem.resources else _core.ProcessorBranchAndBound
        return (_core.WindowBranchAndBound if len(problem.windows.start) else make)(
            times=profile.times - problem.now,
            free=profile.free.reshape(len(profile.times), -1),
            amounts=np.ascontiguousarray(problem.demands[order]),
            walltime=jobs.walltime[order],
            latest=jobs.latest[order] - problem.now,
            weight=weight,
            origin=origin,
            kind=np.concatenate([[0], np.cumsum(self.differs)]).astype(np.int64),
            entry=root.entry[order] if root.shares else root.entry,
            by_due=by_due[weight[by_due] > 0],
            shares=root.shares,
            largest=terms.largest,
            power=terms.power,
            slack=root.slack,
            step=self.step,
            goal=goal,
            remembered=TABLE // self.length,
        )

    def best_start(self, search: Search) -> IntArray:
        """Return the starts (s) of the best plan of a search that has found one."""
        start = np.empty(len(self.order), dtype=np.int64)
        start[self.order] = self.problem.now + search.best_start
        return start

    def rounded_down(self, cost: float) -> float:
        """Return the cost of the best plan less what another may be better by, which counts as rounding errors."""
        return cost if self.whole else cost - self.step

    def optimum(self, search: Search, known: IntArray | None) -> Proof:
        """Return the proof of a search that has ended: its best plan, or that of its goal, is optimal."""
        if not search.best < self.goal:
            return Proof(self.goal, True, known)
        return Proof(self.rounded_down(search.best), True, self.best_start(search))

    def prove(self, nodes: int, known: IntArray | None = None) -> Proof:
        """Prove the largest bound of the sum, up to the tree's goal, that searches of about so many nodes can.

        ``known``: the starts of a plan that costs the tree's goal, if there is one that the result should have.

        Small rounds are mostly solved at once. Else thresholds rise from the root's bound, each by what should take
        ``GROWTH`` times the nodes of the one before: nodes grow about exponentially. A search that takes far more is
        given up, for half the step. So more nodes never prove less.
        """
        proven, used = self.root.bound, FIRST_NODES
        if proven >= self.goal:
            return Proof(proven, known is not None, known)
        nodes = nodes * LENGTH // max(LENGTH, self.length)
        if nodes > 0 and len(self.problem) <= SMALL_ROUND:
            search = self.search(self.goal)
            search.explore(nodes)
            if search.done:
                return self.optimum(search, known)
        gap = self.goal - proven
        step = FIRST_STEP * gap
        while nodes > 0 and proven < self.goal and step >= LEAST_STEP * gap:
            threshold = min(proven + step + self.step, self.goal)
            search = self.search(threshold)
            count = search.explore(min(GROWTH**2 * used, nodes))
            nodes -= count
            if not search.done:
                step, used = step / 2, 2 * used
            elif search.best < threshold or threshold == self.goal:
                return self.optimum(search, known)
            else:
                proven = threshold - self.step
                step *= min(2.0, np.log(GROWTH) / np.log(max(count / used, 1.1)))
                used = max(count, FIRST_NODES)
        return Proof(proven)
