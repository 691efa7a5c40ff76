"""Waiting times: mean wait (PLAN 1) and mean squared wait (PLAN 2) of Zheng et al. 2016, Section IV-B."""

import numpy as np

from planner.model import IntArray, JobTable
from planner.native import kernel
from planner.objective import Objective
from planner.terms import Terms


@kernel
def mean_wait(start: IntArray, jobs: JobTable, now: int) -> float:
    """(1/n) Σ (startᵢ − submitᵢ), in seconds (Section IV-B, PLAN 1)."""
    total = 0.0
    for i in range(len(start)):
        total += float(start[i] - jobs.submit[i])
    return total / max(len(start), 1)


@kernel
def mean_squared_wait(start: IntArray, jobs: JobTable, now: int) -> float:
    """(1/n) Σ (startᵢ − submitᵢ)², in seconds² (Section IV-B, PLAN 2)."""
    total = 0.0
    for i in range(len(start)):
        wait = float(start[i] - jobs.submit[i])
        total += wait * wait
    return total / max(len(start), 1)


def wait_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_wait`."""
    n = len(jobs.submit)
    return Terms(np.ones(n), jobs.submit, 1, max(n, 1))


def squared_wait_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_squared_wait`."""
    n = len(jobs.submit)
    return Terms(np.ones(n), jobs.submit, 2, max(n, 1))


WAIT = Objective("wait", mean_wait, terms=wait_terms)
SQUARED_WAIT = Objective("squared-wait", mean_squared_wait, terms=squared_wait_terms)
