"""Whole orders of long queues: the family of rules, and classes of jobs moved together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.experiments.bench.measure import random_round, with_second_resource
from planbatch.objectives import SQUARED_WAIT
from planbatch.objectives.catalogue import OBJECTIVES
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.kernels.decode import classify
from planbatch.planner.kernels.first_plans import FirstOrder, best_first_plan, first_keys
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.optimizers.annealing.orders import (
    MANY_JOBS,
    RULES,
    SHIFTS,
    Family,
    draw_shift,
    first_family,
    learn,
    rule_keys,
    shift_marked,
)
from planbatch.planner.optimizers.annealing.stages import (
    Stage,
    advance,
    empty_state,
    end_stage,
)


def shifted(order: list[int], marked: list[int], shift: int) -> list[int]:
    """What ``shift_marked`` writes."""
    candidate = np.full(len(order), -1)
    shift_marked(np.array(order), np.array(marked), shift, candidate)
    return candidate.tolist()


def plain_shift(order: list[int], marked: list[int], shift: int) -> list[int]:
    """Sort by the new places; where two jobs have the same, the marked one comes behind."""
    places = [(k + shift if mark else k, mark, k) for k, mark in enumerate(marked)]
    return [order[k] for _, _, k in sorted(places)]


def test_marked_jobs_move_together():
    """Jobs 10 and 11 move back by two places; where two jobs have the same place, the marked one comes behind.

    ::

    places   0   1   2   3   4
    before  [10] 20 [11] 30  40
    after    20 [10] 30  40 [11]
    """
    assert shifted([10, 20, 11, 30, 40], [1, 0, 1, 0, 0], 2) == [20, 10, 30, 40, 11]
    assert shifted([20, 10, 30, 40, 11], [0, 1, 0, 0, 1], -2) == [10, 20, 30, 11, 40]
    assert shifted([1, 2, 3], [1, 0, 0], 9) == [2, 3, 1]
    assert shifted([1, 2, 3], [1, 1, 1], -9) == [1, 2, 3]


@given(st.lists(st.booleans(), max_size=12), st.integers(-14, 14))
def test_shifts_are_those_of_sorted_places(marks, shift):
    """Marked jobs at their old place plus the shift, the others at theirs, sorted."""
    order = list(range(100, 100 + len(marks)))
    marked = [int(mark) for mark in marks]
    assert shifted(order, marked, shift) == plain_shift(order, marked, shift)


@settings(max_examples=30)
@given(st.integers(2, 60), st.integers(0, 10**6))
def test_drawn_shifts_are_permutations(n, seed):
    """Whatever is drawn, every job has one place."""
    problem, rng = random_round(n, 5, seed=seed % 7), np.random.default_rng(seed)
    order, candidate = rng.permutation(n), np.full(n, -1)
    draw_shift(classify(problem.arrays), order, np.empty(n, np.int64), candidate, rng)
    assert sorted(candidate.tolist()) == list(range(n))


@pytest.mark.parametrize("several", [False, True])
def test_the_family_begins_with_the_rule_for_squared_waits(several):
    """With coefficients (1, 1, 2, 0) the keys are the logarithms of those of ``area-per-square``."""
    problem = random_round(40, 10)
    problem = with_second_resource(problem, alike=False) if several else problem
    known = first_keys(problem.arrays, FirstOrder.AREA_PER_SQUARE)
    keys = rule_keys(problem.arrays, first_family()[: Family.STEP])
    assert keys == pytest.approx(np.log(known), rel=1e-12)


def test_steps_grow_by_successes_and_shrink_by_failures():
    """0.2 · 1.5 after a better cost, 0.3 · 0.93 after a worse one, whose coefficients are forgotten."""
    family = first_family()
    learn(family, np.array([1.5, 1.0, 2.0, 0.0]), 7.0)
    learn(family, np.array([9.0, 9.0, 9.0, 9.0]), 8.0)
    assert family.tolist() == pytest.approx([1.5, 1.0, 2.0, 0.0, 0.2 * 1.5 * 0.93, 7.0])


def searched(n: int, counts: list[int]) -> tuple[list[int], float, list[int]]:
    """Search a round of n jobs in portions; return the order, its cost and the stage."""
    problem, optimizer = random_round(n, 20), Annealing()
    state = empty_state(n, optimizer.front_jobs)
    shared = (problem.arrays, classify(problem.arrays), SQUARED_WAIT.cost)
    rng = np.random.default_rng(3)
    state.cost[0] = best_first_plan(*shared, optimizer.first_numbers, state.order, state.start)
    for count in counts:
        assert advance(*shared, state, optimizer.setting, rng, count)
    assert end_stage(*shared, state)
    assert decode(problem, state.order).start.tolist() == state.start.tolist()
    return state.order.tolist(), float(state.cost[0]), state.stage.tolist()


def test_whole_orders_come_behind_the_first_front_of_long_queues():
    """100 evaluations of the front, then 1,100 of orders; portions of any length come to the same."""
    order, cost, stage = searched(MANY_JOBS + 1, [160])
    assert stage[Stage.ORDERS] == RULES + SHIFTS - 60
    assert (order, cost, stage) == searched(MANY_JOBS + 1, [1, 98, 3, 50, 8])
    assert searched(MANY_JOBS + 1, [100])[2][Stage.ORDERS] == RULES + SHIFTS
    assert searched(MANY_JOBS, [160])[2][Stage.ORDERS] == 0


@pytest.mark.parametrize("name", ["stretch", "area-wait"])
def test_the_family_finds_rules_that_no_first_plan_has(name):
    """Within 100 evaluations of orders, a plan at least three per cent below the best first plan."""
    problem, objective = random_round(2000, 20), OBJECTIVES[name]
    result = Annealing().optimize(
        problem, objective, Budget(evaluations=200), np.random.default_rng(0)
    )
    assert result.cost < 0.97 * result.seed_cost
    assert objective.cost(result.plan.start, problem.jobs, problem.now) == result.cost


def test_a_budget_without_time_decodes_the_previous_plan_alone():
    """On long queues the clock is looked at after every first plan; the first, the previous plan, is always decoded."""
    problem = random_round(MANY_JOBS, 20)
    result = Annealing().optimize(
        problem, SQUARED_WAIT, Budget(seconds=0.0), np.random.default_rng(0)
    )
    known = np.argsort(problem.planned, kind="stable")
    assert result.evaluations == 0
    assert result.permutation.tolist() == known.tolist()
    assert result.cost == result.seed_cost
    enough = Annealing().optimize(
        problem, SQUARED_WAIT, Budget(evaluations=0), np.random.default_rng(0)
    )
    assert enough.cost < result.cost
