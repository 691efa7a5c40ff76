"""Searching long queues by whole orders: first the best of a family of rules, then classes of jobs moved together.

Moving one job of thousands changes the cost by less than a decoding is worth. So each evaluation changes much. The
family is size^a · walltime^b / (age + h·exp(d))^c, where h is the area of all jobs over the capacity, as in the first
plans; its coefficients are improved by a (1+1) evolution strategy, whose step grows by successes and shrinks by
failures (Rechenberg 1973). Then jobs of one size or length, in a part of the queue, or some of them, change their
places together.
"""

import math
from enum import IntEnum
from typing import Any

import numpy as np

from planbatch.planner.columns import Permutation
from planbatch.planner.kernels.decode import JobClasses
from planbatch.planner.kernels.first_plans import size_of
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.model import FloatArray, IntArray
from planbatch.planner.round import RoundArrays

#: Rounds of more jobs than this are searched by whole orders, too.
MANY_JOBS = 1000
#: Evaluations for the family, and for classes of jobs moved together.
RULES, SHIFTS = 100, 1000
#: The factors of the step of the coefficients after a success and after a failure, and its limits.
LONGER, SHORTER = 1.5, 0.93
SHORTEST_STEP, LONGEST_STEP = 0.01, 0.5


class Family(IntEnum):
    """Positions in the state of the search of the family."""

    SIZE = 0  #: a
    LENGTH = 1  #: b
    AGE = 2  #: c
    HORIZON = 3  #: d
    STEP = 4  #: the standard deviation of a and b; that of c and d is twice as large
    COST = 5  #: of the best of the family


COEFFICIENTS = 4


@kernel
def first_family() -> FloatArray:
    """Return the state that begins with the rule for squared waits, ``area-per-square``."""
    return np.array([1.0, 1.0, 2.0, 0.0, 0.2, np.inf])


@borrowing_kernel
def draw_coefficients(family: FloatArray, drawn: FloatArray, rng: Any) -> None:
    """Draw coefficients near the best of the family; the first ones are those that it begins with."""
    for i in range(COEFFICIENTS):
        drawn[i] = family[i]
        if family[Family.COST] < np.inf:
            deviate = 2.0 * (rng.random() + rng.random() + rng.random() - 1.5)
            drawn[i] += deviate * family[Family.STEP] * (1.0 if i < Family.AGE else 2.0)


@borrowing_kernel
def learn(family: FloatArray, drawn: FloatArray, cost: float) -> None:
    """Keep coefficients if they are better, and adapt the step."""
    if cost < family[Family.COST]:
        for i in range(COEFFICIENTS):
            family[i] = drawn[i]
        family[Family.COST] = cost
        family[Family.STEP] = min(LONGER * family[Family.STEP], LONGEST_STEP)
    else:
        family[Family.STEP] = max(SHORTER * family[Family.STEP], SHORTEST_STEP)


@kernel
def rule_keys(arrays: RoundArrays, drawn: FloatArray) -> FloatArray:
    """Return the logarithms of the keys of the waiting jobs by a rule of the family."""
    jobs = arrays.jobs
    size = size_of(arrays)
    keys = np.empty(len(size))
    horizon = 0.0
    for i in range(len(size)):
        horizon += size[i] * jobs.walltime[i]
    horizon = max(horizon / arrays.capacity, 1.0) * math.exp(drawn[Family.HORIZON])
    for i in range(len(size)):
        age = max(arrays.now - jobs.submit[i], 0)
        keys[i] = (
            drawn[Family.SIZE] * math.log(max(size[i], 1.0))
            + drawn[Family.LENGTH] * math.log(max(float(jobs.walltime[i]), 1.0))
            - drawn[Family.AGE] * math.log(age + horizon)
        )
    return keys


@borrowing_kernel
def mark_alike(classes: JobClasses, order: Permutation, marked: IntArray, rng: Any) -> None:
    """Mark places of the order: those of jobs that are like one drawn at random, within some distance of it.

    Alike are, with equal probability, jobs of the same size class, of the same length class, of both, or all that come
    behind it; in two of three cases only some of them are marked.
    """
    n = len(order)
    centre = int(n * rng.random())
    job = order[centre]
    kind = int(4 * rng.random())
    share = 10.0 ** (-1.2 * max(0.0, rng.random() - 0.4))
    reach = int(n ** (0.4 + 0.6 * rng.random()))
    sizes, lengths = classes.size_within, classes.length_within
    for k in range(n):
        marked[k] = 0
    marked[centre] = 1
    for k in range(max(0, centre if kind == 3 else centre - reach), min(n, centre + reach)):
        other = order[k]
        alike = kind in (1, 3) or sizes[other] == sizes[job]
        alike = alike and (kind in (0, 3) or lengths[other] == lengths[job])
        if alike and (share >= 1.0 or rng.random() < share):
            marked[k] = 1


@borrowing_kernel
def shift_marked(order: Permutation, marked: IntArray, shift: int, candidate: Permutation) -> None:
    """Write the order with marked jobs moved by so many places, as far as there are; all others keep their order."""
    n = len(order)
    mover, other = 0, 0
    for k in range(n):
        while mover < n and marked[mover] == 0:
            mover += 1
        while other < n and marked[other] == 1:
            other += 1
        if other == n or (mover < n and mover + shift < other):
            candidate[k] = order[mover]
            mover += 1
        else:
            candidate[k] = order[other]
            other += 1


@borrowing_kernel
def draw_shift(
    classes: JobClasses, order: Permutation, marked: IntArray, candidate: Permutation, rng: Any
) -> None:
    """Write the order with alike jobs moved together, by a log-uniform distance."""
    mark_alike(classes, order, marked, rng)
    distance = int(len(order) ** (0.3 + 0.7 * rng.random()))
    shift_marked(order, marked, distance if rng.random() < 0.5 else -distance, candidate)
