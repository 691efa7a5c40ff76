"""The decoder: permutation → plan."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.objectives import WAIT
from planbatch.planner.decoder import decode
from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan, check_plan
from planbatch.planner.profile import Profile
from planbatch.planner.round import Round
from tests import oracles
from tests.builders import random_round, small_rounds


def scene_of(problem):
    """Give the round to the reference."""
    running = list(zip(problem.running.procs.tolist(), problem.running.end.tolist(), strict=True))
    columns = (problem.jobs.submit, problem.jobs.procs, problem.jobs.walltime)
    waiting = [
        oracles.Waiting(i, *values)
        for i, values in enumerate(zip(*(column.tolist() for column in columns), strict=True))
    ]
    return oracles.Scene(problem.now, problem.capacity, running, waiting, {}, False)


def test_jobs_take_their_earliest_starts_in_turn():
    """Jobs A (3 processors, 2 s), B (1, 3 s), C (2, 1 s), on three processors.

    ::

        order A, B, C   3 |A A B B B        orders C, B, A   3 |C . . A A
                        2 |A A C . .        and B, A, C      2 |C . . A A
                        1 |A A C . .                         1 |B B B A A
                          +---------                           +---------
                           0 1 2 3 4                            0 1 2 3 4
    """
    problem = Round.of(3, 0, [], [(0, 3, 2), (0, 1, 3), (0, 2, 1)])
    assert decode(problem, [2, 1, 0]).start.tolist() == [3, 0, 0]
    assert decode(problem, [0, 1, 2]).start.tolist() == [0, 2, 2]
    assert decode(problem, [1, 0, 2]).start.tolist() == [3, 0, 0]


def test_running_jobs_hold_their_processors_until_their_expected_ends():
    """A hole before the second job is used by the third."""
    problem = Round.of(4, 10, [(2, 15), (1, 12)], [(0, 2, 5), (0, 4, 5), (0, 1, 2)])
    assert decode(problem, [0, 1, 2]).start.tolist() == [12, 17, 10]


@given(problem=small_rounds(), data=st.data())
def test_decoding_equals_the_second_by_second_reference(problem, data):
    """Any order of any small round; decoding a plan's jobs in the order of their starts gives the plan again."""
    order = data.draw(st.permutations(range(len(problem))))
    expected = oracles.decode_oracle(scene_of(problem), order)
    plan = decode(problem, order)
    assert plan.start.tolist() == [expected[i] for i in range(len(problem))]
    assert check_plan(problem, plan, complete=True) == []
    assert decode(problem, plan.order()).start.tolist() == plan.start.tolist()


@given(problem=small_rounds(), data=st.data())
def test_decoding_any_feasible_plan_in_start_order_delays_no_job(problem, data):
    """So yesterday's plan is always a valid first plan for today, and promises stay kept."""
    used = oracles.occupied_seconds(scene_of(problem))
    start = []
    for i in range(len(problem)):
        procs, walltime = int(problem.jobs.procs[i]), int(problem.jobs.walltime[i])
        after = problem.now + data.draw(st.integers(0, 25))
        start.append(oracles.earliest(used, after, problem.capacity, procs, walltime))
        oracles.occupy(used, start[-1], start[-1] + walltime, procs)
    feasible = Plan(np.array(start, dtype=np.int64))
    assert check_plan(problem, feasible, complete=True) == []
    assert (decode(problem, feasible.order()).start <= feasible.start).all()


def decoded_with_a_profile(problem, order):
    """Reserve job by job, without anything remembered of the jobs before."""
    profile, start = Profile(problem), np.empty(len(problem), dtype=np.int64)
    for i in order:
        size, walltime = int(problem.jobs.procs[i]), int(problem.jobs.walltime[i])
        start[i] = profile.earliest(size, walltime)
        profile.reserve(size, int(start[i]), walltime)
    return start


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [1, 13, 100, 400])
def test_bounds_remembered_for_classes_of_jobs_change_no_plan(n, seed):
    """Many sizes and few, any order: each job is where a search through the whole profile puts it.

    Searches look at fronts of their orders again and again; the second decoding is that of a search.
    """
    problem = random_round(n, seed, capacity=(16, 64, 300, 512)[seed])
    rng = np.random.default_rng(seed)
    search = WAIT.search(problem, relaxes=False)
    for order in (np.arange(n), np.argsort(problem.jobs.walltime), rng.permutation(n)):
        plan = decode(problem, order)
        assert plan.start.tolist() == decoded_with_a_profile(problem, order).tolist()
        search.evaluate(order)
        assert search.trial.tolist() == plan.start.tolist()


def test_jobs_below_and_above_all_classes():
    """A sample of the sizes may miss the smallest and the largest job."""
    procs = np.full(400, 10)
    procs[[1, 3]] = [5, 20]
    problem = Round.of(20, 0, [], [(0, int(p), 1) for p in procs])
    order = np.random.default_rng(0).permutation(400)
    assert (decode(problem, order).start == decoded_with_a_profile(problem, order)).all()


def test_a_promise_is_kept_by_its_very_second():
    """At the promised start is in time, one second later is not; without a promise, any time is."""
    problem = Round.of(1, 0, [], [(0, 1, 5), (0, 1, 10**9)])
    for latest, feasible in (([NEVER, NEVER], True), ([10**9, 0], True), ([10**9 - 1, 0], False)):
        jobs = problem.jobs._replace(latest=np.array(latest))
        search = WAIT.search(replace(problem, jobs=jobs), relaxes=False)
        assert np.isfinite(search.evaluate(np.array([1, 0]))) == feasible


NO_PERMUTATIONS = [
    *[[0, 0], [0], [0, 2], [0, 1, 2], [-1, 0]],
    *map(np.array, [[0, 0], [0], [0, 2], [[0, 1]], [[0], [1]], [False, True], [0.0, 1.0]]),
]


@pytest.mark.parametrize("order", NO_PERMUTATIONS)
def test_what_is_no_permutation_is_refused(order):
    problem = Round.of(2, 0, [], [(0, 1, 1), (0, 1, 1)])
    with pytest.raises(ValueError, match="order: not a permutation of the 2 waiting jobs"):
        decode(problem, order)


def test_no_jobs_give_an_empty_plan():
    assert decode(Round.of(2), []).start.tolist() == []
