"""Waits to a power, weighted by area, size, length, age, expected run and fair-share to powers: a family to tune."""

from collections.abc import Callable
from functools import cache

import numpy as np

from planbatch.planner.expectation import EXPECTED_RUN_TIMES, expected_run
from planbatch.planner.history import asks_for
from planbatch.planner.kernels.native import kernel, made_kernel
from planbatch.planner.model import FloatArray, IntArray, JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms
from planbatch.planner.use import FAIR_SHARE, fair_share

#: The largest power of the wait, and the largest exponents of weights, up or down: beyond, costs leave float64.
LARGEST_POWER, LARGEST_EXPONENT = 8.0, 4.0
#: A smaller fair-share factor counts as this, so that weights stay finite.
SMALLEST_SHARE = 1e-6


@kernel
def weight_of(
    procs: int, walltime: int, waited: int, area: float, size: float, length: float, age: float
) -> float:
    """(p·l)^area · p^size · l^length · a^age of a job with p processors, walltime l and age a, each at least 1."""
    p, seconds, a = max(1.0, float(procs)), max(1.0, float(walltime)), max(1.0, float(waited))
    weight = 1.0
    if area + size != 0.0:
        weight *= p ** (area + size)
    if area + length != 0.0:
        weight *= seconds ** (area + length)
    if age != 0.0:
        weight *= a**age
    return weight


@kernel
def weighted_powers(
    start: IntArray,
    jobs: JobTable,
    now: int,
    power: float,
    area: float,
    size: float,
    length: float,
    age: float,
) -> float:
    """(1/n) Σ weightᵢ · (startᵢ − submitᵢ)^power; see :func:`weight_of`."""
    total = 0.0
    for i in range(len(start)):
        weight = weight_of(
            jobs.procs[i], jobs.walltime[i], now - jobs.submit[i], area, size, length, age
        )
        total += weight * max(0.0, float(start[i] - jobs.submit[i])) ** power
    return total / max(len(start), 1)


@kernel
def mean_weighted_wait(start: IntArray, jobs: JobTable, now: int) -> float:
    """(1/n) Σ (startᵢ − submitᵢ)² / areaᵢ: squared waits, those of small jobs above all."""
    return weighted_powers(start, jobs, now, 2.0, -1.0, 0.0, 0.0, 0.0)


def _terms(
    power: int, area: float, size: float, length: float, age: float
) -> Callable[[JobTable, int], Terms]:
    def terms(jobs: JobTable, now: int) -> Terms:
        n = len(jobs.submit)
        weight: FloatArray = np.array(
            [
                weight_of(p, w, now - s, area, size, length, age)
                for p, w, s in zip(jobs.procs, jobs.walltime, jobs.submit, strict=True)
            ],
            dtype=np.float64,
        )
        return Terms(weight, jobs.submit, power, max(n, 1))

    return terms


WEIGHTED_WAIT = Objective("weighted-wait", mean_weighted_wait, terms=_terms(2, -1.0, 0.0, 0.0, 0.0))
""":func:`weighted_wait` with its defaults: (1/n) Σ waitᵢ² / areaᵢ.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.WEIGHTED_WAIT).cost
3.125
"""


@kernel
def known_weight(jobs: JobTable, i: int, run: float, share: float) -> float:
    """E[run]^run · F^share of a job: what the past of its user says; E[run] is at least 1."""
    weight = 1.0
    if run != 0.0:
        weight *= max(1.0, expected_run(jobs, i)) ** run
    if share != 0.0:
        weight *= max(SMALLEST_SHARE, fair_share(jobs, i)) ** share
    return weight


@kernel
def weighted_known_powers(
    start: IntArray,
    jobs: JobTable,
    now: int,
    power: float,
    area: float,
    size: float,
    length: float,
    age: float,
    run: float,
    share: float,
) -> float:
    """(1/n) Σ weightᵢ · (startᵢ − submitᵢ)^power; see :func:`weight_of` and :func:`known_weight`."""
    total = 0.0
    for i in range(len(start)):
        weight = weight_of(
            jobs.procs[i], jobs.walltime[i], now - jobs.submit[i], area, size, length, age
        )
        weight *= known_weight(jobs, i, run, share)
        total += weight * max(0.0, float(start[i] - jobs.submit[i])) ** power
    return total / max(len(start), 1)


@cache
def weighted_wait(
    power: float = 2.0,
    area: float = -1.0,
    size: float = 0.0,
    length: float = 0.0,
    age: float = 0.0,
    run: float = 0.0,
    share: float = 0.0,
) -> Objective:
    """Waits to a power, times area, size, length, age … to powers: (1/n) Σ weightᵢ · (startᵢ − submitᵢ)^power.

    weightᵢ = areaᵢ^area · procsᵢ^size · walltimeᵢ^length · ageᵢ^age · E[runᵢ]^run · Fᵢ^share, with areaᵢ = procsᵢ ·
    walltimeᵢ (processor-seconds), ageᵢ = now − submitᵢ (s) and E[runᵢ] the run time that is expected of the user's past
    (s); each counts as at least 1. Fᵢ is the fair-share factor of the job's user, from 1 for one without decayed use
    down to 0, as in Slurm (a half-life of a week); a positive ``share`` favours those who used little. With a power of
    1 or 2 the objective has :class:`Terms`, and so lower bounds; with any other it has none.

    Parameters
    ----------
    power : float
        Exponent of the wait, above 0 and at most 8.
    area, size, length, age, run, share : float
        Exponents of the weight, from −4 to 4. ``run`` and ``share`` ask for histories; a replay keeps one, so that one
        of them is 0.

    Raises
    ------
    ValueError
        If an exponent is out of its range, or neither ``run`` nor ``share`` is 0; names it.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.solve(problem, pb.weighted_wait(power=1, area=-1)).plan.start.tolist()
    [50, 0]
    """
    if not 0 < power <= LARGEST_POWER:
        raise ValueError(f"weighted-wait: power: {power:g} is not above 0 and at most 8")
    given = {"area": area, "size": size, "length": length, "age": age, "run": run, "share": share}
    for name, value in given.items():
        if not abs(value) <= LARGEST_EXPONENT:
            raise ValueError(f"weighted-wait: {name}: {value:g} is not from -4 to 4")
    if run != 0.0 and share != 0.0:
        raise ValueError(
            "weighted-wait: run, share: these ask for two histories, and a replay keeps one; leave one of them 0"
        )
    p, b, c, d, e = float(power), float(area), float(size), float(length), float(age)
    if run != 0.0 or share != 0.0:
        return _weighted_by_past(p, (b, c, d, e), float(run), float(share))
    if (p, b, c, d, e) == (2.0, -1.0, 0.0, 0.0, 0.0):
        return WEIGHTED_WAIT

    @made_kernel
    def cost(start: IntArray, jobs: JobTable, now: int) -> float:
        return weighted_powers(start, jobs, now, p, b, c, d, e)

    named = {"power": p, "area": b, "size": c, "length": d, "age": e}
    text = ",".join(f"{name}={value:g}" for name, value in named.items())
    terms = _terms(int(p), b, c, d, e) if p in (1.0, 2.0) else None
    return Objective(f"weighted-wait:{text}", cost, terms=terms)


def _weighted_by_past(
    power: float, exponents: tuple[float, float, float, float], run: float, share: float
) -> Objective:
    """Make the objective whose weights know the past of the jobs' users."""
    area, size, length, age = exponents

    @made_kernel
    def cost(start: IntArray, jobs: JobTable, now: int) -> float:
        return weighted_known_powers(start, jobs, now, power, area, size, length, age, run, share)

    asks_for(EXPECTED_RUN_TIMES if run else FAIR_SHARE, cost)

    def terms(jobs: JobTable, now: int) -> Terms:
        plain = _terms(int(power), area, size, length, age)(jobs, now)
        known = [known_weight(jobs, i, run, share) for i in range(len(jobs.submit))]
        return plain._replace(weight=plain.weight * np.array(known, dtype=np.float64))

    named = {"power": power, "area": area, "size": size, "length": length, "age": age}
    named |= {"run": run} if run else {"share": share}
    text = ",".join(f"{name}={value:g}" for name, value in named.items())
    return Objective(f"weighted-wait:{text}", cost, terms=terms if power in (1.0, 2.0) else None)
