"""Response times, and waits relative to lengths: slowdown and stretch."""

import numpy as np

from planbatch.planner.kernels.native import kernel
from planbatch.planner.model import IntArray, JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms

#: Shorter jobs count as this long in slowdowns (s) (Feitelson et al. 1997: bounded slowdown).
SHORT = 10


@kernel
def mean_response(start: IntArray, jobs: JobTable, now: int) -> float:
    """(1/n) Σ (startᵢ + walltimeᵢ − submitᵢ), in seconds."""
    total = 0.0
    for i in range(len(start)):
        total += float(start[i] + jobs.walltime[i] - jobs.submit[i])
    return total / max(len(start), 1)


@kernel
def mean_bounded_slowdown(start: IntArray, jobs: JobTable, now: int) -> float:
    """(1/n) Σ max(1, (waitᵢ + walltimeᵢ) / max(walltimeᵢ, 10 s)); planners know walltimes only."""
    total = 0.0
    for i in range(len(start)):
        length = float(max(jobs.walltime[i], SHORT))
        response = float(start[i] - jobs.submit[i] + jobs.walltime[i])
        total += max(1.0, response / length)
    return total / max(len(start), 1)


@kernel
def mean_stretch(start: IntArray, jobs: JobTable, now: int) -> float:
    """(1/n) Σ (waitᵢ + walltimeᵢ) / walltimeᵢ."""
    total = 0.0
    for i in range(len(start)):
        total += float(start[i] - jobs.submit[i] + jobs.walltime[i]) / float(jobs.walltime[i])
    return total / max(len(start), 1)


def response_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_response`."""
    n = len(jobs.submit)
    return Terms(np.ones(n), jobs.submit - jobs.walltime, 1, max(n, 1))


def stretch_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_stretch`."""
    n = len(jobs.submit)
    return Terms(1.0 / jobs.walltime, jobs.submit - jobs.walltime, 1, max(n, 1))


RESPONSE = Objective("response", mean_response, terms=response_terms)
"""(1/n) Σ (startᵢ + walltimeᵢ − submitᵢ), in seconds.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.RESPONSE).cost
100.0
"""
BOUNDED_SLOWDOWN = Objective("bounded-slowdown", mean_bounded_slowdown)
"""(1/n) Σ max(1, (waitᵢ + walltimeᵢ) / max(walltimeᵢ, 10 s)): the slowdown that walltimes promise.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.BOUNDED_SLOWDOWN).cost
1.25
"""
STRETCH = Objective("stretch", mean_stretch, terms=stretch_terms)
"""(1/n) Σ (waitᵢ + walltimeᵢ) / walltimeᵢ.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.STRETCH).cost
1.25
"""
