"""Costs that know what a user's ended jobs took of their requests."""

import numpy as np

from planbatch.planner.expectation import EXPECTED_RUN_TIMES, expected_rate
from planbatch.planner.history import asks_for
from planbatch.planner.kernels.native import kernel
from planbatch.planner.model import IntArray, JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms


@kernel
def mean_expected_slowdown(start: IntArray, jobs: JobTable, now: int) -> float:
    """(1/n) Σ (startᵢ − submitᵢ) · E[1 / max(runᵢ, 10 s)]: what waits are expected to add to the bounded slowdown."""
    total = 0.0
    for i in range(len(start)):
        total += float(start[i] - jobs.submit[i]) * expected_rate(jobs, i)
    return total / max(len(start), 1)


def expected_slowdown_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_expected_slowdown`."""
    n = len(jobs.submit)
    rates = np.array([expected_rate(jobs, i) for i in range(n)], dtype=np.float64)
    return Terms(rates, jobs.submit, 1, max(n, 1))


asks_for(EXPECTED_RUN_TIMES, mean_expected_slowdown)

EXPECTED_SLOWDOWN = Objective(
    "expected-slowdown", mean_expected_slowdown, terms=expected_slowdown_terms
)
"""(1/n) Σ waitᵢ · E[1 / max(runᵢ, 10 s)]: what users' pasts say of the slowdown.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.EXPECTED_SLOWDOWN).cost
0.25
"""
