"""Annealing: its parameters as kernels take them, and its search cut into portions."""

import numpy as np
import pytest

from planbatch.experiments.bench.measure import random_round
from planbatch.objectives import SQUARED_WAIT
from planbatch.planner.budget import Budget
from planbatch.planner.kernels.decode import classify
from planbatch.planner.kernels.first_plans import FIRST_PLANS, best_first_plan
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.optimizers.annealing.kernels import Setting
from planbatch.planner.optimizers.annealing.optimizer import unpacked
from planbatch.planner.optimizers.annealing.stages import advance, empty_state, end_stage
from planbatch.planner.scenarios import Scenarios


def test_kernels_get_every_parameter_under_its_name():
    """Packed into numbers for compiled policies and unpacked again, all different."""
    mine = Annealing(
        0.04, 5e-4, 0.8, 11, 1.25, 0.1, 0.2, 0.3, 0.4, True, False, 60, ("shortest", "submit")
    )
    search = mine.compiled(SQUARED_WAIT, Budget(evaluations=70), True)
    if search is None:
        pytest.skip("kernels are not compiled")
    decision = unpacked(np.array(search.params))
    assert (decision.evaluations, decision.promised) == (70, True)
    assert (decision.scenarios, decision.risk) == (0, 0.0)
    judged = unpacked(np.array(mine.packed(70, scenarios=Scenarios(5, 0.25))))
    assert (judged.scenarios, judged.risk, judged.promised) == (5, 0.25, False)
    assert decision.setting._asdict() == {name: getattr(mine, name) for name in Setting._fields}
    assert [FIRST_PLANS[number] for number in decision.first_plans] == ["shortest", "submit"]


@pytest.mark.parametrize("portions", [[60, 60, 60], [1, 7, 100, 0, 72], [99, 1, 80]])
def test_a_search_can_stop_and_go_on_at_any_evaluation(portions):
    """180 evaluations of 70 jobs: the front of 50 takes the first 100, the whole queue the others."""
    problem = random_round(70, 20)

    def searched(counts: list[int]) -> tuple[list[int], float]:
        optimizer, arrays = Annealing(), problem.arrays
        state, shared = empty_state(70, 50), (arrays, classify(arrays), SQUARED_WAIT.cost)
        rng = np.random.default_rng(3)
        state.cost[0] = best_first_plan(*shared, optimizer.first_numbers, state.order, state.start)
        for count in counts:
            assert advance(*shared, state, optimizer.setting, rng, count)
        assert end_stage(*shared, state)
        return state.order.tolist(), float(state.cost[0])

    order, cost = searched(portions)
    assert (order, cost) == searched([180])
    result = Annealing().optimize(
        problem, SQUARED_WAIT, Budget(evaluations=180), np.random.default_rng(3)
    )
    assert (result.permutation.tolist(), result.cost) == (order, cost)
