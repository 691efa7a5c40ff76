"""Reduced costs: by how much a start of a job exceeds the job's share of the Lagrangian bound.

At fixed prices the bound is a sum over the jobs. A plan in which some jobs start elsewhere than at their cheapest costs
at least the bound and all their excesses, which limits the starts in plans better than a known one.
"""

from typing import NamedTuple

import numpy as np
from planbatch.planner.kernels.native import kernel
from planbatch.planner.kernels.terms import one_term

from planbatch.planner.bounds.lagrangian import Market, price_out
from planbatch.planner.model import FloatArray


class Shares(NamedTuple):
    """For each job, cost + price of a start at given prices, as values at breakpoints (piecewise monotone between).

    Attributes
    ----------
    base : float
        The Lagrangian bound at these prices.
    when : float64 array, shape (n, k)
        Breakpoints (s after now), padded with infinity.
    onward : float64 array, shape (n, k + 1)
        The least excess over the job's share at this breakpoint or a later one.
    rate, paid : float64 arrays, shape (q, b + 1)
        Prices of each size, and their integrals up to the edges.
    least : float64 array, shape (n,)
        The job's share of the bound.
    """

    base: float
    when: FloatArray
    onward: FloatArray
    rate: FloatArray
    paid: FloatArray
    least: FloatArray


@kernel
def priced_start(market: Market, shares: Shares, j: int, t: float) -> float:
    """Return the term and price of a start of entry ``j`` at ``t``."""
    edges = market.edges
    s = market.size[j]
    end = t + market.duration[j]
    i = np.searchsorted(edges, t, side="right") - 1
    k = np.searchsorted(edges, end, side="right") - 1
    price = shares.paid[s, k] + (end - edges[k]) * shares.rate[s, k]
    price -= shares.paid[s, i] + (t - edges[i]) * shares.rate[s, i]
    return float(price + one_term(market.weight[j], market.origin[j], market.power, t))


@kernel
def breakpoints(market: Market, shares: Shares, j: int, when: FloatArray) -> int:
    """Write, ascending, all t between which the priced start of entry ``j`` is monotone; return their number."""
    edges = market.edges
    last = len(edges) - 1
    duration = market.duration[j]
    t = market.earliest[j]
    i = np.searchsorted(edges, t, side="right") - 1
    k = np.searchsorted(edges, t + duration, side="right") - 1
    rate = shares.rate[market.size[j]]
    count = 0
    when[count] = t
    count += 1
    while i < last:
        ahead = edges[i + 1]
        move_end = k < last and edges[k + 1] - duration <= ahead
        after = edges[k + 1] - duration if move_end else ahead
        first = market.origin[j]
        second = first
        if market.power == 2 and market.weight[j] > 0.0:
            second = max(first, first - (rate[k] - rate[i]) / (2.0 * market.weight[j]))
        for turn in (first, second):
            if when[count - 1] < turn < after:
                when[count] = turn
                count += 1
        if move_end:
            k += 1
        if after >= ahead:
            i += 1
            after = ahead
        if after > when[count - 1]:
            when[count] = after
            count += 1
        t = after
    return count


@kernel
def share_out(market: Market, price: FloatArray) -> Shares:
    """Return the shares of the entries of a market at given prices."""
    rows, buckets = market.capacity.shape
    n = len(market.size)
    room = 6 * buckets + 8
    rate = np.zeros((len(market.coef), buckets + 1))
    paid = np.zeros((len(market.coef), buckets + 1))
    price_out(market, price, rate, paid)
    when = np.full((n, room), np.inf)
    onward = np.full((n, room + 1), np.inf)
    least = np.zeros(n)
    base = 0.0
    shares = Shares(0.0, when, onward, rate, paid, least)
    for j in range(n):
        count = breakpoints(market, shares, j, when[j])
        for i in range(count - 1, -1, -1):
            onward[j, i] = min(onward[j, i + 1], priced_start(market, shares, j, when[j, i]))
        least[j] = onward[j, 0]
        for i in range(count):
            onward[j, i] -= least[j]
        base += market.many[j] * least[j]
    for r in range(rows):
        for b in range(buckets):
            base -= price[r, b] * market.capacity[r, b]
    return Shares(base, when, onward, rate, paid, least)


@kernel
def excess_from(market: Market, shares: Shares, j: int, t: float) -> float:
    """Return the least excess of entry ``j`` over its share if it cannot start before ``t``."""
    here = priced_start(market, shares, j, t) - shares.least[j]
    i = np.searchsorted(shares.when[j], t, side="right")
    return float(max(0.0, min(here, shares.onward[j, i])))
