"""Costs by expected run times, from the ratios of run time and request of users' past jobs."""

import numpy as np

from planbatch import _core
from planbatch.planner.history.expectation import expected_rate
from planbatch.planner.model import JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms, mean_terms


def expected_slowdown_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_expected_slowdown`."""
    rates = np.array([expected_rate(jobs, i) for i in range(len(jobs.submit))], dtype=np.float64)
    return mean_terms(rates, jobs.submit)


EXPECTED_SLOWDOWN = Objective("expected-slowdown", _core.MeanExpectedSlowdown(), terms=expected_slowdown_terms)
"""(1/n) Σ waitᵢ · E[1 / max(runᵢ, 10 s)]: what users' pasts say of the slowdown.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.EXPECTED_SLOWDOWN).cost
0.25
"""
