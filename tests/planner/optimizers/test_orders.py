"""Whole orders of long queues: what a search tries behind the first front, and what it gains."""

import numpy as np
import pytest

from planbatch.objectives import SQUARED_WAIT
from planbatch.objectives.catalogue import OBJECTIVES
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.optimizers.annealing import Annealing
from tests.builders import busy_round

#: In rounds of more jobs whole orders are tried, behind a front of 50 jobs that takes 100 evaluations.
MANY_JOBS = 1000


def searched(n, counts):
    """Search a round of n jobs in portions; return the order and its cost."""
    problem, optimizer, rng = busy_round(n, 20), Annealing(), np.random.default_rng(3)
    search = SQUARED_WAIT.search(problem, setting=optimizer.setting)
    assert search.try_first_plans(optimizer.first_numbers)
    for count in counts:
        assert search.advance(count, rng)
    assert search.end_stage()
    assert decode(problem, search.order).start.tolist() == search.start.tolist()
    return search.order.tolist(), search.cost


def test_a_search_of_a_long_queue_can_stop_and_go_on_anywhere():
    """In the first front or among the whole orders behind it: the plan is the same to the second."""
    assert searched(MANY_JOBS + 1, [160]) == searched(MANY_JOBS + 1, [1, 98, 3, 50, 8])


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
    known = np.argsort(problem.planned, kind="stable")
    assert result.evaluations == 0
    assert result.permutation.tolist() == known.tolist()
    assert result.cost == result.seed_cost
    enough = Annealing().optimize(problem, SQUARED_WAIT, Budget(evaluations=0), np.random.default_rng(0))
    assert enough.cost < result.cost
