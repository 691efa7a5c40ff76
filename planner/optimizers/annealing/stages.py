"""Annealing a queue in stages: first its front, then wider ones, and finally the whole queue.

Behind the first front, the whole orders of long queues are searched (:mod:`orders`).
"""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from planbatch.planner.columns import Permutation
from planbatch.planner.kernels.decode import JobClasses, decode_into
from planbatch.planner.kernels.evaluate import (
    classes_of_front,
    decoded_cost,
    planned_cost,
    soonest_cost,
)
from planbatch.planner.kernels.first_plans import size_of
from planbatch.planner.kernels.job_tables import chosen_jobs, round_of
from planbatch.planner.kernels.native import (
    kernel,
    shared_kernel,
    shared_two_way_kernel,
    two_way_kernel,
)
from planbatch.planner.kernels.sorting import copy_column, stable_order
from planbatch.planner.model import FloatArray, IntArray
from planbatch.planner.optimizers.annealing.kernels import (
    STAGE,
    Cost,
    Schedule,
    Search,
    Setting,
    anneal,
    begin,
)
from planbatch.planner.optimizers.annealing.orders import (
    COEFFICIENTS,
    MANY_JOBS,
    RULES,
    SHIFTS,
    draw_coefficients,
    draw_shift,
    first_family,
    learn,
    rule_keys,
)
from planbatch.planner.round import RoundArrays

COSTS, SCHEDULES = len(Cost), len(Schedule)
#: The factor by which a front grows.
WIDER = 8
#: Rounds of up to this many jobs are solved by trying every permutation, if the budget allows it.
ENUMERATED = 6
#: More evaluations than any search makes.
UNLIMITED = 1 << 60


class Stage(IntEnum):
    """Positions in ``State.stage``."""

    FRONT = 0  #: jobs of the front that is annealed
    LEFT = 1  #: evaluations left for it; 0 before it begins
    ORDERS = 2  #: evaluations left for whole orders, which come behind the first front


class State(NamedTuple):
    """The state of a search for the plan of n jobs, so that it can stop and continue at any evaluation.

    Attributes
    ----------
    order, start : int64 arrays, shape (n,)
        The best permutation of the queue, and its plan.
    cost : float64 array, shape (1,)
        Its cost.
    stage : int64 array
        See :class:`Stage`.
    family : float64 array
        See :class:`~planbatch.planner.optimizers.annealing.orders.Family`.
    search : Search
        The annealing of the front, in the first entries of columns for n jobs. The jobs of the front are numbered by
        their places in ``order``.
    """

    order: Permutation
    start: IntArray
    cost: FloatArray
    stage: IntArray
    family: FloatArray
    search: Search


@shared_kernel
def empty_state(n: int, front_jobs: int) -> State:
    """Return a state before its first plan."""
    search = Search(
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n),
        np.empty(COSTS),
        np.empty(SCHEDULES),
    )
    orders = RULES + SHIFTS if n > MANY_JOBS else 0
    stage = np.array([min(front_jobs, n), 0, orders])
    family = first_family()
    return State(np.arange(n), np.empty(n, np.int64), np.array([np.inf]), stage, family, search)


@kernel
def orders_to_try(n: int, evaluations: int) -> int:
    """Return the number of permutations of n jobs if the budget allows trying them all, else 0."""
    if n > ENUMERATED:
        return 0
    orders = 1
    for i in range(2, n + 1):
        orders *= i
    return orders if orders <= evaluations else 0


@shared_two_way_kernel
def enumerate_orders(arrays: RoundArrays, classes: JobClasses, cost: Any, state: State) -> bool:
    """Evaluate all permutations, in lexicographic order, and keep the best; return False if a cost is not finite."""
    n = len(state.order)
    candidate = np.arange(n)
    trial = np.empty(n, np.int64)
    while True:
        if not take_if_better(arrays, classes, cost, candidate, trial, state):
            return False
        i = n - 2
        while i >= 0 and candidate[i] > candidate[i + 1]:
            i -= 1
        if i < 0:
            return True
        j = n - 1
        while candidate[j] < candidate[i]:
            j -= 1
        candidate[i], candidate[j] = candidate[j], candidate[i]
        low, high = i + 1, n - 1
        while low < high:
            candidate[low], candidate[high] = candidate[high], candidate[low]
            low += 1
            high -= 1


@two_way_kernel
def take_if_better(
    arrays: RoundArrays,
    classes: JobClasses,
    cost: Any,
    candidate: Permutation,
    trial: IntArray,
    state: State,
) -> bool:
    """Decode an order of the queue into ``trial``, keep it if it is better; return False if the cost is not finite."""
    value = decoded_cost(arrays, classes, cost, candidate, trial)
    if np.isnan(value):
        return False
    if value < state.cost[0]:
        state.cost[0] = value
        copy_column(state.order, candidate)
        copy_column(state.start, trial)
    return True


@shared_kernel
def front_of(arrays: RoundArrays, order: Permutation, jobs: int) -> RoundArrays:
    """Return the round of the first jobs of an order, in that order."""
    front = order[:jobs]
    return round_of(
        arrays,
        chosen_jobs(arrays.jobs, front),
        arrays.planned[front],
        arrays.notes[front],
        arrays.occupied[front],
    )


@kernel(inline="always")
def search_of_front(state: State) -> Search:
    """Return the annealing of the front: slices, not copies."""
    search, jobs = state.search, state.stage[Stage.FRONT]
    return Search(
        search.order[:jobs],
        search.candidate[:jobs],
        search.best[:jobs],
        search.start[:jobs],
        search.present[:jobs],
        search.best_start[:jobs],
        search.area[:jobs],
        search.cost,
        search.schedule,
    )


@kernel(inline="always")
def searches_orders(state: State, setting: Setting) -> bool:
    """Return whether whole orders are evaluated next: on long queues, once the first front is annealed."""
    stage = state.stage
    return bool(
        stage[Stage.ORDERS] > 0
        and stage[Stage.LEFT] == 0
        and stage[Stage.FRONT] > setting.front_jobs
    )


@two_way_kernel
def search_orders(
    arrays: RoundArrays, classes: JobClasses, cost: Any, state: State, rng: Any, evaluations: int
) -> bool:
    """Evaluate so many whole orders; return False if a cost was not a finite number."""
    n = len(state.order)
    drawn = np.empty(COEFFICIENTS)
    marked = np.empty(n, np.int64)
    candidate, trial = state.search.candidate, state.search.start
    for _ in range(evaluations):
        rules = state.stage[Stage.ORDERS] > SHIFTS
        if rules:
            draw_coefficients(state.family, drawn, rng)
            copy_column(candidate, stable_order(rule_keys(arrays, drawn)))
        else:
            draw_shift(classes, state.order, marked, candidate, rng)
        value = decoded_cost(arrays, classes, cost, candidate, trial)
        if np.isnan(value):
            return False
        if value < state.cost[0]:
            state.cost[0] = value
            copy_column(state.order, candidate)
            copy_column(state.start, trial)
        if rules:
            learn(state.family, drawn, value)
        state.stage[Stage.ORDERS] -= 1
    return True


@two_way_kernel
def begin_stage(
    front: RoundArrays, classes: JobClasses, cost: Any, state: State, setting: Setting
) -> None:
    """Begin to anneal the front of the best order; its jobs are in that order already."""
    jobs = front.jobs
    n = len(jobs.procs)
    search = search_of_front(state)
    order = np.arange(n)
    decode_into(front, classes, order, search.start)
    value = planned_cost(front, classes, cost, order, search.start)
    floor = soonest_cost(front, classes, cost)
    begin(search, search.start, size_of(front) * jobs.walltime, value, floor, setting)
    state.stage[Stage.LEFT] = STAGE * n if n < len(state.order) else UNLIMITED


@shared_two_way_kernel
def end_stage(arrays: RoundArrays, classes: JobClasses, cost: Any, state: State) -> bool:
    """Put the best order of the front before the rest, and take that plan if it is better as a whole.

    The next stage has a wider front. Nothing is done before a stage begins. Returns False if a cost was not finite.
    """
    if state.stage[Stage.LEFT] == 0:
        return True
    n, jobs = len(state.order), state.stage[Stage.FRONT]
    candidate = state.order.copy()
    copy_column(candidate[:jobs], state.order[state.search.best[:jobs]])
    trial = np.empty(n, np.int64)
    if not take_if_better(arrays, classes, cost, candidate, trial, state):
        return False
    state.stage[Stage.FRONT] = min(WIDER * jobs, n)
    state.stage[Stage.LEFT] = 0
    return True


@shared_two_way_kernel
def advance(
    arrays: RoundArrays,
    classes: JobClasses,
    cost: Any,
    state: State,
    setting: Setting,
    rng: Any,
    evaluations: int,
) -> bool:
    """Anneal for so many evaluations, from one stage to the next; return False if a cost was not a finite number.

    Call :func:`end_stage` after the last one. A search may be cut into calls of any length: the result is the same.
    """
    while evaluations > 0:
        if searches_orders(state, setting):
            count = min(evaluations, state.stage[Stage.ORDERS])
            if not search_orders(arrays, classes, cost, state, rng, count):
                return False
            evaluations -= count
            continue
        front = front_of(arrays, state.order, state.stage[Stage.FRONT])
        inner = classes_of_front(front, classes, state.order[: state.stage[Stage.FRONT]])
        if state.stage[Stage.LEFT] == 0:
            begin_stage(front, inner, cost, state, setting)
        count = min(evaluations, state.stage[Stage.LEFT])
        if not anneal(front, inner, cost, search_of_front(state), setting, rng, count):
            return False
        evaluations -= count
        if count < state.stage[Stage.LEFT]:
            state.stage[Stage.LEFT] -= count
        elif not end_stage(arrays, classes, cost, state):
            return False
    return True
