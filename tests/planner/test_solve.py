"""One call that searches and proves within its budget: every result carries its bound and its gap."""

from dataclasses import replace
from itertools import cycle, permutations

import numpy as np
import pytest

from planbatch.objectives import MAKESPAN, SQUARED_WAIT, WAIT
from planbatch.objectives.wait import powered_wait
from planbatch.planner import budget as module
from planbatch.planner.bounds import lower_bound
from planbatch.planner.budget import ROUND_EVALUATIONS, Budget
from planbatch.planner.decoder import decode
from planbatch.planner.model import NEVER
from planbatch.planner.objective import Objective, UnsupportedObjectiveError
from planbatch.planner.optimizer import Status
from planbatch.planner.optimizers import OPTIMIZERS
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.plan import check_plan
from planbatch.planner.round import Round
from planbatch.planner.solve import solve
from tests.builders import random_round

THREE = [WAIT, SQUARED_WAIT, MAKESPAN]


@pytest.mark.parametrize(("name", "objective"), list(zip(OPTIMIZERS, cycle(THREE), strict=False)))
def test_every_result_carries_its_bound_and_its_gap(name, objective):
    """Whatever the optimizer; the bound is no smaller than what can be proven without it."""
    problem = random_round(12, seed=3)
    result = solve(problem, objective, name, evaluations=30)
    assert 0 < result.lower_bound <= result.cost <= result.seed_cost
    assert 0 <= result.gap < 1
    assert result.lower_bound >= lower_bound(problem, objective, result.cost) * (1 - 1e-12)


def test_the_search_is_that_of_the_optimizer():
    problem = random_round(40, seed=1)
    alone = Annealing().optimize(problem, WAIT, Budget(evaluations=30), np.random.default_rng(5))
    result = solve(problem, WAIT, Annealing(), evaluations=30, seed=5)
    assert result.permutation.tolist() == alone.permutation.tolist()
    assert (result.cost, result.evaluations) == (alone.cost, alone.evaluations)
    assert np.isnan(alone.lower_bound)
    assert solve(problem, WAIT).evaluations == ROUND_EVALUATIONS


def test_a_bound_that_reaches_the_cost_is_a_proof():
    """Ten jobs of 5 s on one processor: the last one ends after 50 s, and no plan does better."""
    problem = Round.of(1, 0, [], [(0, 1, 5)] * 10)
    result = solve(problem, MAKESPAN, evaluations=30)
    assert (result.cost, result.lower_bound, result.gap) == (50.0, 50.0, 0.0)
    assert result.status is Status.OPTIMAL


def test_objectives_without_terms_have_no_bound():
    """NaN, not a guess; and what an optimizer cannot work on is refused."""
    result = solve(random_round(10), powered_wait(3), evaluations=30)
    assert np.isnan(result.lower_bound)
    assert np.isnan(result.gap)
    with pytest.raises(UnsupportedObjectiveError, match="optimizer cp-sat cannot work on"):
        solve(random_round(10), powered_wait(3), "cp-sat")
    with pytest.raises(ValueError, match="there is no 'tabo'; did you mean tabu"):
        solve(random_round(10), WAIT, "tabo")


def test_a_bound_of_its_own():
    """An objective that knows a bound is asked."""
    mine = Objective("mine", WAIT.cost, bound=lambda problem, upper, iterations: 7.0)
    assert solve(random_round(10), mine, evaluations=30).lower_bound == 7.0


@pytest.mark.parametrize(("jobs", "objective"), list(zip(range(1, 16), cycle(THREE), strict=False)))
def test_small_rounds_are_solved_to_the_optimum(jobs, objective):
    """Without an evaluation, and with the least capable optimizer; up to seven jobs, all orders are tried."""
    for seed in range(3):
        problem = random_round(jobs, seed=seed)
        result = solve(problem, objective, "greedy", evaluations=0)
        assert result.status is Status.OPTIMAL
        assert (result.gap, result.lower_bound) == (0.0, result.cost)
        assert check_plan(problem, result.plan, complete=True) == []
        if jobs <= 7:
            orders = map(np.array, permutations(range(jobs)))
            plans = (decode(problem, order).start for order in orders)
            least = min(objective.cost(start, problem.jobs, problem.now) for start in plans)
            assert result.cost == pytest.approx(least)


@pytest.mark.parametrize("objective", [WAIT, SQUARED_WAIT])
def test_an_optimal_plan_that_the_proof_finds_is_the_result(objective):
    """Of 18 jobs, where the least capable optimizer has another."""
    for seed in range(4):
        problem = random_round(18, seed=seed)
        result = solve(problem, objective, "greedy", evaluations=0)
        assert (result.status, result.lower_bound) == (Status.OPTIMAL, result.cost)
        assert result.cost < result.seed_cost
        assert result.cost == objective.cost(result.plan.start, problem.jobs, problem.now)
        assert decode(problem, result.permutation).start.tolist() == result.plan.start.tolist()
        assert check_plan(problem, result.plan, complete=True) == []


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_promises_bind_first_plans_and_proofs(name):
    """
    Jobs of 10 and 1 s on one processor; the long one is promised the start 0, the short one would cost less in front.

        |aaaaaaaaaa|b|
        0          10
    """
    problem = Round.of(1, 0, [], [(0, 1, 10), (0, 1, 1)])
    problem = replace(problem, jobs=problem.jobs._replace(latest=np.array([0, NEVER])))
    for first in (None, [1, 0], [0, 1]):
        result = solve(problem, WAIT, name, evaluations=5, first=first)
        assert (result.plan.start.tolist(), result.cost, result.status) == ([0, 10], 5.0, Status.OPTIMAL)


# Budgets and clocks.


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"seconds": -1.0},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"evaluations": -1},
        {"evaluations": 1.5},
        {"seconds": 1.0, "evaluations": -3},
    ],
)
def test_wrong_budgets_are_refused(wrong):
    with pytest.raises(ValueError, match=r"^(budget|seconds|evaluations): "):
        Budget(**wrong)


def test_zero_is_a_budget():
    """It asks for the best seed."""
    assert Budget(evaluations=0).start().portion(1e-5) == 0
    assert Budget(seconds=0.0).start().portion(1e-5) == 0


@pytest.fixture
def time(monkeypatch):
    """Give a clock that is set by hand."""
    hands = [100.0]
    monkeypatch.setattr(module, "perf_counter", lambda: hands[0])
    return hands


def test_a_clock_counts_from_its_start(time):
    """Not from the first look at it."""
    clock = Budget(seconds=10.0).start()
    time[0] = 104.0
    assert clock.elapsed == 4.0
    assert clock.remaining == 6.0


def test_a_budget_can_be_used_twice(time):
    """Its clock runs in the call, not in the budget."""
    limit = Budget(seconds=10.0)
    limit.start()
    time[0] = 150.0
    assert limit.start().remaining == 10.0


def test_portions_halve_the_time_that_is_left(time):
    """So that the clock is looked at often enough, and not too often."""
    clock = Budget(seconds=10.0).start()
    assert clock.portion(0.001) == 5000
    time[0] = 109.0
    assert clock.portion(0.001) == 500
    assert clock.portion(0.001, most=16) == 16
    assert clock.portion(0.9) == 1
    time[0] = 109.9995
    assert clock.portion(0.001) == 0
    time[0] = 200.0
    assert clock.portion(0.0) == 0


def test_portions_of_evaluations_add_up(time):
    """The last portion is what is left."""
    clock = Budget(evaluations=100).start()
    assert clock.remaining == float("inf")
    done = []
    while portion := clock.portion(1e-5, most=30):
        done.append(portion)
        clock.evaluations += portion
    assert done == [30, 30, 30, 10]
