"""The decoder: permutation → plan."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.planner.decoder import decode
from planbatch.planner.kernels.decode import (
    CLASSES,
    MANY_JOBS,
    class_limits,
    classify,
    decode_bounded,
    decode_into,
    decode_linear,
    decode_once,
    keeps_promises,
)
from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan, check_plan
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
    """Any order of any small round."""
    order = data.draw(st.permutations(range(len(problem))))
    plan = oracles.decode_oracle(scene_of(problem), order)
    assert decode(problem, order).start.tolist() == [plan[i] for i in range(len(problem))]


@given(problem=small_rounds(), data=st.data())
def test_decoded_plans_are_valid_and_stable_in_start_order(problem, data):
    """Decoding a plan's jobs in the order of their starts gives the plan again."""
    plan = decode(problem, data.draw(st.permutations(range(len(problem)))))
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


@pytest.mark.parametrize("n", [1, 2, 13, 99, 100, 101, 250, 400])
@pytest.mark.parametrize("seed", range(4))
def test_remembered_bounds_change_no_plan(n, seed):
    """The fast way gives the plan of the simple way, for any order."""
    problem = random_round(n, seed, capacity=(16, 64, 300, 512)[seed])
    arrays = problem.arrays
    rng = np.random.default_rng(seed)
    classes = classify(arrays)
    for order in (
        np.arange(n),
        np.argsort(problem.jobs.walltime),
        rng.permutation(n),
        rng.permutation(n),
    ):
        plans = [np.empty(n, dtype=np.int64) for _ in range(4)]
        decode_linear(arrays, order, plans[0])
        decode_bounded(arrays, classes, order, plans[1])
        decode_into(arrays, classes, order, plans[2])
        decode_once(arrays, order, plans[3])
        for plan in plans[1:]:
            assert plan.tolist() == plans[0].tolist()
        assert check_plan(problem, Plan(plans[0]), complete=True) == []


@settings(max_examples=60)
@given(problem=small_rounds(most_jobs=30), data=st.data())
def test_remembered_bounds_change_no_plan_of_small_rounds(problem, data):
    """The same where sizes and lengths coincide with the limits of classes."""
    order = np.array(data.draw(st.permutations(range(len(problem)))), dtype=np.int64)
    if not len(order):
        return
    simple, fast = np.empty_like(order), np.empty_like(order)
    decode_linear(problem.arrays, order, simple)
    decode_bounded(problem.arrays, classify(problem.arrays), order, fast)
    assert fast.tolist() == simple.tolist()


@given(st.lists(st.integers(1, 40), min_size=1, max_size=120))
def test_limits_of_classes_ascend_and_are_values(values):
    """At most a dozen, each once, all of them sizes that occur."""
    limits = class_limits(np.array(values)).tolist()
    assert limits == sorted(set(limits))
    assert set(limits) <= set(values)
    assert 1 <= len(limits) <= CLASSES


def test_classes_of_few_sizes_are_the_sizes():
    """A job lies within the largest class that it reaches, and above the smallest that reaches it."""
    problem = Round.of(9, 0, [], [(0, 1, 5), (0, 9, 5), (0, 4, 7)])
    classes = classify(problem.arrays)
    assert classes.size_within.tolist() == [0, 2, 1]
    assert classes.size_above.tolist() == [0, 2, 1]
    assert classes.length_within.tolist() == [0, 0, 1]
    assert classes.length_above.tolist() == [0, 0, 1]


def test_jobs_below_and_above_all_classes():
    """A sample may miss the smallest and the largest job: these have no class on that side."""
    n = 400
    procs = np.full(n, 10)
    procs[[1, 3]] = [5, 20]
    problem = Round.of(20, 0, [], [(0, int(p), 1) for p in procs])
    classes = classify(problem.arrays)
    assert class_limits(procs).tolist() == [10]
    assert classes.size_within[[0, 1, 3]].tolist() == [0, -1, 0]
    assert classes.size_above[[0, 1, 3]].tolist() == [0, 0, 1]
    order = np.random.default_rng(0).permutation(n)
    simple, fast = np.empty(n, np.int64), np.empty(n, np.int64)
    decode_linear(problem.arrays, order, simple)
    decode_bounded(problem.arrays, classes, order, fast)
    assert fast.tolist() == simple.tolist()


def test_promises():
    """At the promised start is in time, one second later is not; NEVER promises nothing."""
    latest = np.array([5, NEVER])
    assert keeps_promises(np.array([5, 10**9]), latest)
    assert not keeps_promises(np.array([6, 0]), latest)


@pytest.mark.parametrize("order", [[0, 0], [0], [0, 2], [0, 1, 2], [-1, 0]])
def test_what_is_no_permutation_is_refused(order):
    """Each waiting job once."""
    problem = Round.of(2, 0, [], [(0, 1, 1), (0, 1, 1)])
    with pytest.raises(ValueError, match="order: not a permutation of the 2 waiting jobs"):
        decode(problem, order)


def test_no_jobs_give_an_empty_plan():
    """Which is a plan."""
    assert decode(Round.of(2), []).start.tolist() == []


def test_the_threshold_is_where_the_tests_think_it_is():
    """The sizes tested above lie on both sides of it."""
    assert 2 < MANY_JOBS < 400
