"""Branch and bound over prefixes of orders: exhaustive search if free amounts do not only rise.

With several resources or with windows, what :mod:`branching` builds on does not hold. Here a node is
a placed prefix with its profile, and the bound is that of every other job alone in what the prefix leaves. Some optimal
plan is reproduced by decoding its jobs in the order of their starts, so that

- no job is placed before the one placed last;
- no job starts when another one could be done already (active schedules: Giffler, Thompson 1960);
- of equal jobs, the first one is placed first.
"""

from typing import Any, NamedTuple

import numpy as np
from planbatch.planner.kernels.decode import fill_guarded, place_earliest
from planbatch.planner.kernels.native import kernel
from planbatch.planner.kernels.profile import earliest_index, index_at, room_for
from planbatch.planner.kernels.terms import one_term

from planbatch.planner.bounds import terms_bound
from planbatch.planner.decoder import decode
from planbatch.planner.model import FloatArray, IntArray
from planbatch.planner.objective import Objective
from planbatch.planner.optimizers.exhaustive.branching import At, combine
from planbatch.planner.optimizers.first_plan import FirstPlan
from planbatch.planner.round import Round
from planbatch.planner.soundness import true_cost
from planbatch.planner.terms import Terms, terms_cost


class Tasks(NamedTuple):
    """The jobs of a search, equal ones next to one another; ``kind`` numbers the equal ones, ``demands`` are rows."""

    demands: IntArray
    walltime: IntArray
    latest: IntArray
    weight: FloatArray
    origin: FloatArray
    kind: IntArray


class PrefixSearch(NamedTuple):
    """The state of a search: profiles, costs and children by depth, and the best plan."""

    counters: IntArray
    best: FloatArray
    best_start: IntArray
    start: IntArray
    placed: IntArray
    times: IntArray
    free: IntArray
    size: IntArray
    cost: FloatArray
    child: IntArray
    child_start: IntArray
    children: IntArray
    next: IntArray
    bound: FloatArray


@kernel
def branch(tasks: Tasks, search: PrefixSearch, power: int, largest: bool, d: int) -> None:
    """List the children of the node at depth ``d`` by their starts; none if its bound is not below the best."""
    n = len(tasks.walltime)
    times, free, size = search.times[d], search.free[d], search.size[d]
    last = times[0] if d == 0 else search.child_start[d - 1, search.next[d - 1] - 1]
    search.children[d] = 0
    search.next[d] = 0
    bound = search.cost[d]
    first_end = np.iinfo(np.int64).max
    here = index_at(times, size, last)
    for j in range(n):
        if search.placed[j]:
            continue
        i = earliest_index(times, free, size, tasks.demands[j], tasks.walltime[j], here)
        search.start[j] = times[i]
        if times[i] > tasks.latest[j]:
            return
        first_end = min(first_end, times[i] + tasks.walltime[j])
        term = one_term(tasks.weight[j], tasks.origin[j], power, float(times[i]))
        bound = combine(largest, bound, term)
    search.bound[d] = bound
    if bound >= search.best[0]:
        return
    count = 0
    taken = -1
    for j in range(n):
        if search.placed[j] or search.start[j] >= first_end:
            continue
        if tasks.kind[j] == taken:
            continue
        taken = tasks.kind[j]
        k = count
        while k > 0 and search.child_start[d, k - 1] > search.start[j]:
            search.child[d, k] = search.child[d, k - 1]
            search.child_start[d, k] = search.child_start[d, k - 1]
            k -= 1
        search.child[d, k] = j
        search.child_start[d, k] = search.start[j]
        count += 1
    search.children[d] = count


@kernel
def descend(tasks: Tasks, search: PrefixSearch, power: int, largest: bool, d: int) -> None:
    """Place the next child of the node at depth ``d`` and write its node at depth d + 1."""
    j = search.child[d, search.next[d]]
    when = search.child_start[d, search.next[d]]
    search.next[d] += 1
    search.placed[j] = 1
    term = one_term(tasks.weight[j], tasks.origin[j], power, float(when))
    search.cost[d + 1] = combine(largest, search.cost[d], term)
    size = search.size[d]
    for i in range(size + 1):
        search.times[d + 1, i] = search.times[d, i]
        for k in range(search.free.shape[2]):
            search.free[d + 1, i, k] = search.free[d, i, k]
    here = index_at(search.times[d], size, when)
    _, size = place_earliest(
        search.times[d + 1], search.free[d + 1], size, tasks.demands[j], tasks.walltime[j], here
    )
    search.size[d + 1] = size


@kernel
def explore(tasks: Tasks, search: PrefixSearch, power: int, largest: bool, nodes: int) -> int:
    """Visit up to ``nodes`` further nodes; return how many. ``counters[At.DONE]`` becomes 1 at the end."""
    n = len(tasks.walltime)
    visited = 0
    if search.counters[At.NODES] == 0 and nodes > 0:
        branch(tasks, search, power, largest, 0)
        visited = 1
    while visited < nodes:
        d = search.counters[At.DEPTH]
        if search.next[d] == search.children[d] or search.bound[d] >= search.best[0]:
            if d == 0:
                search.counters[At.DONE] = 1
                break
            search.counters[At.DEPTH] = d - 1
            search.placed[search.child[d - 1, search.next[d - 1] - 1]] = 0
            continue
        descend(tasks, search, power, largest, d)
        d += 1
        search.counters[At.DEPTH] = d
        visited += 1
        search.children[d] = 0
        search.next[d] = 0
        if d < n:
            branch(tasks, search, power, largest, d)
        elif search.cost[d] < search.best[0]:
            search.best[0] = search.cost[d]
            for depth in range(n):
                k = search.next[depth] - 1
                search.best_start[search.child[depth, k]] = search.child_start[depth, k]
    search.counters[At.NODES] += visited
    return visited


def begin(problem: Round, goal: float) -> PrefixSearch:
    """Return a search that has not begun; ``goal`` is the cost of a known plan."""
    n = len(problem)
    arrays = problem.arrays
    room = room_for(arrays, n)
    resources = len(problem.capacities)
    times = np.zeros((n + 1, room), dtype=np.int64)
    free = np.zeros((n + 1, room, resources), dtype=np.int64)
    size = np.zeros(n + 1, dtype=np.int64)
    size[0] = fill_guarded(arrays, times[0], free[0])

    def column(*shape: int) -> Any:
        return np.zeros(shape, dtype=np.int64)

    return PrefixSearch(
        counters=column(len(At)), best=np.array([goal]), best_start=column(n), start=column(n),
        placed=column(n), times=times, free=free, size=size, cost=np.zeros(n + 1),
        child=column(n + 1, n), child_start=column(n + 1, n), children=column(n + 1),
        next=column(n + 1), bound=np.zeros(n + 1),
    )  # fmt: skip


class PrefixRun:
    """The state of one exhaustive search over prefixes.

    Parameters
    ----------
    problem : Round
        The round; at least one waiting job.
    terms : Terms
        The terms, checked.
    start : int64 array, shape (n,)
        Starts of a known plan (s).
    iterations : int
        Iterations of the subgradient method at the root.
    """

    def __init__(self, problem: Round, terms: Terms, start: IntArray, iterations: int) -> None:
        self.problem, self.terms = problem, terms
        self.goal = terms_cost(terms, start)
        self.root = terms_bound(problem, terms, self.goal, iterations)
        jobs, demands = problem.jobs, problem.demands
        keys = (terms.origin, jobs.latest, terms.weight, jobs.walltime, *demands.T)
        self.order = np.lexsort(keys)
        alike = np.stack([*demands.T, jobs.walltime, terms.weight, jobs.latest])[:, self.order]
        differs = (alike[:, 1:] != alike[:, :-1]).any(axis=0)
        self.tasks = Tasks(
            np.ascontiguousarray(demands[self.order]),
            jobs.walltime[self.order],
            jobs.latest[self.order],
            terms.weight[self.order].astype(np.float64),
            terms.origin[self.order].astype(np.float64),
            np.concatenate([[0], np.cumsum(differs)]).astype(np.int64),
        )
        self.first = self.goal * terms.divisor * (1 - 1e-12)
        self.search = begin(problem, self.first)

    @property
    def done(self) -> bool:
        """Whether the best plan is proven."""
        known = self.search.best[0] / self.terms.divisor * (1 - 1e-12)
        return bool(self.search.counters[At.DONE]) or known <= self.root

    @property
    def found(self) -> bool:
        """Whether a plan better than the known one has been found."""
        return bool(self.search.best[0] < self.first)

    def explore(self, nodes: int) -> int:
        """Visit further nodes and return how many."""
        terms = self.terms
        return int(explore(self.tasks, self.search, terms.power, terms.largest, nodes))

    def better(self, objective: Objective, first: FirstPlan) -> FirstPlan:
        """Return the better of the first plan and the best plan found, decoded."""
        start = np.empty(len(self.order), dtype=np.int64)
        start[self.order] = self.search.best_start
        if not self.found:
            return first
        order = np.argsort(start, kind="stable")
        plan = decode(self.problem, order)
        cost = true_cost(self.problem, objective, plan.start)
        return FirstPlan(order, plan.start, cost) if cost < first.cost else first

    def lower_bound(self, cost: float) -> float:
        """Return the root's bound."""
        return min(cost, self.root)
