"""Lower bounds of sums of terms: the Lagrangian bound, from a round and its terms.

It has a price for the machine in every bucket of time, higher where jobs compete. In the time-indexed formulation
(Dyer, Wolsey 1990; its relaxation: van den Akker, Hurkens, Savelsbergh 2000), give every unit of capacity at time t a
price λ(t) ≥ 0 that is constant in each bucket. A job that starts at t pays its term and the price of what it takes, and
each job picks its cheapest start on its own:

    L(λ) = Σᵢ min over t ≥ eᵢ of [termᵢ(t) + aᵢ ∫ₜ^{t+pᵢ} λ] − ∫ λ(t) capacity(t) dt   ≤   cost of every feasible plan,

with eᵢ the earliest start of the job alone. The usage of a bucket is the exact overlap in real time, so the buckets
only coarsen the prices and never the plan. Between the moments where t or t + pᵢ meets the edge of a bucket, the
price of a start is linear and the term convex, so the minimum over all real t is exact. There is one price for each
row of capacity (see :mod:`staircase`).

The prices begin at those of the fluid relaxation and climb by the volume algorithm (Barahona, Anbil 2000): from the
best prices met, along a mean of subgradients, with Polyak's step towards a known cost. The bound is the best L met,
hence it never falls when there are more iterations. The compiled core does the climb; its ``Shares`` say by how much a
start exceeds the job's share of the bound.

From the best prices of rows on, each size of jobs has a price of its own, and a bucket earns what the best set of jobs
pays that fits into the free processors, a knapsack: the relaxation by configurations, as in the linear program of
Gilmore and Gomory (1961) for cutting stock. It is at least as tight as every choice of rows.

What is left of the gap is due to mixtures of plans, which a branch and bound takes apart, in rounds of a few dozen jobs
(see :mod:`tree`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planbatch import _core
from planbatch.planner.bounds.fluid import Fluid, fluid
from planbatch.planner.bounds.proof import Proof, known_plan, rounded_up, seed_start
from planbatch.planner.bounds.staircase import Rooms, Rows, Staircase, areas_at, free_rooms, resource_rows, staircases
from planbatch.planner.bounds.tree import Root, Tree
from planbatch.planner.model import FloatArray, IntArray
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms

#: Buckets of time: of the reduced costs that searches use, and of a bound.
BUCKETS, FINE_BUCKETS = 100, 200
#: Iterations with prices of the rows of capacity, and as many with prices of configurations.
ROW_ITERATIONS = 1000
#: Steps of the knapsacks of all configurations, at most: a fraction of a second.
MOST_STEPS = 1_000_000_000
#: The horizon, relative to the end of the fluid relaxation.
HORIZON = 1.1


@dataclass(frozen=True)
class Relaxation:
    """A round, relaxed for one objective."""

    market: _core.Market  #: the market of the Lagrangian bound; equal jobs are one entry
    entry: IntArray  #: shape (n,): the entry of the market that each job belongs to
    offset: float  #: part of the sum of the terms that no plan can change: the waits so far
    price: FloatArray  #: shape (rows, buckets): the prices of the fluid relaxation
    rooms: Rooms  #: what each bucket has free of the first resource
    width: IntArray  #: shape (sizes,): which of the sizes of the rooms each size of the market has
    replaced: int  #: rows of capacity of the first resource, which come first
    #: A bound of the sum of the terms: the fluid one or that of each job alone, whichever is larger.
    simple: float


def time_edges(flow: Fluid, buckets: int) -> FloatArray:
    """Return the edges of the buckets: half of them even in time, half where the fluid's prices fall fastest."""
    when = np.linspace(0.0, HORIZON * flow.moments[-1], 40 * buckets + 1)
    price = np.interp(when, flow.moments, flow.price)
    steep = np.concatenate([[0.0], np.cumsum(np.sqrt(np.abs(np.diff(price))))])
    pace = when / when[-1]
    if steep[-1] > 0:
        pace = 0.5 * pace + 0.5 * steep / steep[-1]
    edges: FloatArray = np.interp(np.linspace(0.0, 1.0, buckets + 1), pace, when)
    edges[0] = 0.0
    return edges


def best_fluid(
    stairs: Staircase,
    rows: Rows,
    columns: tuple[FloatArray, FloatArray, FloatArray],
    terms: tuple[FloatArray, FloatArray, int],
    reference: FloatArray,
) -> Fluid:
    """Return the best of the fluid bounds with tangents at the reference starts and at the fluid's own starts."""
    best: Fluid | None = None
    for _ in range(3):
        flow = fluid(stairs.times, rows.levels[0], *columns, terms, reference)
        if best is None or flow.bound > best.bound:
            best = flow
        reference = flow.start
    assert best is not None
    return best


def relax(
    problem: Round, terms: Terms, start: IntArray, buckets: int = BUCKETS, resources: Sequence[int] = (0,)
) -> Relaxation:
    """Relax a round of at least one waiting job for a sum of terms, checked; ``start`` is a good plan (s).

    Of its ``resources``, columns of :attr:`Round.demands`, every job has to take some of the first.
    """
    jobs, now = problem.jobs, problem.now
    origin = (terms.origin - now).astype(np.float64)
    offset = 0.0
    if terms.power == 1:
        # Jobs that wait already cost from now on in every plan: they differ only in size.
        past = np.minimum(origin, 0.0)
        offset = -float((terms.weight * past).sum())
        origin = origin - past
    demands = problem.demands[:, resources].T
    table = np.stack([*demands, jobs.walltime, terms.weight, origin]).astype(np.float64)
    kinds, entry, count = np.unique(table, axis=1, return_inverse=True, return_counts=True)
    entry = entry.ravel()
    amounts = kinds[: len(resources)].astype(np.int64)
    duration, weight, origin = (np.ascontiguousarray(row) for row in kinds[len(resources) :])
    sizes, size = np.unique(amounts, axis=1, return_inverse=True)
    size = size.ravel()
    stairs = staircases(problem, resources)
    rows = [resource_rows(*columns, count.astype(np.int64)) for columns in zip(stairs, amounts, strict=True)]
    coef = np.concatenate([each.coefficients(amount) for each, amount in zip(rows, sizes, strict=True)], axis=1)
    earliest = np.max([each.earliest(amount) for each, amount in zip(stairs, amounts, strict=True)], axis=0)
    many = count.astype(np.float64)
    reference = np.bincount(entry, weights=start - now) / many
    columns = (coef[size, 0], duration, many)
    flow = best_fluid(stairs[0], rows[0], columns, (weight, origin, terms.power), reference)
    edges = time_edges(flow, buckets)
    areas = [np.diff(areas_at(stairs[0].times, level, edges)) for each in rows for level in each.levels]
    capacity = np.stack(areas)
    late = np.maximum(0.0, earliest - origin)
    alone = float((many * weight * late**terms.power).sum())
    price = np.zeros_like(capacity)
    inside = edges[:-1, None] + np.diff(edges)[:, None] * (np.arange(8) + 0.5) / 8
    price[0] = np.interp(inside, flow.moments, flow.price).mean(axis=1)
    market = _core.Market(
        edges=edges,
        capacity=capacity,
        coef=coef,
        size=size,
        many=many,
        duration=duration,
        earliest=earliest,
        weight=weight,
        origin=origin,
        power=terms.power,
    )
    rooms = free_rooms(stairs[0], rows[0], edges)
    width = np.searchsorted(rows[0].sizes, sizes[0])
    replaced = len(rows[0].levels)
    return Relaxation(market, entry, offset, price, rooms, width, replaced, max(alone * (1 - 1e-10), flow.bound))


def climb(relaxed: Relaxation, target: float, iterations: int) -> tuple[float, _core.Shares]:
    """Return the best bound of the sum less the offset, and the shares of it at its prices.

    ``target`` is the cost of a plan less the offset. It only sets the length of the steps; a wrong one cannot make the
    bound wrong.
    """
    market, rooms = relaxed.market, relaxed.rooms
    by_rows, price = market.climb(relaxed.price, target, min(iterations, ROW_ITERATIONS))
    bound = max(relaxed.simple, by_rows)
    steps = min(iterations - ROW_ITERATIONS, ROW_ITERATIONS, MOST_STEPS // rooms.steps)
    if steps <= 0 or bound >= target:
        return bound, _core.Shares(market, price)
    climbed, shares = market.climb_configurations(
        price,
        width=relaxed.width,
        units=rooms.units,
        jobs=rooms.jobs,
        rooms=rooms.rooms,
        seconds=rooms.seconds,
        replaced=relaxed.replaced,
        upper=target,
        iterations=steps,
    )
    return max(bound, climbed), shares


def sum_root(relaxed: Relaxation, target: float, iterations: int) -> Root:
    """Return the root of a branch and bound over the plans of a round without windows; see :func:`climb`."""
    bound, shares = climb(relaxed, target, iterations)
    return Root(
        bound=bound,
        offset=relaxed.offset,
        slack=1e-10 * shares.magnitude + 1e-6,
        origin=relaxed.market.origin[relaxed.entry],
        shares=shares,
        entry=relaxed.entry,
    )


def prove_sum(
    problem: Round, terms: Terms, upper: float | None, iterations: int, resources: Sequence[int], nodes: int
) -> Proof:
    """Prove a lower bound of a sum of terms; see :func:`lower_bound`, and :func:`relax` for the resources.

    ``nodes``: of a branch and bound, for which the resources have to be all that the round has.
    """
    seed = seed_start(problem, terms)
    known = known_plan(problem, terms, seed, upper)
    relaxed = relax(problem, terms, seed, FINE_BUCKETS, resources)
    target = known.cost * terms.divisor - relaxed.offset
    proof = Proof(relaxed.simple)
    if iterations > 0:
        proof = Tree(problem, terms, sum_root(relaxed, target, iterations), target).prove(nodes, known.start)
    return proof._replace(bound=rounded_up(proof.bound + relaxed.offset, terms))
