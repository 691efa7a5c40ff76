"""Waits to a power, weighted by area, size, length and age to powers: a family to tune."""

from collections.abc import Callable
from functools import cache

import numpy as np

from planbatch.planner.kernels.native import kernel, made_kernel
from planbatch.planner.model import FloatArray, IntArray, JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms

#: The largest power of the wait, and the largest exponents of weights, up or down: beyond, costs leave float64.
LARGEST_POWER, LARGEST_EXPONENT = 8.0, 4.0


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


@cache
def weighted_wait(
    power: float = 2.0,
    area: float = -1.0,
    size: float = 0.0,
    length: float = 0.0,
    age: float = 0.0,
) -> Objective:
    """Waits to a power, times area, size, length and age to powers: (1/n) Σ weightᵢ · (startᵢ − submitᵢ)^power.

    weightᵢ = areaᵢ^area · procsᵢ^size · walltimeᵢ^length · ageᵢ^age, with areaᵢ = procsᵢ · walltimeᵢ
    (processor-seconds) and ageᵢ = now − submitᵢ (s); each counts as at least 1. With a power of 1 or 2 the
    objective has :class:`Terms`, and so lower bounds; with any other it has none.

    Parameters
    ----------
    power : float
        Exponent of the wait, above 0 and at most 8.
    area, size, length, age : float
        Exponents of the weight, from −4 to 4.

    Raises
    ------
    ValueError
        If an exponent is out of its range; names it.
    """
    if not 0 < power <= LARGEST_POWER:
        raise ValueError(f"weighted-wait: power: {power:g} is not above 0 and at most 8")
    given = {"area": area, "size": size, "length": length, "age": age}
    for name, value in given.items():
        if not abs(value) <= LARGEST_EXPONENT:
            raise ValueError(f"weighted-wait: {name}: {value:g} is not from -4 to 4")
    p, b, c, d, e = float(power), float(area), float(size), float(length), float(age)
    if (p, b, c, d, e) == (2.0, -1.0, 0.0, 0.0, 0.0):
        return WEIGHTED_WAIT

    @made_kernel
    def cost(start: IntArray, jobs: JobTable, now: int) -> float:
        return weighted_powers(start, jobs, now, p, b, c, d, e)

    text = ",".join(f"{name}={value:g}" for name, value in {"power": p, **given}.items())
    terms = _terms(int(p), b, c, d, e) if p in (1.0, 2.0) else None
    return Objective(f"weighted-wait:{text}", cost, terms=terms)
