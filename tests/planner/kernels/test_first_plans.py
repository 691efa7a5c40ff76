"""First plans: the order of deadline-based backfilling among them, where there are deadlines."""

import numpy as np
import pytest

from planbatch.objectives import REGULAR_WAIT, SQUARED_WAIT, TARDINESS
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.kernels.first_plans import FIRST_PLANS, LONG_QUEUE, FirstOrder
from planbatch.planner.model import NEVER
from planbatch.planner.optimizers import OPTIMIZERS, make_optimizer
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.optimizers.greedy import Greedy
from planbatch.planner.orders import regular_first
from planbatch.planner.round import Round
from tests.builders import random_round

NO_SEARCH = Budget(evaluations=0)


def with_deadlines(problem: Round, seed: int) -> Round:
    """Give a third of a round's jobs deadlines."""
    rng = np.random.default_rng(seed)
    n = len(problem)
    due = problem.now + problem.jobs.walltime + rng.integers(0, 40_000, n)
    deadline = np.where(rng.random(n) < 1 / 3, due, NEVER)
    jobs = problem.jobs._replace(deadline=deadline)
    return Round(problem.now, problem.capacity, problem.running, jobs, problem.planned)


def cost_of(problem: Round, order, objective) -> float:
    """Decode an order and return its cost."""
    return objective.cost(decode(problem, order).start, problem.jobs, problem.now)


def test_the_names_of_the_first_plans():
    """Users know them by name, kernels by number."""
    assert FIRST_PLANS[FirstOrder.REGULAR_FIRST] == "regular-first"
    assert FIRST_PLANS[:3] == ("previous", "submit", "smallest-area")


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("objective", [REGULAR_WAIT, TARDINESS], ids=lambda o: o.name)
def test_no_optimizer_is_worse_than_the_order_of_backfilling(name, objective):
    """In rounds with deadlines, whatever the objective; the paper's preset starts from the queue alone."""
    optimizer = make_optimizer(name)
    if name == "annealing-paper" or not optimizer.supports(objective):
        pytest.skip("has seeds of its own, or cannot work on the objective")
    for seed in range(5):
        problem = with_deadlines(random_round(20, seed=seed), seed)
        order = np.argsort(regular_first(problem.jobs, problem.now), kind="stable")
        result = optimizer.optimize(problem, objective, NO_SEARCH, np.random.default_rng(0))
        assert result.seed_cost <= cost_of(problem, order, objective)


def test_the_order_of_backfilling_can_be_the_best_seed():
    """One processor, two jobs; the first could wait, as its deadline is far: the regular job goes first.

    ::

        submit         |due.......|regular..|     regular-first  |regular..|due.......|
    """
    # Smallest area, shortest and the like put the shorter job first, which here is the one with the deadline.
    problem = Round.of(1, 0, [], [(0, 1, 10, 100), (0, 1, 11)])
    result = Greedy().optimize(problem, REGULAR_WAIT, NO_SEARCH, np.random.default_rng(0))
    assert result.permutation.tolist() == [1, 0]
    assert result.cost == 0.0
    same = Round.of(1, 0, [], [(0, 1, 10), (0, 1, 11)])
    result = Greedy().optimize(same, REGULAR_WAIT, NO_SEARCH, np.random.default_rng(0))
    assert result.permutation.tolist() == [0, 1]


def test_long_queues_have_the_seed_as_well():
    """Beyond the few seeds that are decoded there."""
    problem = with_deadlines(random_round(LONG_QUEUE + 100, seed=1), 1)
    order = np.argsort(regular_first(problem.jobs, problem.now), kind="stable")
    result = Annealing().optimize(problem, REGULAR_WAIT, NO_SEARCH, np.random.default_rng(0))
    assert result.seed_cost <= cost_of(problem, order, REGULAR_WAIT)


@pytest.mark.parametrize("n", [3, 40, LONG_QUEUE + 50])
def test_rounds_without_deadlines_pass_over_it(n):
    """To the last random number."""
    problem = random_round(n, seed=n)
    few = Annealing(first_plans=FIRST_PLANS[:-1])
    budget = Budget(evaluations=50)
    one = Annealing().optimize(problem, SQUARED_WAIT, budget, np.random.default_rng(1))
    other = few.optimize(problem, SQUARED_WAIT, budget, np.random.default_rng(1))
    assert one.permutation.tolist() == other.permutation.tolist()
    assert (one.cost, one.evaluations) == (other.cost, other.evaluations)
