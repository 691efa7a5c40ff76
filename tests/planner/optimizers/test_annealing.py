"""Annealing: its parameters as the core takes them, and its search cut into portions."""

import numpy as np
import pytest

from planbatch import _core
from planbatch.baselines.plan_based import PlanBased
from planbatch.objectives import SQUARED_WAIT, over_scenarios
from planbatch.planner.budget import Budget
from planbatch.planner.optimizers.annealing import SETTING, Annealing
from planbatch.planner.optimizers.first_plan import KNOWN_PLANS
from tests.builders import busy_round


def test_the_core_gets_every_parameter_under_its_name():
    """All of them different; a policy in the core is equal to one with the same parameters alone."""
    mine = Annealing(0.04, 5e-4, 0.8, 11, 1.25, 0.1, 0.2, 0.3, 0.4, True, False, 60, True, ("shortest", "submit"))
    assert mine.setting == [getattr(mine, name) for name in SETTING]
    assert [KNOWN_PLANS[number] for number in mine.first_numbers] == ["shortest", "submit"]
    core = mine.policy(SQUARED_WAIT, Budget(evaluations=70), True)
    assert core == _core.PlanBased(SQUARED_WAIT.core, mine.setting, [8, 1], 70, True, 0, 0.0)
    judged = mine.policy(over_scenarios(SQUARED_WAIT, 5, 0.25), Budget(evaluations=70), False)
    assert judged == _core.PlanBased(SQUARED_WAIT.core, mine.setting, [8, 1], 70, False, 5, 0.25)
    assert core != judged
    assert mine.policy(SQUARED_WAIT, Budget(seconds=1.0), True) is None
    assert PlanBased("wait", mine, seconds=1.0).core_form() is None


@pytest.mark.parametrize("portions", [[60, 60, 60], [1, 7, 100, 0, 72], [99, 1, 80]])
def test_a_search_can_stop_and_go_on_at_any_evaluation(portions):
    """180 evaluations of 70 jobs: the front of 50 takes the first 100, the whole queue the others."""
    problem = busy_round(70, 20)

    def searched(counts: list[int]) -> tuple[list[int], float]:
        optimizer, rng = Annealing(), np.random.default_rng(3)
        search = SQUARED_WAIT.search(problem, setting=optimizer.setting)
        assert search.try_first_plans(optimizer.first_numbers)
        for count in counts:
            assert search.advance(count, rng)
        assert search.end_stage()
        return search.order.tolist(), search.cost

    order, cost = searched(portions)
    assert (order, cost) == searched([180])
    result = Annealing().optimize(problem, SQUARED_WAIT, Budget(evaluations=180), np.random.default_rng(3))
    assert (result.permutation.tolist(), result.cost) == (order, cost)
