"""The Lagrangian bound: a price for the machine in every bucket of time, higher where jobs compete.

In the time-indexed formulation (Dyer, Wolsey 1990; its relaxation: van den Akker, Hurkens, Savelsbergh 2000), give
every unit of capacity at time t a price λ(t) ≥ 0 that is constant in each bucket. A job that starts at t pays its
term and the price of what it takes, and each job picks its cheapest start on its own:

    L(λ) = Σᵢ min over t ≥ eᵢ of [termᵢ(t) + aᵢ ∫ₜ^{t+pᵢ} λ] − ∫ λ(t) capacity(t) dt   ≤   cost of every feasible plan,

with eᵢ the earliest start of the job alone. The usage of a bucket is the exact overlap in real time, so the buckets
only coarsen the prices and never the plan. Between the moments where t or t + pᵢ meets the edge of a bucket, the
price of a start is linear and the term convex, so the minimum over all real t is exact. There is one price for each
row of capacity (see :mod:`staircase`).

The prices begin at those of the fluid relaxation and climb along smoothed subgradients (Barahona, Anbil 2000) with
Polyak's step towards a known cost. The bound is the best L met, hence it never falls when there are more iterations.
"""

from typing import NamedTuple

import numpy as np
from planbatch.planner.kernels.native import kernel
from planbatch.planner.kernels.sorting import copy_column, fill_column
from planbatch.planner.kernels.terms import one_term

from planbatch.planner.model import FloatArray, IntArray


class Market(NamedTuple):
    """The relaxation of a round as kernels see it; times are float64 seconds after now.

    Attributes
    ----------
    edges : float64 array, shape (b + 1,)
        Edges of the buckets; the first is 0. After the last, capacity is free of charge.
    capacity : float64 array, shape (rows, b)
        ∫ level dt over each bucket.
    coef : float64 array, shape (q, rows)
        Demand of a job of each size on each row.
    size : int64 array, shape (j,)
        Index of each job's size.
    many : float64 array, shape (j,)
        Number of equal jobs that the entry stands for.
    duration, earliest, weight, origin : float64 arrays, shape (j,)
        Walltime, earliest start alone, and the term.
    power : int
        Power of the terms.
    """

    edges: FloatArray
    capacity: FloatArray
    coef: FloatArray
    size: IntArray
    many: FloatArray
    duration: FloatArray
    earliest: FloatArray
    weight: FloatArray
    origin: FloatArray
    power: int


@kernel
def cheapest_start(
    edges: FloatArray,
    rate: FloatArray,
    paid: FloatArray,
    duration: float,
    earliest: float,
    weight: float,
    origin: float,
    power: int,
) -> tuple[float, float]:
    """Return the least of term(t) + ∫ₜ^{t+duration} rate over t ≥ earliest, and the t that attains it.

    ``rate`` has a trailing zero for the time after the last edge; ``paid`` is its integral at the edges.
    """
    last = len(edges) - 1
    i = np.searchsorted(edges, earliest, side="right") - 1
    k = np.searchsorted(edges, earliest + duration, side="right") - 1
    t = earliest
    least = np.inf
    chosen = earliest
    while True:
        cost = one_term(weight, origin, power, t)
        if cost >= least:
            break
        end = t + duration
        total = cost + paid[k] + (end - edges[k]) * rate[k] - paid[i] - (t - edges[i]) * rate[i]
        if total < least:
            least = total
            chosen = t
        if i == last:
            break
        # The next moment at which the start or the end meets an edge.
        ahead = edges[i + 1]
        move_end = k < last and edges[k + 1] - duration <= ahead
        after = edges[k + 1] - duration if move_end else ahead
        slope = rate[k] - rate[i]
        turn = min(max(origin, t), after)
        if power == 2 and weight > 0.0:
            turn = min(max(origin - slope / (2.0 * weight), turn), after)
        there = total - cost + slope * (turn - t) + one_term(weight, origin, power, turn)
        if there < least:
            least = there
            chosen = turn
        if move_end:
            k += 1
        if after >= ahead:
            i += 1
            after = ahead
        t = after
    return least, chosen


@kernel
def price_out(market: Market, price: FloatArray, rate: FloatArray, paid: FloatArray) -> None:
    """Write the rate that each size pays in each bucket, and its integral up to each edge."""
    rows, buckets = market.capacity.shape
    for s in range(len(market.coef)):
        for b in range(buckets):
            each = 0.0
            for r in range(rows):
                each += market.coef[s, r] * price[r, b]
            rate[s, b] = each
            paid[s, b + 1] = paid[s, b] + each * (market.edges[b + 1] - market.edges[b])


@kernel
def copy_rows(target: FloatArray, source: FloatArray) -> None:
    """Copy the rows of one table into another."""
    for k in range(len(source)):
        copy_column(target[k], source[k])


@kernel
def respond(
    market: Market, price: FloatArray, rate: FloatArray, paid: FloatArray, held: FloatArray
) -> tuple[float, float]:
    """Return L(price), and a sum that its rounding errors are relative to.

    ``held`` gets the seconds that each size is in each bucket.
    """
    edges = market.edges
    rows, buckets = market.capacity.shape
    price_out(market, price, rate, paid)
    for row in held:
        fill_column(row, 0.0)
    value = 0.0
    magnitude = 0.0
    for j in range(len(market.size)):
        s = market.size[j]
        least, t = cheapest_start(
            edges,
            rate[s],
            paid[s],
            market.duration[j],
            market.earliest[j],
            market.weight[j],
            market.origin[j],
            market.power,
        )
        value += market.many[j] * least
        end = t + market.duration[j]
        slope = market.weight[j]
        if market.power == 2:
            slope *= 2.0 * max(0.0, t - market.origin[j])
        magnitude += market.many[j] * (abs(least) + paid[s, buckets] + slope * end)
        b = np.searchsorted(edges, t, side="right") - 1
        while b < buckets and edges[b] < end:
            held[s, b] += market.many[j] * (min(end, edges[b + 1]) - max(t, edges[b]))
            b += 1
    for r in range(rows):
        for b in range(buckets):
            value -= price[r, b] * market.capacity[r, b]
            magnitude += price[r, b] * market.capacity[r, b]
    return value, magnitude


@kernel
def excess_of(market: Market, held: FloatArray, excess: FloatArray) -> None:
    """Write the subgradient: by how much the demand is above the capacity, for each row and bucket."""
    rows, buckets = market.capacity.shape
    for r in range(rows):
        for b in range(buckets):
            demand = -market.capacity[r, b]
            for s in range(len(market.coef)):
                demand += market.coef[s, r] * held[s, b]
            excess[r, b] = demand


@kernel
def climb(
    market: Market, price: FloatArray, upper: float, iterations: int, params: FloatArray
) -> tuple[float, int]:
    """Return the best L, less its rounding errors, and the iterations done; ``price`` becomes the prices of the best.

    ``params`` are: first step relative to Polyak's, weight of the newest subgradient, iterations without progress
    until the step shrinks, the factor by which it shrinks, the least step, and the least progress (share of upper − L).
    """
    first_step, smoothing, patience, shrink, least_step, progress = params
    rows, buckets = market.capacity.shape
    sizes = len(market.coef)
    edges = market.edges
    rate = np.zeros((sizes, buckets + 1))
    paid = np.zeros((sizes, buckets + 1))
    held = np.zeros((sizes, buckets))
    excess = np.zeros((rows, buckets))
    smooth = np.zeros((rows, buckets))
    trial = price.copy()
    best = -np.inf
    best_value = -np.inf
    step = first_step
    idle = 0
    fresh = True
    for iteration in range(iterations):
        value, magnitude = respond(market, trial, rate, paid, held)
        best = max(best, value - 1e-10 * magnitude)
        idle += 1
        if value > best_value:
            if iteration == 0 or value - best_value > progress * (upper - best_value):
                idle = 0
            best_value = value
            copy_rows(price, trial)
        if idle >= patience:
            # Begin anew at the best prices, with shorter steps.
            step *= shrink
            if step < least_step:
                return best, iteration + 1
            copy_rows(trial, price)
            idle = 0
            fresh = True
            continue
        excess_of(market, held, excess)
        norm = 0.0
        for r in range(rows):
            for b in range(buckets):
                newest = 1.0 if fresh else smoothing
                smooth[r, b] = newest * excess[r, b] + (1.0 - newest) * smooth[r, b]
                if trial[r, b] > 0.0 or smooth[r, b] > 0.0:
                    norm += smooth[r, b] ** 2 / (edges[b + 1] - edges[b])
        fresh = False
        if norm <= 0.0:
            return best, iteration + 1
        length = step * max(upper - value, 1e-6 * abs(upper)) / norm
        for r in range(rows):
            for b in range(buckets):
                # A bucket's excess grows with its width, its price must not.
                rise = length * smooth[r, b] / (edges[b + 1] - edges[b])
                trial[r, b] = max(0.0, trial[r, b] + rise)
    return best, iterations
