"""Waiting times: their mean (PLAN 1) and mean square (PLAN 2) of Zheng et al. 2016, Section IV-B, and powers."""

from functools import cache

import numpy as np

from planbatch import _core
from planbatch.planner.arguments import number
from planbatch.planner.model import JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms, mean_terms


def wait_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_wait`."""
    return mean_terms(np.ones(len(jobs.submit)), jobs.submit)


def squared_wait_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_squared_wait`."""
    return mean_terms(np.ones(len(jobs.submit)), jobs.submit, 2)


def area_wait_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_area_wait`."""
    return Terms(jobs.procs.astype(np.float64), jobs.submit, 1, max(float(jobs.procs.sum()), 1.0))


def user_wait_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`mean_user_wait`."""
    users, which, count = np.unique(jobs.user, return_inverse=True, return_counts=True)
    return Terms(1.0 / count[which], jobs.submit, 1, max(len(users), 1))


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
    return _powered_wait(number("power", power, "a positive number"))


@cache
def _powered_wait(power: float) -> Objective:
    return Objective(f"wait^{power:g}", _core.MeanPoweredWait(power))


WAIT = Objective("wait", _core.MeanWait(), terms=wait_terms)
"""(1/n) Σ (startᵢ − submitᵢ), in seconds: PLAN 1 of Zheng et al. 2016, Section IV-B.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.WAIT).cost
25.0
"""
SQUARED_WAIT = Objective("squared-wait", _core.MeanSquaredWait(), terms=squared_wait_terms)
"""(1/n) Σ (startᵢ − submitᵢ)², in seconds²: PLAN 2 of Zheng et al. 2016, Section IV-B.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.SQUARED_WAIT).cost
1250.0
"""
FOURTH_WAIT = Objective("fourth-wait", _core.MeanFourthWait())
""":func:`powered_wait` with p = 4, in seconds⁴: the longest waits count nearly alone.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.FOURTH_WAIT).cost
3125000.0
"""
AREA_WAIT = Objective("area-wait", _core.MeanAreaWait(), terms=area_wait_terms)
"""Σ procsᵢ · (startᵢ − submitᵢ) / Σ procsᵢ, in seconds: the mean wait of a processor's worth of work.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.AREA_WAIT).cost
33.333333333333336
"""
USER_WAIT = Objective("user-wait", _core.MeanUserWait(), terms=user_wait_terms)
"""(1/U) Σᵤ (1/nᵤ) Σᵢ (startᵢ − submitᵢ), in seconds: every one of the U users counts the same.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.USER_WAIT).cost
25.0
"""
