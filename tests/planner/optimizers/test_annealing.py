"""Annealing: its parameters as the core takes them, searches cut into portions, and queues of a thousand jobs."""

import numpy as np
import pytest

from planbatch import _core
from planbatch.baselines.plan_based import PlanBased
from planbatch.objectives import MAKESPAN, SQUARED_WAIT, WAIT, over_scenarios
from planbatch.objectives.catalogue import OBJECTIVES
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Result
from planbatch.planner.optimizers import make_optimizer
from planbatch.planner.optimizers.annealing import SETTING, Annealing
from planbatch.planner.optimizers.first_plan import KNOWN_PLANS
from planbatch.planner.plan import check_plan
from planbatch.planner.round import Round
from tests.builders import busy_round

#: In rounds of more jobs whole orders are tried, behind a front of 50 jobs that takes 100 evaluations.
MANY_JOBS = 1000


def test_the_core_gets_every_parameter_under_its_name():
    """All of them different; a policy in the core is equal to one with the same parameters alone."""
    moves = 0.1, 0.2, 0.3, 0.4, 0.6, 0.7
    mine = Annealing(0.04, 5e-4, 0.8, 11, 1.25, *moves, True, False, 60, True, ("shortest", "submit"))
    assert mine.setting == [getattr(mine, name) for name in SETTING]
    assert [KNOWN_PLANS[number] for number in mine.first_numbers] == ["shortest", "submit"]
    core = mine.policy(SQUARED_WAIT, Budget(evaluations=70), True)
    assert core == _core.PlanBased(SQUARED_WAIT.core, mine.setting, [8, 1], 70, True, 0, 0.0)
    judged = mine.policy(over_scenarios(SQUARED_WAIT, 5, 0.25), Budget(evaluations=70), False)
    assert judged == _core.PlanBased(SQUARED_WAIT.core, mine.setting, [8, 1], 70, False, 5, 0.25)
    assert core != judged
    assert mine.policy(SQUARED_WAIT, Budget(seconds=1.0), True) is None
    assert PlanBased("wait", mine, seconds=1.0).core_form() is None


@pytest.mark.parametrize(
    ("name", "jobs", "objective", "portions"),
    [
        # The front of 50 jobs takes the first 100 evaluations, the whole queue the others.
        ("annealing", 70, SQUARED_WAIT, [60, 60, 60]),
        ("annealing", 70, SQUARED_WAIT, [1, 7, 100, 0, 72]),
        ("annealing", 70, SQUARED_WAIT, [99, 1, 80]),
        ("annealing", MANY_JOBS + 1, SQUARED_WAIT, [1, 98, 3, 50, 8]),
        # In the middle of a cycle, of a beam, or between them.
        ("hybrid", 40, SQUARED_WAIT, [1] * 700),
        ("hybrid", 40, MAKESPAN, [110, 3, 500, 87]),
        ("hybrid", 40, SQUARED_WAIT, [650, 50]),
        ("hybrid", 40, MAKESPAN, [1] * 700),
    ],
)
def test_a_search_can_stop_and_go_on_anywhere(name, jobs, objective, portions):
    """The plan is the same to the second, and that of the optimizer."""
    problem, optimizer = busy_round(jobs, 20), make_optimizer(name)

    def searched(counts: list[int]) -> tuple[list[int], list[int], float]:
        search = objective.search(problem, setting=optimizer.setting)
        assert search.try_first_plans(optimizer.first_numbers)
        rng = np.random.default_rng(3)
        for count in counts:
            assert search.advance(count, rng)
        assert search.end_stage()
        return search.order.tolist(), search.start.tolist(), search.cost

    order, start, cost = searched(portions)
    assert (order, start, cost) == searched([sum(portions)])
    assert decode(problem, order).start.tolist() == start
    if name == "annealing":
        budget = Budget(evaluations=sum(portions))
        result = optimizer.optimize(problem, objective, budget, np.random.default_rng(3))
        assert (result.permutation.tolist(), result.cost) == (order, cost)


@pytest.mark.parametrize(
    ("waiting", "evaluations"), [(1000, 2000), pytest.param(10000, 8000, marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize("objective", [WAIT, SQUARED_WAIT], ids=lambda o: o.name)
def test_long_queues_are_improved(waiting, evaluations, objective):
    """With about as many evaluations as fit into a second, or fewer, on rounds of a busy machine."""
    for seed in range(3):
        problem = busy_round(waiting, 40, seed=seed)
        result = Annealing().optimize(problem, objective, Budget(evaluations=evaluations), np.random.default_rng(seed))
        assert result.cost < result.seed_cost
        assert check_plan(problem, result.plan, complete=True) == []


@pytest.mark.parametrize("name", ["stretch", "area-wait"])
def test_the_family_finds_rules_that_no_first_plan_has(name):
    """Within 100 evaluations of orders, a plan at least three per cent below the best first plan."""
    problem, objective = busy_round(2000, 20), OBJECTIVES[name]
    result = Annealing().optimize(problem, objective, Budget(evaluations=200), np.random.default_rng(0))
    assert result.cost < 0.97 * result.seed_cost
    assert objective.cost(result.plan.start, problem.jobs, problem.now) == result.cost


def test_a_budget_without_time_decodes_the_previous_plan_alone():
    """On long queues the clock is looked at after every first plan; the first, the previous plan, is always decoded."""
    problem = busy_round(MANY_JOBS + 1, 20)
    result = Annealing().optimize(problem, SQUARED_WAIT, Budget(seconds=0.0), np.random.default_rng(0))
    by_start = np.argsort(problem.planned, kind="stable")
    assert result.evaluations == 0
    assert result.permutation.tolist() == by_start.tolist()
    assert result.cost == result.seed_cost
    enough = Annealing().optimize(problem, SQUARED_WAIT, Budget(evaluations=0), np.random.default_rng(0))
    assert enough.cost < result.cost


def one_move(move: str, jobs: list[tuple[int, int]], wanted: list[int], draws: int = 200) -> list[Result]:
    """Try single moves from the order of the queue, on four processors; only a plan with these starts is any better."""
    problem = Round.of(4, 0, waiting=[(0, procs, walltime) for procs, walltime in jobs])
    goal = Objective("wanted", lambda start, jobs, now: float((start != wanted).any()))
    search = Annealing(**{"swap": 0.5, "eject": 0.0, "block": 0.0, move: 1.0}, first_plans=("submit",))
    found = (search.optimize(problem, goal, Budget(evaluations=1), np.random.default_rng(i)) for i in range(draws))
    return [result for result in found if result.cost == 0.0]


def test_a_job_that_is_pulled_forward_ejects_what_runs():
    """D, of all four processors, cannot start when C did before A is gone; a mere insertion leaves it to wait for A.

        A A A A A A A A A A D          . D A A A A A A A A A A
        B C . . . . . . . . D    →     B D C . . . . . . . . .
        0 1 2              10          0 1 2                   × 10 s

    A and C follow D, in their order.
    """
    jobs, wanted = [(1, 100), (3, 10), (3, 10), (4, 10)], [20, 0, 20, 10]
    assert {tuple(result.permutation) for result in one_move("eject", jobs, wanted)} == {(1, 3, 0, 2)}
    assert not one_move("swap", jobs, wanted)


def test_neighbouring_jobs_move_together():
    """C and D before A and B, of which each takes the machine for ten seconds: one block, but two single moves."""
    jobs, wanted = [(4, 10)] * 4, [20, 30, 0, 10]
    assert {tuple(result.permutation) for result in one_move("block", jobs, wanted)} == {(2, 3, 0, 1)}
    assert not one_move("swap", jobs, wanted)
