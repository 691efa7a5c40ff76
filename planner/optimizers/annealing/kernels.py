"""The kernels of simulated annealing over permutations (Zheng et al. 2016, Section IV-C, Algorithm 1).

:mod:`optimizer` holds the optimizer that runs them.
"""

from typing import Any, NamedTuple

import numpy as np

from planbatch.planner.columns import Permutation
from planbatch.planner.kernels.decode import JobClasses, decode_into, keeps_promises
from planbatch.planner.kernels.first_plans import size_of
from planbatch.planner.kernels.native import kernel
from planbatch.planner.model import FloatArray, IntArray, JobTable
from planbatch.planner.round import RoundArrays

# Where the parameters stand in the array that the kernels take; the numbers of the seeds follow.
(
    HOTTEST, COLDEST, COOLING, MOVES, GROWTH, SWAP, NEAR, LARGE, FRONT, PER_JOB, BY_START, WINDOW, FIRST_SEED,
) = range(13)  # fmt: skip
#: Evaluations for each job of a window, before the window grows.
STAGE = 2
#: The factor by which a window grows.
WIDER = 8
#: How many pairs of places are drawn at most for one whose jobs do not start together.
TRIES = 20


class Search(NamedTuple):
    """The state of one annealing run, so that it can stop and go on at any evaluation.

    Attributes
    ----------
    order, candidate, best : int64 arrays, shape (n,)
        The present permutation P, a neighbour P' and P_best of Algorithm 1.
    start, present, best_start : int64 arrays, shape (n,)
        The plans of the candidate, of P and of P_best.
    area : float64 array, shape (n,)
        Size × walltime of the jobs.
    cost : float64 array
        Cost of P, cost of P_best, and the cost that no plan can undercut (every job starts now).
    schedule : float64 array
        Temperature, evaluations left at it, evaluations at each temperature of this cycle, evaluations left that
        prefer the front of the queue.
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


@kernel
def remove_and_insert(order: Permutation, candidate: Permutation, i: int, j: int) -> None:
    """``candidate`` becomes ``order`` with the job at place i moved to place j."""
    for k in range(len(order)):
        candidate[k] = order[k]
    job = order[i]
    if i < j:
        for k in range(i, j):
            candidate[k] = order[k + 1]
    else:
        for k in range(i, j, -1):
            candidate[k] = order[k - 1]
    candidate[j] = job


@kernel
def place_to_move(search: Search, params: FloatArray, rng: Any) -> int:
    """A random place of the permutation.

    While the search is young, with probability ``FRONT`` one near the front: these jobs are about to start. Later,
    with probability ``LARGE``, that of the larger job of two.
    """
    n = len(search.order)
    i = int(n * rng.random())
    if search.schedule[3] > 0.0 and rng.random() < params[FRONT]:
        return int(n * rng.random() ** 2)
    if params[LARGE] > 0.0 and rng.random() < params[LARGE]:
        j = int(n * rng.random())
        if search.area[search.order[j]] > search.area[search.order[i]]:
            i = j
    return i


@kernel
def other_place(i: int, n: int, near: float, rng: Any) -> int:
    """Another place than i: with probability ``near`` at a log-uniform distance, else any with equal probability."""
    if near > 0.0 and rng.random() < near:
        distance = int(n ** rng.random())
        j = i + distance if rng.random() < 0.5 else i - distance
        if 0 <= j < n:
            return j
        j = 2 * i - j
        return j if 0 <= j < n else (i + 1) % n
    j = int((n - 1) * rng.random())
    return j + 1 if j >= i else j


@kernel
def neighbour(search: Search, params: FloatArray, rng: Any) -> None:
    """Write a random neighbour of the present permutation into ``search.candidate``.

    Where the permutation is in the order of the starts, two jobs that start together are rarely worth an exchange.
    """
    order = search.order
    n = len(order)
    i = place_to_move(search, params, rng)
    j = other_place(i, n, params[NEAR], rng)
    if params[BY_START] > 0.0:
        for _ in range(TRIES):
            if search.present[order[i]] != search.present[order[j]]:
                break
            i = place_to_move(search, params, rng)
            j = other_place(i, n, params[NEAR], rng)
    if params[SWAP] > 0.0 and rng.random() < params[SWAP]:
        search.candidate[:] = order
        search.candidate[i] = order[j]
        search.candidate[j] = order[i]
    else:
        remove_and_insert(order, search.candidate, i, j)


@kernel
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
    order: Permutation,
    start: IntArray,
    area: FloatArray,
    cost: float,
    floor: float,
    params: FloatArray,
) -> Search:
    """A search that starts from ``order``, whose plan and cost are given."""
    young = STAGE * params[WINDOW] if len(order) <= params[WINDOW] else 0.0
    first = order
    if params[BY_START] > 0.0:
        first = order[np.argsort(start[order], kind="mergesort")]
    return Search(
        first.copy(),
        order.copy(),
        order.copy(),
        start.copy(),
        start.copy(),
        start.copy(),
        area,
        np.array([cost, cost, floor]),
        np.array([params[HOTTEST], params[MOVES], params[MOVES], young]),
    )


@kernel
def cool(search: Search, params: FloatArray) -> None:
    """Count an evaluation; lower the temperature after ``MOVES`` of them, and reheat below the coldest.

    A new cycle starts from the best permutation and is longer by the factor ``GROWTH``. Only the number of
    evaluations decides, never the clock.
    """
    schedule = search.schedule
    schedule[3] -= 1.0
    schedule[1] -= 1.0
    if schedule[1] >= 1.0:
        return
    schedule[0] *= params[COOLING]
    if schedule[0] <= params[COLDEST]:
        schedule[0] = params[HOTTEST]
        schedule[2] *= params[GROWTH]
        search.order[:] = search.best
        search.present[:] = search.best_start
        search.cost[0] = search.cost[1]
        if params[BY_START] > 0.0:
            sort_by_start(search.order, search.present)
    schedule[1] += schedule[2]


@kernel
def anneal(
    arrays: RoundArrays,
    classes: JobClasses,
    cost: Any,
    search: Search,
    params: FloatArray,
    rng: Any,
    evaluations: int,
) -> int:
    """Evaluate so many neighbours; return how many were done, or -1 if a cost was not a finite number.

    The probability function, which Algorithm 1 leaves open, accepts a worse neighbour with exp(−Δ / (T·s)), where
    Δ is the difference of the costs and s = cost of P_best − cost if every job started now, with ``PER_JOB`` divided
    by the number of jobs. So temperatures are relative to what planning can influence at all, whatever the
    objective's unit and offset.

    With ``BY_START``, a permutation that is accepted becomes the order of its plan's starts, which decodes to a plan
    no worse for any regular objective, and mostly to the same one: so near places are near in time.
    """
    jobs = arrays.jobs
    parts = float(len(search.order)) if params[PER_JOB] > 0.0 else 1.0
    for _ in range(evaluations):
        neighbour(search, params, rng)
        decode_into(arrays, classes, search.candidate, search.start)
        if not keeps_promises(search.start, jobs.latest):
            cool(search, params)
            continue
        value = cost(search.start, jobs, arrays.now)
        if not np.isfinite(value):
            return -1
        scale = (search.cost[1] - search.cost[2]) / parts
        slack = -search.schedule[0] * scale * np.log(1.0 - rng.random())
        if value <= search.cost[0] + slack:
            for k in range(len(search.order)):
                search.order[k] = search.candidate[k]
                search.present[k] = search.start[k]
            search.cost[0] = value
            if value < search.cost[1]:
                search.cost[1] = value
                for k in range(len(search.order)):
                    search.best[k] = search.candidate[k]
                    search.best_start[k] = search.start[k]
            if params[BY_START] > 0.0:
                sort_by_start(search.order, search.present)
        cool(search, params)
    return evaluations


@kernel
def enumerate_orders(
    arrays: RoundArrays,
    classes: JobClasses,
    cost: Any,
    best: float,
    order: Permutation,
    start: IntArray,
) -> float:
    """Evaluate every permutation, in lexicographic order; write the best and its plan, return its cost.

    ``order`` and ``start`` hold the best so far on entry, ``best`` is its cost. NaN if a cost was not a finite number.
    """
    n = len(order)
    candidate = np.arange(n)
    trial = np.empty(n, np.int64)
    while True:
        decode_into(arrays, classes, candidate, trial)
        if keeps_promises(trial, arrays.jobs.latest):
            value = cost(trial, arrays.jobs, arrays.now)
            if not np.isfinite(value):
                return np.nan
            if value < best:
                best = value
                order[:] = candidate
                start[:] = trial
        i = n - 2
        while i >= 0 and candidate[i] > candidate[i + 1]:
            i -= 1
        if i < 0:
            return best
        j = n - 1
        while candidate[j] < candidate[i]:
            j -= 1
        candidate[i], candidate[j] = candidate[j], candidate[i]
        low, high = i + 1, n - 1
        while low < high:
            candidate[low], candidate[high] = candidate[high], candidate[low]
            low += 1
            high -= 1


@kernel
def front_of(arrays: RoundArrays, order: Permutation, window: int) -> RoundArrays:
    """The round of the first ``window`` jobs of an order, in that order."""
    front = order[:window]
    jobs = arrays.jobs
    return RoundArrays(
        arrays.now,
        arrays.capacity,
        arrays.running,
        JobTable(
            jobs.submit[front],
            jobs.procs[front],
            jobs.walltime[front],
            jobs.deadline[front],
            jobs.latest[front],
            jobs.user[front],
            jobs.demands[front],
        ),
        arrays.planned[front],
        arrays.ended_early,
        arrays.notes[front],
        arrays.occupied[front],
        arrays.capacities,
        arrays.windows,
    )


@kernel
def begin_stage(front: RoundArrays, classes: JobClasses, cost: Any, params: FloatArray) -> Search:
    """A search of the front of the best order so far; its jobs stand in that order already."""
    n = len(front.jobs.procs)
    order = np.arange(n)
    start = np.empty(n, np.int64)
    decode_into(front, classes, order, start)
    value = cost(start, front.jobs, front.now)
    floor = cost(np.full(n, front.now), front.jobs, front.now)
    return begin(order, start, size_of(front) * front.jobs.walltime, value, floor, params)


@kernel
def end_stage(
    arrays: RoundArrays,
    classes: JobClasses,
    cost: Any,
    best: float,
    found: Permutation,
    order: Permutation,
    start: IntArray,
) -> float:
    """Put the found order of the front before the rest; take the plan if it is better as a whole.

    Returns the cost of the best plan, which ``order`` and ``start`` hold; NaN if a cost was not a finite number.
    """
    n = len(order)
    candidate = order.copy()
    for i in range(len(found)):
        candidate[i] = order[found[i]]
    trial = np.empty(n, np.int64)
    decode_into(arrays, classes, candidate, trial)
    if not keeps_promises(trial, arrays.jobs.latest):
        return best
    value = cost(trial, arrays.jobs, arrays.now)
    if not np.isfinite(value):
        return np.nan
    if value < best:
        for i in range(n):
            order[i] = candidate[i]
            start[i] = trial[i]
        return value
    return best


@kernel
def stage_length(window: int, n: int) -> int:
    """Evaluations of a stage whose window has ``window`` of ``n`` jobs; the last stage never ends."""
    return STAGE * window if window < n else 1 << 60
