"""Lower bounds of the largest term: makespan, maximum wait, maximum tardiness.

Two bounds are taken together. Alone: no job starts before the moment at which it would fit if it were the only one.
Energy: of all jobs that cannot start before r, those that are due first have to be processed by the capacity left
after r, so the last of them ends no earlier than the area is there, and it is late by at least that less the latest
of their due times (Jackson's rule on the relaxation). Besides the processors, each row of capacity of
:mod:`staircase` counts as a resource of its own, which covers wide jobs that exclude one another.
"""

import numpy as np

from planbatch.planner.bounds.staircase import EXACT, Rows, Staircase, areas_at, capacity_rows, staircase, when_used
from planbatch.planner.model import FloatArray, IntArray
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms


def energy_lateness(stairs: Staircase, rows: Rows, size: IntArray, duration: FloatArray, due: FloatArray) -> float:
    """Return the least possible largest (end − due) of jobs that are sorted by due time (s)."""
    earliest = stairs.times[np.searchsorted(stairs.levels, rows.sizes[size])]
    lateness = -np.inf
    for head in np.unique(earliest):
        late_heads = np.flatnonzero(earliest >= head)
        for row, level in enumerate(rows.levels):
            before = areas_at(stairs.times, level, np.array([head]))
            area = np.cumsum(rows.coef[size[late_heads], row] * duration[late_heads])
            ends = when_used(stairs.times, level, before + area * (1 - 1e-12))
            # A row may take nothing of some jobs; they do not end with the area of the others.
            occupied = area > 0
            if occupied.any():
                lateness = max(lateness, float((ends - due[late_heads])[occupied].max()))
    return lateness


def largest_bound(problem: Round, terms: Terms) -> float:
    """Return a lower bound of the largest term; see :func:`lower_bound`."""
    jobs = problem.jobs
    counts = np.flatnonzero(terms.weight > 0)
    if not len(counts):
        return 0.0
    stairs = staircase(problem)
    procs = jobs.procs[counts]
    duration = jobs.walltime[counts].astype(np.float64)
    origin = (terms.origin[counts] - problem.now).astype(np.float64)
    weight = terms.weight[counts]
    alone = np.maximum(0.0, stairs.earliest(procs) - origin)
    best = float((weight * alone**terms.power).max())
    rows = capacity_rows(stairs, procs, np.ones(len(procs), dtype=np.int64))
    order = np.argsort(origin + duration, kind="stable")
    size = np.searchsorted(rows.sizes, procs)[order].astype(np.int64)
    lateness = energy_lateness(stairs, rows, size, duration[order], (origin + duration)[order])
    # Ends are whole seconds. Of different weights, the late job may have the smallest.
    late = max(0.0, float(np.ceil(lateness - 1e-6 - 1e-12 * abs(lateness))))
    best = max(best, float(weight.min()) * late**terms.power)
    exact = bool((weight == np.floor(weight)).all()) and best < EXACT
    return (best if exact else best * (1 - 1e-12)) / terms.divisor
