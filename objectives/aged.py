"""Waits weighted by urgency: jobs that have waited long are started, however large they are."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from planbatch.planner.durations import seconds_of
from planbatch.planner.kernels.native import kernel, made_kernel
from planbatch.planner.model import FloatArray, IntArray, JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms


@kernel
def urgency(jobs: JobTable, now: int, scale: float) -> FloatArray:
    """1 + (areaᵢ / mean area) · (ageᵢ / scale)², with area = processors · walltime and age = now − submit.

    By Smith's rule, jobs start in the order of area / urgency. A new job counts by its area, small ones first, as if
    the objective were the mean wait. For jobs older than the scale the area cancels out and only the age counts, as in
    a queue. Ages are taken at the present. Powers of the wait also count the wait that is planned; since users
    overestimate walltimes several times over, this makes all jobs look old.
    """
    n = len(jobs.submit)
    area = jobs.procs.astype(np.float64) * jobs.walltime.astype(np.float64)
    mean = area.sum() / max(n, 1)
    weight = np.empty(n)
    for i in range(n):
        age = max(0.0, float(now - jobs.submit[i])) / scale
        weight[i] = 1.0 + area[i] / mean * age * age
    return weight


@kernel
def weighted_by_urgency(start: IntArray, jobs: JobTable, now: int, scale: float) -> float:
    """(1/n) Σ urgencyᵢ · (startᵢ − submitᵢ), without the array of :func:`urgency`: this runs once per plan."""
    n = len(start)
    area = 0.0
    for i in range(n):
        area += float(jobs.procs[i]) * float(jobs.walltime[i])
    mean = area / max(n, 1)
    total = 0.0
    for i in range(n):
        age = max(0.0, float(now - jobs.submit[i])) / scale
        weight = 1.0 + float(jobs.procs[i]) * float(jobs.walltime[i]) / mean * age * age
        total += weight * float(start[i] - jobs.submit[i])
    return total / max(n, 1)


@kernel
def mean_aged_wait(start: IntArray, jobs: JobTable, now: int) -> float:
    """:func:`weighted_by_urgency` with a scale of one day."""
    return weighted_by_urgency(start, jobs, now, 86400.0)


def _terms(scale: float) -> Callable[[JobTable, int], Terms]:
    def terms(jobs: JobTable, now: int) -> Terms:
        n = len(jobs.submit)
        return Terms(urgency(jobs, now, scale), jobs.submit, 1, max(n, 1))

    return terms


AGED_WAIT = Objective("aged-wait", mean_aged_wait, terms=_terms(86400.0))
""":func:`aged_wait` with a day: the longer a job waits, the more each further second costs.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.AGED_WAIT).cost
25.0
"""


@cache
def aged_wait(scale: int) -> Objective:
    """(1/n) Σ urgencyᵢ · (startᵢ − submitᵢ), in seconds; see :func:`urgency`.

    Parameters
    ----------
    scale : int
        The age from which jobs are urgent (s); a day in ``AGED_WAIT``. The smaller, the shorter the longest wait,
        and the longer the mean.

    Raises
    ------
    ValueError
        If ``scale`` is not positive.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.aged_wait(43200).name
    'aged-wait:43200s'
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.solve(problem, pb.aged_wait(43200)).plan.start.tolist()
    [50, 0]
    """
    if not scale > 0:
        raise ValueError(f"aged-wait: a scale of {scale} s is not positive")
    seconds = float(scale)

    @made_kernel
    def cost(start: IntArray, jobs: JobTable, now: int) -> float:
        return weighted_by_urgency(start, jobs, now, seconds)

    return Objective(f"aged-wait:{scale}s", cost, terms=_terms(seconds))


def aged_wait_from(age: str = "1d") -> Objective:
    """Wait weighted by urgency, which grows with area and age: jobs that waited long start, however large they are.

    Parameters
    ----------
    age : str
        The age from which jobs are urgent, such as ``12h``.

    Raises
    ------
    ValueError
        If the text is not a positive duration.
    """
    try:
        scale = seconds_of(age)
    except ValueError as error:
        raise ValueError(f"aged-wait: age: {error}") from None
    return AGED_WAIT if age == "1d" else replace(aged_wait(scale), name=f"aged-wait:{age}")
