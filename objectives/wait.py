"""Waiting times: their mean (PLAN 1) and mean square (PLAN 2) of Zheng et al. 2016, Section IV-B, and powers."""

from functools import cache

import numpy as np

from planbatch.planner.kernels.native import kernel, made_kernel
from planbatch.planner.model import IntArray, JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms


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


@kernel
def mean_area_wait(start: IntArray, jobs: JobTable, now: int) -> float:
    """Σ procsᵢ · (startᵢ − submitᵢ) / Σ procsᵢ, in seconds: the mean wait of a processor's worth of work."""
    total = 0.0
    weight = 0.0
    for i in range(len(start)):
        total += float(jobs.procs[i]) * float(start[i] - jobs.submit[i])
        weight += float(jobs.procs[i])
    return total / max(weight, 1.0)


@kernel
def mean_user_wait(start: IntArray, jobs: JobTable, now: int) -> float:
    """(1/U) Σᵤ (1/nᵤ) Σᵢ (startᵢ − submitᵢ), in seconds: every one of the U users counts the same.

    nᵤ is the number of the user's waiting jobs. Jobs of unknown users count as those of one user.
    """
    order = np.argsort(jobs.user)
    total = 0.0
    users = 0
    i = 0
    while i < len(order):
        own = 0.0
        count = 0
        user = jobs.user[order[i]]
        while i < len(order) and jobs.user[order[i]] == user:
            own += float(start[order[i]] - jobs.submit[order[i]])
            count += 1
            i += 1
        total += own / count
        users += 1
    return total / max(users, 1)


def wait_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_wait`."""
    n = len(jobs.submit)
    return Terms(np.ones(n), jobs.submit, 1, max(n, 1))


def squared_wait_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_squared_wait`."""
    n = len(jobs.submit)
    return Terms(np.ones(n), jobs.submit, 2, max(n, 1))


def area_wait_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_area_wait`."""
    return Terms(jobs.procs.astype(np.float64), jobs.submit, 1, max(float(jobs.procs.sum()), 1.0))


def user_wait_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_user_wait`."""
    users, which, count = np.unique(jobs.user, return_inverse=True, return_counts=True)
    return Terms(1.0 / count[which], jobs.submit, 1, max(len(users), 1))


@cache
def powered_wait(power: float) -> Objective:
    """(1/n) Σ (startᵢ − submitᵢ)^p, in seconds^p: the larger p, the more the longest waits count.

    Parameters
    ----------
    power : float
        p, above 0.

    Raises
    ------
    ValueError
        If ``power`` is not positive.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.solve(problem, pb.powered_wait(1.5)).plan.start.tolist()
    [50, 0]
    """
    if not power > 0:
        raise ValueError(f"power: {power} is not positive")

    @made_kernel
    def mean_powered_wait(start: IntArray, jobs: JobTable, now: int) -> float:
        total = 0.0
        for i in range(len(start)):
            total += float(start[i] - jobs.submit[i]) ** power
        return total / max(len(start), 1)

    return Objective(f"wait^{power:g}", mean_powered_wait)


@kernel
def mean_fourth_wait(start: IntArray, jobs: JobTable, now: int) -> float:
    """(1/n) Σ (startᵢ − submitᵢ)⁴, in seconds⁴."""
    total = 0.0
    for i in range(len(start)):
        square = float(start[i] - jobs.submit[i]) ** 2
        total += square * square
    return total / max(len(start), 1)


WAIT = Objective("wait", mean_wait, terms=wait_terms)
"""(1/n) Σ (startᵢ − submitᵢ), in seconds: PLAN 1 of Zheng et al. 2016, Section IV-B.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.WAIT).cost
25.0
"""
SQUARED_WAIT = Objective("squared-wait", mean_squared_wait, terms=squared_wait_terms)
"""(1/n) Σ (startᵢ − submitᵢ)², in seconds²: PLAN 2 of Zheng et al. 2016, Section IV-B.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.SQUARED_WAIT).cost
1250.0
"""
FOURTH_WAIT = Objective("fourth-wait", mean_fourth_wait)
""":func:`powered_wait` with p = 4, in seconds⁴: the longest waits count nearly alone.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.FOURTH_WAIT).cost
3125000.0
"""
AREA_WAIT = Objective("area-wait", mean_area_wait, terms=area_wait_terms)
"""Σ procsᵢ · (startᵢ − submitᵢ) / Σ procsᵢ, in seconds: the mean wait of a processor's worth of work.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.AREA_WAIT).cost
33.333333333333336
"""
USER_WAIT = Objective("user-wait", mean_user_wait, terms=user_wait_terms)
"""(1/U) Σᵤ (1/nᵤ) Σᵢ (startᵢ − submitᵢ), in seconds: every one of the U users counts the same.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.USER_WAIT).cost
25.0
"""
