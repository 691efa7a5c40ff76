"""Branch and bound over plans in the order of their starts: the compiled core of the exhaustive search.

A node is a set of placed jobs; the next job starts as early as possible, but not before the last placed one. After
that moment the free processors only rise, so every node is a round of its own, with a later now. The search cuts:

- Nodes whose bound is not below the best plan. Bounds are the cost so far with every other job alone, and the
  Lagrangian bound: at fixed prices it is a sum over the jobs, and a job that has started, or cannot start before s any
  more, exceeds its share of it by a known amount (the reduced cost). For largest terms, the work by due time.
- Starts behind which another job could be done: if a job could end before the next start, it may as well be placed
  first (active schedules: Giffler, Thompson 1960).
- All but the first of equal jobs, by the time from when on they cost.
- Nodes with the same jobs as an earlier one that was no dearer, had no later last start, and left no fewer processors
  free from then on (dominance).

Each cut keeps an optimal plan for terms that never fall when a job starts later.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from planbatch.planner.kernels.native import kernel
from planbatch.planner.kernels.profile import fill_running
from planbatch.planner.kernels.sorting import copy_column
from planbatch.planner.kernels.terms import one_term

from planbatch.planner.bounds.lagrangian import Market
from planbatch.planner.bounds.shares import Shares, excess_from, priced_start
from planbatch.planner.model import FloatArray, IntArray
from planbatch.planner.round import Round

#: Ways of the table of seen nodes: in how many places a set of jobs may be stored.
WAYS = 8
#: Sets of jobs are bit masks of this size; with more jobs, dominance is not used.
MASK_BITS = 62


class At(IntEnum):
    """Positions of the counters of a search."""

    DEPTH = 0  #: of the present node
    NODES = 1  #: visited so far
    DONE = 2  #: 1 once every node has been visited or cut
    CLOCK = 3  #: nodes kept in the table of seen ones


class Jobs(NamedTuple):
    """The jobs of a search as columns of shape (n,), equal jobs next to one another; times in seconds after now.

    ``kind`` numbers equal jobs, of which the first is to start first; ``by_due`` lists the jobs that can cost
    something by the end that is due; ``entry`` is each job's entry of the market.
    """

    procs: IntArray
    walltime: IntArray
    latest: IntArray
    weight: FloatArray
    origin: FloatArray
    kind: IntArray
    by_due: IntArray
    entry: IntArray


class Rule(NamedTuple):
    """The cost function of a search.

    Attributes
    ----------
    largest : bool
        Whether the largest term counts instead of the sum.
    power : int
        Power of the terms.
    slack : float
        Amount to subtract from a bound for rounding errors.
    step : float
        The least amount by which a better plan is better.
    least_weight : float
        The smallest weight that is not zero.
    """

    largest: bool
    power: int
    slack: float
    step: float
    least_weight: float


class Search(NamedTuple):
    """The state of a search: a stack of nodes, the best plan, and the nodes seen.

    The columns of the stack are indexed by depth: profile (``times``, ``free``, ``size``), cost so far, excess so far,
    set of jobs, children (job, start, bound), their number and the next one to try.
    """

    counters: IntArray
    best: FloatArray
    best_start: IntArray
    start: IntArray
    placed: IntArray
    times: IntArray
    free: IntArray
    size: IntArray
    cost: FloatArray
    excess: FloatArray
    mask: IntArray
    child: IntArray
    child_start: IntArray
    child_bound: FloatArray
    children: IntArray
    next: IntArray
    seen_mask: IntArray
    seen_cost: FloatArray
    seen_size: IntArray
    seen_times: IntArray
    seen_free: IntArray


@kernel
def work_by_due(jobs: Jobs, search: Search, d: int) -> float:
    """Return the least possible largest (start − origin) of the jobs left, by the area of those due first."""
    times, free, last = search.times[d], search.free[d], search.size[d] - 1
    i = 0
    moment = float(times[0])
    worst = -np.inf
    for j in jobs.by_due:
        if search.placed[j] == 1:
            continue
        area = float(jobs.procs[j]) * jobs.walltime[j]
        while i < last and free[i] * (times[i + 1] - moment) < area:
            area -= free[i] * (times[i + 1] - moment)
            i += 1
            moment = float(times[i])
        moment += area / free[i]
        worst = max(worst, moment - jobs.walltime[j] - jobs.origin[j])
    return worst


@kernel
def seen_before(search: Search, d: int) -> bool:
    """Return whether an earlier node dominates the node at depth ``d``; if not, store the node for later ones."""
    places = len(search.seen_mask)
    mask = search.mask[d]
    home = ((mask * 0x9E3779B97F4A7C1) >> 20) & (places // WAYS - 1)
    first = home * WAYS
    times, free, size = search.times[d], search.free[d], search.size[d]
    spot = first + search.counters[At.CLOCK] % WAYS
    for place in range(first, first + WAYS):
        if search.seen_mask[place] == 0:
            spot = place
            break
        if search.seen_mask[place] != mask or search.seen_cost[place] > search.cost[d]:
            continue
        if search.seen_times[place, 0] > times[0]:
            continue
        # Both free columns are steps; compare them from the later now on.
        i = 0
        dominated = True
        for k in range(size):
            while i + 1 < search.seen_size[place] and search.seen_times[place, i + 1] <= times[k]:
                i += 1
            if search.seen_free[place, i] < free[k]:
                dominated = False
                break
        if dominated:
            return True
    search.counters[At.CLOCK] += 1
    search.seen_mask[spot] = mask
    search.seen_cost[spot] = search.cost[d]
    search.seen_size[spot] = size
    copy_column(search.seen_times[spot], times[:size])
    copy_column(search.seen_free[spot], free[:size])
    return False


@kernel
def combine(largest: bool, so_far: float, each: float) -> float:
    """Return the sum or the larger of two costs."""
    return max(so_far, each) if largest else so_far + each


@kernel
def branch(
    jobs: Jobs,
    market: Market,
    shares: Shares,
    search: Search,
    rule: Rule,
    d: int,
) -> None:
    """List the children of the node at depth ``d``, cheapest first."""
    largest, power, slack = rule.largest, rule.power, rule.slack
    n = len(jobs.procs)
    times, free = search.times[d], search.free[d]
    goal = search.best[0] - rule.step
    alone = search.cost[d]
    excess = search.excess[d]
    first_end = np.iinfo(np.int64).max
    search.children[d] = 0
    search.next[d] = 0
    own = np.empty(n)
    for j in range(n):
        if search.placed[j] == 1:
            continue
        i = 0
        while free[i] < jobs.procs[j]:
            i += 1
        t = times[i]
        if t > jobs.latest[j]:
            return
        search.start[j] = t
        first_end = min(first_end, t + jobs.walltime[j])
        term = one_term(jobs.weight[j], jobs.origin[j], power, float(t))
        alone = combine(largest, alone, term)
        if not largest:
            own[j] = excess_from(market, shares, jobs.entry[j], float(t))
            excess += own[j]
    bound = alone
    if largest:
        late = work_by_due(jobs, search, d)
        bound = max(bound, rule.least_weight * max(0.0, late) ** power)
    else:
        bound = max(bound, shares.base + excess)
    if bound - slack > goal:
        return
    count = 0
    kind_taken = -1
    for j in range(n):
        if search.placed[j] == 1:
            continue
        # Equal jobs are next to one another, the one to be taken first in front.
        repeated = jobs.kind[j] == kind_taken
        kind_taken = jobs.kind[j]
        if repeated or search.start[j] >= first_end:
            continue
        value = bound
        if not largest:
            e = jobs.entry[j]
            exact = priced_start(market, shares, e, float(search.start[j])) - shares.least[e]
            value = max(value, shares.base + excess - own[j] + exact)
        if value - slack > goal:
            continue
        key = value if not largest else float(search.start[j])
        k = count
        while k > 0 and (
            search.child_bound[d, k - 1] > key
            or (
                search.child_bound[d, k - 1] == key
                and search.child_start[d, k - 1] > search.start[j]
            )
        ):
            search.child[d, k] = search.child[d, k - 1]
            search.child_start[d, k] = search.child_start[d, k - 1]
            search.child_bound[d, k] = search.child_bound[d, k - 1]
            k -= 1
        search.child[d, k] = j
        search.child_start[d, k] = search.start[j]
        search.child_bound[d, k] = key
        count += 1
    search.children[d] = count


@kernel
def descend(
    jobs: Jobs,
    market: Market,
    shares: Shares,
    search: Search,
    rule: Rule,
    d: int,
) -> None:
    """Place the next child of the node at depth ``d`` and write its node at depth d + 1."""
    largest, power = rule.largest, rule.power
    k = search.next[d]
    search.next[d] += 1
    j = search.child[d, k]
    t = search.child_start[d, k]
    search.placed[j] = 1
    term = one_term(jobs.weight[j], jobs.origin[j], power, float(t))
    search.cost[d + 1] = combine(largest, search.cost[d], term)
    e = jobs.entry[j]
    exact = priced_start(market, shares, e, float(t)) - shares.least[e]
    search.excess[d + 1] = search.excess[d] + max(0.0, exact)
    search.mask[d + 1] = search.mask[d] | (1 << min(j, MASK_BITS))
    # The profile from the start of the job on, less the job.
    times, free, size = search.times[d], search.free[d], search.size[d]
    i = 0
    while i + 1 < size and times[i + 1] <= t:
        i += 1
    end = t + jobs.walltime[j]
    count = 0
    below, after = search.times[d + 1], search.free[d + 1]
    below[0] = t
    after[0] = free[i] - jobs.procs[j]
    count = 1
    ended = False
    for m in range(i + 1, size):
        if not ended and times[m] >= end:
            if times[m] > end:
                below[count] = end
                after[count] = free[m - 1]
                count += 1
            ended = True
        below[count] = times[m]
        after[count] = free[m] if ended else free[m] - jobs.procs[j]
        count += 1
    if not ended:
        below[count] = end
        after[count] = free[size - 1]
        count += 1
    search.size[d + 1] = count


@kernel
def explore(
    jobs: Jobs,
    market: Market,
    shares: Shares,
    search: Search,
    rule: Rule,
    nodes: int,
) -> int:
    """Visit up to ``nodes`` further nodes; return how many. ``counters[At.DONE]`` becomes 1 at the end."""
    n = len(jobs.procs)
    visited = 0
    if search.counters[At.NODES] == 0 and nodes > 0:
        branch(jobs, market, shares, search, rule, 0)
        visited = 1
    while visited < nodes:
        d = search.counters[At.DEPTH]
        k = search.next[d]
        goal = search.best[0] + rule.slack - rule.step
        if k == search.children[d] or (not rule.largest and search.child_bound[d, k] > goal):
            if d == 0:
                search.counters[At.DONE] = 1
                break
            search.counters[At.DEPTH] = d - 1
            search.placed[search.child[d - 1, search.next[d - 1] - 1]] = 0
            continue
        descend(jobs, market, shares, search, rule, d)
        d += 1
        search.counters[At.DEPTH] = d
        visited += 1
        search.children[d] = 0
        search.next[d] = 0
        if d == n:
            if search.cost[d] < search.best[0]:
                search.best[0] = search.cost[d]
                for depth in range(n):
                    k = search.next[depth] - 1
                    search.best_start[search.child[depth, k]] = search.child_start[depth, k]
        elif n > MASK_BITS or not seen_before(search, d):
            branch(jobs, market, shares, search, rule, d)
    search.counters[At.NODES] += visited
    return visited


def begin(jobs: Jobs, problem: Round, goal: float, places: int) -> Search:
    """Return a search that has not begun; ``goal`` is the cost of a known plan."""
    n = len(jobs.procs)
    running = problem.running
    room = len(running.procs) + n + 2
    times = np.zeros((n + 1, room), dtype=np.int64)
    free = np.zeros((n + 1, room), dtype=np.int64)
    size = np.zeros(n + 1, dtype=np.int64)
    ends = running.end - problem.now
    size[0] = fill_running(0, problem.capacity, running.procs.copy(), ends, times[0], free[0])

    def column(*shape: int) -> IntArray:
        return np.zeros(shape, dtype=np.int64)

    return Search(
        counters=column(len(At)), best=np.array([goal]), best_start=column(n), start=column(n),
        placed=column(n), times=times, free=free, size=size, cost=np.zeros(n + 1),
        excess=np.zeros(n + 1), mask=column(n + 1), child=column(n + 1, n),
        child_start=column(n + 1, n), child_bound=np.zeros((n + 1, n)), children=column(n + 1),
        next=column(n + 1), seen_mask=column(places), seen_cost=np.zeros(places),
        seen_size=column(places), seen_times=column(places, room), seen_free=column(places, room),
    )  # fmt: skip
