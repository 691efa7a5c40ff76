"""Candidates of a round: the distinct sets of jobs that could start now."""

from typing import Any, NamedTuple

import numpy as np
from planbatch.baselines.easy import easy
from planbatch.baselines.timeline import new_timeline
from planbatch.planner.kernels.decode import decode_once
from planbatch.planner.kernels.first_plans import FirstOrder, first_keys
from planbatch.planner.kernels.job_tables import chosen_jobs, round_of, with_walltime
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.kernels.profile import demands_of
from planbatch.planner.kernels.signatures import Report
from planbatch.planner.kernels.sorting import fill_column, stable_order
from planbatch.planner.optimizers.annealing.optimizer import decide_annealing

from planbatch.planner.expectation import expected_run
from planbatch.planner.model import NEVER, BoolArray, FloatArray, IntArray
from planbatch.planner.round import RoundArrays

#: The orders by which jobs could start besides the base order.
ORDERS = np.array(
    [
        FirstOrder.AREA_PER_SQUARE, FirstOrder.AREA_PER_RESPONSE, FirstOrder.SMALLEST_AREA,
        FirstOrder.AREA_PER_AGE, FirstOrder.SHORTEST,
    ]
)  # fmt: skip
REPORTED = len(Report)
#: Proposals besides the base's and those of searches: jobs held back, and one by each order, the base's first.
PROPOSALS = 2 + len(ORDERS)
#: At most so many jobs that the base would start are held back, one in each candidate.
HELD_BACK = 8


class Candidates(NamedTuple):
    """Sets of jobs to start now, each once; the first is the base's.

    Attributes
    ----------
    sets : bool array, shape (room, n)
    number : int64 array, shape (1,)
        How many there are.
    """

    sets: BoolArray
    number: IntArray


@borrowing_kernel
def propose(known: Candidates, arrays: RoundArrays, start: IntArray) -> None:
    """Take the jobs that a plan starts now as a candidate, unless they are one or, on an idle machine, none."""
    count = known.number[0]
    any_started = False
    for i in range(len(start)):
        known.sets[count, i] = start[i] == arrays.now
        any_started = any_started or start[i] == arrays.now
    if count > 0 and not any_started and len(arrays.running.end) == 0:
        return
    for c in range(count):
        same = True
        for i in range(len(start)):
            if known.sets[c, i] != known.sets[count, i]:
                same = False
                break
        if same:
            return
    known.number[0] = count + 1


@kernel
def propose_easy(known: Candidates, arrays: RoundArrays, keys: FloatArray) -> None:
    """Propose what EASY would start."""
    start = np.full(len(keys), NEVER)
    easy(arrays, demands_of(arrays), keys, new_timeline(arrays), start)
    propose(known, arrays, start)


@kernel
def propose_plan(known: Candidates, arrays: RoundArrays, keys: FloatArray) -> None:
    """Propose what the plan starts in which every job has a reservation."""
    start = np.empty(len(keys), np.int64)
    decode_once(arrays, stable_order(keys), start)
    propose(known, arrays, start)


@kernel
def propose_held_back(known: Candidates, arrays: RoundArrays, keys: FloatArray) -> None:
    """Propose what EASY would start if one of the jobs that it starts had not come: for each of the first few."""
    n = len(keys)
    start = np.empty(n, np.int64)
    left = HELD_BACK
    for held in stable_order(keys):
        if left == 0 or n == 1:
            return
        if not known.sets[0, held]:
            continue
        left -= 1
        others = np.empty(n - 1, np.int64)
        for i in range(n - 1):
            others[i] = i + (i >= held)
        few = round_of(
            arrays, chosen_jobs(arrays.jobs, others), arrays.planned[others], arrays.notes[others],
            arrays.occupied[others],
        )  # fmt: skip
        part = np.full(n - 1, NEVER)
        easy(few, demands_of(few), keys[others], new_timeline(few), part)
        fill_column(start, NEVER)
        for i in range(n - 1):
            start[others[i]] = part[i]
        propose(known, arrays, start)


@kernel
def with_expected_run_times(arrays: RoundArrays) -> RoundArrays:
    """Return the round in which jobs take as long as they are expected to."""
    jobs = arrays.jobs
    walltime = np.empty(len(jobs.submit), np.int64)
    for i in range(len(walltime)):
        walltime[i] = min(max(int(expected_run(jobs, i)), 1), jobs.walltime[i])
    return round_of(
        arrays, with_walltime(jobs, walltime), arrays.planned, arrays.notes, arrays.occupied
    )


@kernel
def propose_searched(
    known: Candidates, arrays: RoundArrays, order: Any, cost: Any, search: FloatArray, rng: Any
) -> None:
    """Propose what the best plan starts that annealing finds; ``search`` are its parameters."""
    start = np.empty(len(arrays.planned), np.int64)
    decide_annealing(arrays, order, cost, search, rng, start, np.zeros(REPORTED))
    propose(known, arrays, start)


@kernel
def first_candidate(arrays: RoundArrays, keys: FloatArray) -> Candidates:
    """Return the base's candidate, with room for the others."""
    room = 3 * (len(ORDERS) + 1) + HELD_BACK + 2
    known = Candidates(np.zeros((room, len(keys)), np.bool_), np.zeros(1, np.int64))
    propose_easy(known, arrays, keys)
    return known


@kernel
def propose_numbered(
    known: Candidates, arrays: RoundArrays, expected: RoundArrays, keys: FloatArray, number: int
) -> None:
    """Make one of the :data:`PROPOSALS`: with a job held back, or by an order.

    Orders reckon with expected run times. Plans reserve once by walltimes and once by expected run times; those do not
    know what a window takes from a job that outlives its expectation, so they are left out if there are any.

    Parameters
    ----------
    known : Candidates
        What is proposed already; the base's first.
    arrays, expected : RoundArrays
        The round, and the round :func:`with_expected_run_times`.
    keys : float64 array, shape (n,)
        The keys by the base order.
    number : int
        Which proposal.
    """
    if number == 0:
        propose_held_back(known, arrays, keys)
        return
    by = keys if number == 1 else first_keys(expected, ORDERS[number - 2])
    if number > 1:
        propose_easy(known, arrays, by)
    propose_plan(known, arrays, by)
    if len(arrays.windows.start) == 0:
        propose_plan(known, expected, by)


@kernel
def candidates_of(
    arrays: RoundArrays, order: Any, cost: Any, keys: FloatArray, search: FloatArray, rng: Any
) -> Candidates:
    """Return what could start now: by EASY, by plans of several orders, and by the best plan found.

    If EASY starts all jobs, that is the only candidate.

    Parameters
    ----------
    arrays : RoundArrays
        The round.
    order, cost : callable
        The base order and the objective.
    keys : float64 array, shape (n,)
        The keys by the base order.
    search : float64 array
        The parameters of the annealing, its evaluations first; with none, no plan is searched for.
    rng : Generator
        What the search draws from.
    """
    known = first_candidate(arrays, keys)
    if known.sets[0].all():
        return known
    expected = with_expected_run_times(arrays)
    for number in range(PROPOSALS):
        propose_numbered(known, arrays, expected, keys, number)
    if search[0] > 0:
        propose_searched(known, arrays, order, cost, search, rng)
        if len(arrays.windows.start) == 0:
            propose_searched(known, expected, order, cost, search, rng)
    return known
