"""Branch and bound: equal to brute force by the thousand, honest when it is cut short."""

import numpy as np
import pytest

from planbatch.objectives import MAKESPAN, SQUARED_WAIT, WAIT
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Status
from planbatch.planner.optimizers.exhaustive import Exhaustive
from planbatch.planner.plan import check_plan
from planbatch.planner.round import Round
from tests.brute_force import least_cost, many_terms, objective_of, random_round
from tests.examples import examples

KINDS = list(many_terms(random_round(np.random.default_rng(0)), np.random.default_rng(0)))
PLENTY = Budget(evaluations=10**7)


def solve(problem: Round, objective: Objective, budget: Budget = PLENTY):
    """Run the search; it draws nothing from the generator."""
    return Exhaustive().optimize(problem, objective, budget, np.random.default_rng(0))


@pytest.mark.parametrize("kind", KINDS)
def test_finds_the_optimum(kind):
    """For every kind of terms, the result is the brute-force optimum, and the plan is valid."""
    rng = np.random.default_rng(10 + KINDS.index(kind))
    for case in range(examples(200)):
        horizon = (3, 12, 10**6)[case % 3]
        problem = random_round(rng, most_jobs=5 if case % 10 else 6, horizon=horizon)
        terms = many_terms(problem, rng)[kind]
        result = solve(problem, objective_of(terms))
        assert result.status is Status.OPTIMAL
        assert result.cost == pytest.approx(least_cost(problem, terms), rel=1e-12)
        assert result.lower_bound == result.cost <= result.seed_cost
        assert check_plan(problem, result.plan, complete=True) == []
        assert decode(problem, result.permutation).start.tolist() == result.plan.start.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_hold_when_cut_short(kind):
    """With a few nodes only, the bound is below the optimum, the cost above it, and the status honest."""
    rng = np.random.default_rng(30 + KINDS.index(kind))
    for _ in range(examples(100)):
        problem = random_round(rng)
        terms = many_terms(problem, rng)[kind]
        optimum = least_cost(problem, terms)
        nodes = int(rng.integers(0, 12))
        result = solve(problem, objective_of(terms), Budget(evaluations=nodes))
        assert result.evaluations <= nodes
        assert result.lower_bound <= optimum * (1 + 1e-12)
        assert result.cost >= optimum * (1 - 1e-12)
        if result.status is Status.OPTIMAL:
            assert result.cost == pytest.approx(optimum, rel=1e-12)


@pytest.mark.parametrize("objective", [WAIT, SQUARED_WAIT, MAKESPAN])
def test_twelve_jobs(objective):
    """Rounds of twelve different jobs are solved; no order that we try afterwards is better."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        shapes = zip(rng.integers(1, 12, size=12), rng.integers(60, 4000, size=12), strict=True)
        waiting = [(-100 + 5 * i, int(q), int(p)) for i, (q, p) in enumerate(shapes)]
        problem = Round.of(16, 0, [(5, 700), (6, 2500)], waiting)
        result = solve(problem, objective)
        assert result.status is Status.OPTIMAL
        for _ in range(examples(300)):
            plan = decode(problem, rng.permutation(12))
            assert objective.cost(plan.start, problem.jobs, 0) >= result.cost


def test_cut_short_is_the_beginning_of_a_longer_search():
    """The result depends on the number of nodes alone, and more nodes never make it worse."""
    problem = random_round(np.random.default_rng(4), most_jobs=200, horizon=5000, capacity=32)
    assert len(problem) > 20
    costs, bounds = [], []
    for nodes in (0, 100, 5_000, 50_000):
        result = solve(problem, WAIT, Budget(evaluations=nodes))
        assert result.evaluations == nodes
        assert result.status is Status.FINISHED
        costs.append(result.cost)
        bounds.append(result.lower_bound)
        assert solve(problem, WAIT, Budget(evaluations=nodes)).cost == result.cost
    assert costs[0] == result.seed_cost
    assert costs == sorted(costs, reverse=True)
    assert max(bounds) <= min(costs)


def test_more_jobs_than_bits():
    """Beyond 62 jobs, nothing overflows: a hundred equal jobs are solved at the root."""
    problem = Round.of(4, 0, [], [(0, 4, 10)] * 100)
    result = solve(problem, WAIT)
    assert result.status is Status.OPTIMAL
    assert result.cost == 10 * 99 / 2


def test_seconds_end_the_search():
    """A budget of no seconds returns the best seed, with a bound."""
    problem = random_round(np.random.default_rng(4), most_jobs=200, horizon=5000, capacity=32)
    result = solve(problem, WAIT, Budget(seconds=0))
    assert result.cost == result.seed_cost
    assert 0 < result.lower_bound <= result.cost
