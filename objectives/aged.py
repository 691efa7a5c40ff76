"""Waits weighted by urgency: jobs that have waited long are started, however large they are."""

from dataclasses import replace
from functools import cache, partial

import numpy as np

from planbatch import _core
from planbatch.planner.durations import seconds_of
from planbatch.planner.model import FloatArray, JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms, mean_terms


def urgency(jobs: JobTable, now: int, scale: float) -> FloatArray:
    """1 + (areaᵢ / mean area) · (ageᵢ / scale)², with area = processors · walltime and age = now − submit.

    By Smith's rule, jobs start in the order of area / urgency. A new job counts by its area, small ones first, as if
    the objective were the mean wait. For jobs older than the scale the area cancels out and only the age counts, as in
    a queue. Ages are taken at the present. Powers of the wait also count the wait that is planned; since users
    overestimate walltimes several times over, this makes all jobs look old.
    """
    area = jobs.procs.astype(np.float64) * jobs.walltime.astype(np.float64)
    mean = sum(area.tolist()) / max(len(area), 1)  # from the first to the last, as in the core
    age = np.maximum(0.0, (now - jobs.submit).astype(np.float64)) / scale
    return 1.0 + area / mean * age * age


def aged_terms(jobs: JobTable, now: int, scale: float) -> Terms:
    """Return the terms of :func:`aged_wait`."""
    return mean_terms(urgency(jobs, now, scale), jobs.submit)


AGED_WAIT = Objective("aged-wait", _core.MeanAgedWait(86400.0), terms=partial(aged_terms, scale=86400.0))
""":func:`aged_wait` with a day: the longer a job waits, the more each further second costs.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.AGED_WAIT).cost
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
    >>> from planbatch.objectives import aged_wait
    >>> aged_wait(43200).name
    'aged-wait:43200s'
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.solve(problem, aged_wait(43200)).plan.start.tolist()
    [50, 0]
    """
    if not scale > 0:
        raise ValueError(f"aged-wait: a scale of {scale} s is not positive")
    seconds = float(scale)

    return Objective(f"aged-wait:{scale}s", _core.MeanAgedWait(seconds), terms=partial(aged_terms, scale=seconds))


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
