"""Maps in parallel, and portfolios that use them."""

import numpy as np

from planbatch.experiments.tasks.parallel import parallel_map
from planbatch.objectives import SQUARED_WAIT
from planbatch.planner.budget import Budget
from planbatch.planner.optimizers.annealing.optimizer import Annealing
from planbatch.planner.optimizers.lns import LargeNeighbourhood
from planbatch.planner.optimizers.portfolio import Portfolio
from tests.builders import random_round


def test_results_come_in_the_order_of_the_items():
    """As those of map do."""
    assert parallel_map(lambda x: x * x, range(20), jobs=2) == [x * x for x in range(20)]


def test_a_parallel_portfolio_finds_what_a_sequential_one_finds():
    """With a budget in evaluations, the members do the same in threads."""
    members = (Annealing(), LargeNeighbourhood())
    problem = random_round(40, seed=2)
    results = [
        Portfolio(members, spread=spread).optimize(
            problem, SQUARED_WAIT, Budget(evaluations=300), np.random.default_rng(1)
        )
        for spread in (map, parallel_map)
    ]
    assert results[0].cost == results[1].cost
    assert results[0].plan.start.tolist() == results[1].plan.start.tolist()
    assert results[0].evaluations == results[1].evaluations == 300
