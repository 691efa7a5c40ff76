"""Queues of 1,000 and 10,000 jobs: a short search still improves on the best seed, far from the front as well."""

import numpy as np
import pytest

from planbatch.objectives import SQUARED_WAIT, WAIT
from planbatch.planner.budget import Budget
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.plan import check_plan
from tests.builders import busy_round


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
