"""Waiting times: mean wait (PLAN 1) and mean squared wait (PLAN 2) of Zheng et al. 2016, Section IV-B."""

from planner.model import IntArray, JobTable
from planner.native import kernel
from planner.objective import Objective


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


WAIT = Objective("wait", mean_wait)
SQUARED_WAIT = Objective("squared-wait", mean_squared_wait)
