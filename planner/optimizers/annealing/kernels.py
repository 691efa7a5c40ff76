"""The kernels of simulated annealing over permutations (Zheng et al. 2016, Section IV-C, Algorithm 1).

:mod:`stages` runs them on ever wider fronts of the queue; :mod:`optimizer` holds the optimizer.
"""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from planbatch.planner.columns import Permutation
from planbatch.planner.kernels.decode import JobClasses
from planbatch.planner.kernels.evaluate import decoded_cost
from planbatch.planner.kernels.native import borrowing_kernel, borrowing_two_way_kernel, kernel
from planbatch.planner.kernels.sorting import copy_column, stable_order
from planbatch.planner.model import FloatArray, IntArray
from planbatch.planner.round import RoundArrays

#: Evaluations per job of a front, before the front grows.
STAGE = 2
#: The most pairs of places that are drawn until their jobs do not start together.
TRIES = 20


class Setting(NamedTuple):
    """The parameters of an annealing; see :class:`Annealing`."""

    hottest: float
    coldest: float
    cooling: float
    moves: float
    growth: float
    swap: float
    near: float
    large: float
    front: float
    per_job: bool
    by_start: bool
    front_jobs: int


@kernel
def annealing_setting(params: FloatArray) -> Setting:
    """Return the parameters, from an array in the order of ``Setting._fields``."""
    return Setting(
        params[0],
        params[1],
        params[2],
        params[3],
        params[4],
        params[5],
        params[6],
        params[7],
        params[8],
        params[9] > 0.0,
        params[10] > 0.0,
        int(params[11]),
    )


class Cost(IntEnum):
    """Positions in ``Search.cost``."""

    PRESENT = 0  #: of P
    BEST = 1  #: of P_best
    FLOOR = 2  #: which no plan can undercut: every job starts now


class Schedule(IntEnum):
    """Positions in ``Search.schedule``."""

    TEMPERATURE = 0
    LEFT = 1  #: evaluations left at this temperature
    MOVES = 2  #: evaluations at each temperature of this cycle
    YOUNG = 3  #: evaluations left that prefer the front of the queue


class Search(NamedTuple):
    """The state of an annealing of n jobs, so that it can stop and continue at any evaluation.

    Attributes
    ----------
    order, candidate, best : int64 arrays, shape (n,)
        The present permutation P, a neighbour P' and P_best of Algorithm 1.
    start, present, best_start : int64 arrays, shape (n,)
        The plans of the candidate, of P and of P_best.
    area : float64 array, shape (n,)
        Size × walltime of the jobs.
    cost : float64 array
        See :class:`Cost`.
    schedule : float64 array
        See :class:`Schedule`.
    """

    order: Permutation
    candidate: Permutation
    best: Permutation
    start: IntArray
    present: IntArray
    best_start: IntArray
    area: FloatArray
    cost: FloatArray
    schedule: FloatArray


@borrowing_kernel
def remove_and_insert(order: Permutation, candidate: Permutation, i: int, j: int) -> None:
    """Write ``order`` with the job at place i moved to place j into ``candidate``."""
    copy_column(candidate, order)
    job = order[i]
    if i < j:
        for k in range(i, j):
            candidate[k] = order[k + 1]
    else:
        for k in range(i, j, -1):
            candidate[k] = order[k - 1]
    candidate[j] = job


@borrowing_kernel
def place_to_move(search: Search, setting: Setting, rng: Any) -> int:
    """Return a random place of the permutation.

    At the beginning of the search it is near the front with probability ``front``: these jobs are about to start.
    Later it is that of the larger of two jobs with probability ``large``.
    """
    n = len(search.order)
    i = int(n * rng.random())
    if search.schedule[Schedule.YOUNG] > 0.0 and rng.random() < setting.front:
        return int(n * rng.random() ** 2)
    if setting.large > 0.0 and rng.random() < setting.large:
        j = int(n * rng.random())
        if search.area[search.order[j]] > search.area[search.order[i]]:
            i = j
    return i


@borrowing_kernel
def other_place(i: int, n: int, near: float, rng: Any) -> int:
    """Return another place than i: at a log-uniform distance with probability ``near``, else any other uniformly."""
    if near > 0.0 and rng.random() < near:
        distance = int(n ** rng.random())
        j = i + distance if rng.random() < 0.5 else i - distance
        if 0 <= j < n:
            return j
        j = 2 * i - j
        return j if 0 <= j < n else (i + 1) % n
    j = int((n - 1) * rng.random())
    return j + 1 if j >= i else j


@borrowing_kernel
def neighbour(search: Search, setting: Setting, rng: Any) -> None:
    """Write a random neighbour of the present permutation into ``search.candidate``.

    If the permutation is in the order of the starts, two jobs that start together are rarely worth an exchange.
    """
    order = search.order
    n = len(order)
    i = place_to_move(search, setting, rng)
    j = other_place(i, n, setting.near, rng)
    if setting.by_start:
        for _ in range(TRIES):
            if search.present[order[i]] != search.present[order[j]]:
                break
            i = place_to_move(search, setting, rng)
            j = other_place(i, n, setting.near, rng)
    if setting.swap > 0.0 and rng.random() < setting.swap:
        copy_column(search.candidate, order)
        search.candidate[i] = order[j]
        search.candidate[j] = order[i]
    else:
        remove_and_insert(order, search.candidate, i, j)


@borrowing_kernel
def sort_by_start(order: Permutation, start: IntArray) -> None:
    """Sort a permutation that is nearly in the order of the starts; jobs that start together keep their order."""
    for k in range(1, len(order)):
        job = order[k]
        place = k
        while place > 0 and start[order[place - 1]] > start[job]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = job


@kernel
def begin(
    search: Search, start: IntArray, area: FloatArray, cost: float, floor: float, setting: Setting
) -> None:
    """Start from the order 0 … n − 1, whose plan and cost are given."""
    n = len(start)
    order = np.arange(n)
    copy_column(search.candidate, order)
    copy_column(search.best, order)
    if setting.by_start:
        order = stable_order(start)
    copy_column(search.order, order)
    copy_column(search.start, start)
    copy_column(search.present, start)
    copy_column(search.best_start, start)
    copy_column(search.area, area)
    search.cost[Cost.PRESENT] = cost
    search.cost[Cost.BEST] = cost
    search.cost[Cost.FLOOR] = floor
    schedule = search.schedule
    schedule[Schedule.TEMPERATURE] = setting.hottest
    schedule[Schedule.LEFT] = setting.moves
    schedule[Schedule.MOVES] = setting.moves
    schedule[Schedule.YOUNG] = STAGE * setting.front_jobs if n <= setting.front_jobs else 0.0


@borrowing_kernel
def cool(search: Search, setting: Setting) -> None:
    """Count an evaluation; lower the temperature after ``moves`` of them, and reheat below the coldest.

    A new cycle starts from the best permutation and is longer by the factor ``growth``. Only the number of
    evaluations decides, never the clock.
    """
    schedule = search.schedule
    schedule[Schedule.YOUNG] -= 1.0
    schedule[Schedule.LEFT] -= 1.0
    if schedule[Schedule.LEFT] >= 1.0:
        return
    schedule[Schedule.TEMPERATURE] *= setting.cooling
    if schedule[Schedule.TEMPERATURE] <= setting.coldest:
        schedule[Schedule.TEMPERATURE] = setting.hottest
        schedule[Schedule.MOVES] *= setting.growth
        copy_column(search.order, search.best)
        copy_column(search.present, search.best_start)
        search.cost[Cost.PRESENT] = search.cost[Cost.BEST]
        if setting.by_start:
            sort_by_start(search.order, search.present)
    schedule[Schedule.LEFT] += schedule[Schedule.MOVES]


@borrowing_kernel
def accept(search: Search, value: float, setting: Setting) -> None:
    """Continue from the candidate, whose cost is given; remember it if it is the best so far."""
    copy_column(search.order, search.candidate)
    copy_column(search.present, search.start)
    search.cost[Cost.PRESENT] = value
    if value < search.cost[Cost.BEST]:
        search.cost[Cost.BEST] = value
        copy_column(search.best, search.candidate)
        copy_column(search.best_start, search.start)
    if setting.by_start:
        sort_by_start(search.order, search.present)


@borrowing_two_way_kernel
def anneal(
    arrays: RoundArrays,
    classes: JobClasses,
    cost: Any,
    search: Search,
    setting: Setting,
    rng: Any,
    evaluations: int,
) -> bool:
    """Evaluate so many neighbours; return False if a cost was not a finite number.

    The probability function, which Algorithm 1 leaves open, accepts a worse neighbour with exp(−Δ / (T·s)), where
    Δ is the difference of the costs and s = cost of P_best − cost if every job started now, with ``per_job`` divided
    by the number of jobs. So temperatures are relative to what planning can influence at all, whatever the
    objective's unit and offset.

    With ``by_start``, a permutation that is accepted becomes the order of its plan's starts, which decodes to a plan
    no worse for any regular objective, and mostly to the same one: so near places are near in time.
    """
    if np.isnan(search.cost[Cost.BEST] - search.cost[Cost.FLOOR]):
        return False
    parts = float(len(search.order)) if setting.per_job else 1.0
    for _ in range(evaluations):
        neighbour(search, setting, rng)
        value = decoded_cost(arrays, classes, cost, search.candidate, search.start)
        if np.isnan(value):
            return False
        if value < np.inf:  # else it breaks a promise
            scale = (search.cost[Cost.BEST] - search.cost[Cost.FLOOR]) / parts
            heat = search.schedule[Schedule.TEMPERATURE] * scale
            slack = -heat * np.log(1.0 - rng.random())
            if value <= search.cost[Cost.PRESENT] + slack:
                accept(search, value, setting)
        cool(search, setting)
    return True
