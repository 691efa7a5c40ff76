"""The fluid bound: one sort, no search.

Relax a round to a machine that may split jobs over time and over processors. A job that runs from S without a pause
has the mean busy time M = S + p/2, and in the relaxation Σ wᵢ Mᵢ is smallest if the work is done by density
wᵢ/(pᵢ qᵢ) (Smith 1956). Hence Σ wᵢ Sᵢ ≥ Σ wᵢ (Mᵢ − pᵢ/2): the mean busy time bound of Goemans, Queyranne, Schulz,
Skutella, Wang (2002), which on a machine without running jobs is the bound of Eastman, Even, Isaacs (1964).

Other terms are convex in the start, so a tangent at any reference start c lies below them,
f(S) ≥ f(c) + f′(c) (S − c), and the same bound applies to the tangents.
"""

from typing import NamedTuple

import numpy as np

from planbatch.planner.bounds.staircase import when_used
from planbatch.planner.model import FloatArray


class Fluid(NamedTuple):
    """The optimum of the relaxation."""

    bound: float  #: lower bound of the sum of the terms (less rounding errors)
    #: Shape (n,): mean busy times less half of the durations (s after now): fractional starts.
    start: FloatArray
    #: Shape (n + 1,): the moments at which the work changes to another job (s after now), and the price of a unit of
    #: area there: by how much the cost would fall if the unit were free. Linear in between, zero at the end.
    moments: FloatArray
    price: FloatArray


def fluid(
    times: FloatArray,
    level: FloatArray,
    share: FloatArray,
    duration: FloatArray,
    count: FloatArray,
    terms: tuple[FloatArray, FloatArray, int],
    reference: FloatArray,
) -> Fluid:
    """Solve the relaxation for the tangents at the reference starts.

    Parameters
    ----------
    times, level : float64 arrays, shape (k,)
        Breakpoints (s after now) and the free amount from each on.
    share, duration, count : float64 arrays, shape (n,)
        Share of the level that a job takes, its duration (s), and the number of such jobs.
    terms : (weight, origin, power)
        The terms, with origins in seconds after now.
    reference : float64 array, shape (n,)
        Where the tangents touch (s after now).
    """
    weight, origin, power = terms
    lateness = np.maximum(0.0, reference - origin)
    slope = weight * (2.0 * lateness if power == 2 else (lateness > 0).astype(np.float64))
    value = weight * lateness**power
    area = share * duration
    density = slope / area
    order = np.argsort(-density, kind="stable")
    work = np.concatenate([[0.0], np.cumsum((area * count)[order])])
    moments = when_used(times, level, work)
    # ∫ t over the area used up to each moment: whole steps of the staircase, and a part of one.
    step = np.searchsorted(times, moments, side="right") - 1
    halves = level[:-1] * (times[1:] ** 2 - times[:-1] ** 2) / 2
    whole = np.concatenate([[0.0], np.cumsum(halves)])
    integral = whole[step] + level[step] * (moments**2 - times[step] ** 2) / 2
    busy = np.empty(len(area))
    busy[order] = np.diff(integral) / (area * count)[order]
    start = busy - duration / 2
    scale = count * (value + slope * (np.abs(busy) + duration + reference))
    errors = 1e-10 * float(scale.sum())
    bound = float((count * (value + slope * (start - reference))).sum()) - errors
    falls = density[order] * np.diff(moments)
    price = np.concatenate([np.cumsum(falls[::-1])[::-1], [0.0]])
    return Fluid(bound, start, moments, price)
