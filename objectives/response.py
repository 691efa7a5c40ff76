"""Response times, and waits relative to lengths: slowdown and stretch."""

import numpy as np

from planbatch import _core
from planbatch.planner.model import JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms, mean_terms


def response_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_response`."""
    return mean_terms(np.ones(len(jobs.submit)), jobs.submit - jobs.walltime)


def stretch_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_stretch`."""
    return mean_terms(1.0 / jobs.walltime, jobs.submit - jobs.walltime)


RESPONSE = Objective("response", _core.MeanResponse(), terms=response_terms)
"""(1/n) Σ (startᵢ + walltimeᵢ − submitᵢ), in seconds.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.RESPONSE).cost
100.0
"""
BOUNDED_SLOWDOWN = Objective("bounded-slowdown", _core.MeanBoundedSlowdown())
"""(1/n) Σ max(1, (waitᵢ + walltimeᵢ) / max(walltimeᵢ, 10 s)): the slowdown that walltimes promise.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.BOUNDED_SLOWDOWN).cost
1.25
"""
STRETCH = Objective("stretch", _core.MeanStretch(), terms=stretch_terms)
"""(1/n) Σ (waitᵢ + walltimeᵢ) / walltimeᵢ.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.STRETCH).cost
1.25
"""
