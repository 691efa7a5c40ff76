"""Names, plain functions and plain numbers in place of objectives, optimizers, policies, orders and budgets."""

import numpy as np
import pytest

from planbatch.baselines import POLICIES, PlanBased, Promise, make_policy
from planbatch.experiments import capture, compare, compare_rounds, replay, synthetic_workload
from planbatch.objectives import MAKESPAN, WAIT, lexicographic, weighted_sum
from planbatch.planner import ORDERS, Budget, Objective, Tabu, lower_bound, order_by, solve
from tests.builders import random_round

WORKLOAD = synthetic_workload(jobs=60, capacity=32)


def total_wait(start, jobs, now):
    """A cost in plain Python."""
    return float((start - jobs.submit).sum())


@pytest.mark.parametrize(("short", "long"), [("wait", WAIT), (total_wait, Objective("total-wait", total_wait))])
def test_a_round_is_solved_for_a_name_or_a_function(short, long):
    """The same search, the same cost and the same bound."""
    problem = random_round(12, seed=3)
    one = solve(problem, short, "tabu", evaluations=30)
    other = solve(problem, long, Tabu(), evaluations=30)
    assert one.plan.start.tolist() == other.plan.start.tolist()
    assert (one.cost, one.evaluations) == (other.cost, other.evaluations)
    np.testing.assert_equal(one.lower_bound, other.lower_bound)
    np.testing.assert_equal(lower_bound(problem, short), lower_bound(problem, long))


def test_a_plan_based_policy_is_made_of_names():
    """What it holds are objects, whatever it was given."""
    policy = PlanBased("wait", "tabu", evaluations=20, promise="2x")
    assert policy == PlanBased(WAIT, Tabu(), evaluations=20, promise=Promise(walltimes=2.0))
    assert PlanBased(total_wait).name == "plan-total-wait"


@pytest.mark.parametrize("name", ["easy", "easy:smallest-area", "plan-makespan"])
def test_a_policy_is_replayed_and_compared_by_its_name(name):
    """As if it had been made first; compared beside objects."""
    trace = replay(WORKLOAD, make_policy(name))
    assert (replay(WORKLOAD, name).start == trace.start).all()
    traces = compare(WORKLOAD, [name, PlanBased(total_wait, "greedy", evaluations=0)]).traces
    assert list(traces) == [name, "plan-total-wait"]
    assert (traces[name].start == trace.start).all()


def test_rounds_are_captured_and_compared_by_names():
    """Names, functions and numbers stand beside objects."""
    captured = capture(WORKLOAD, "fcfs", [5])[5]
    comparison = compare_rounds(captured, ["greedy", Tabu()], ["wait", total_wait], evaluations=10)
    assert comparison.optimizers == ("greedy", "tabu")
    assert comparison.objectives == ("wait", "total-wait")
    assert comparison.budget == Budget(evaluations=10)
    assert all(cell.outcome.cost > 0 for cell in comparison.cells)


def test_an_order_is_given_by_its_name():
    """For a queue, and for a permutation."""
    problem = random_round(10, seed=2)
    named = order_by("shortest", problem.jobs, problem.now)
    assert named.tolist() == order_by(ORDERS["shortest"], problem.jobs, problem.now).tolist()
    easy = POLICIES["easy"](order="shortest", name="easy-shortest")
    assert (replay(WORKLOAD, easy).start == replay(WORKLOAD, "easy-sjf").start).all()


def test_objectives_are_combined_by_names():
    """The combination of names is that of the objects."""
    assert weighted_sum((1, "wait"), (2, "makespan")) is weighted_sum((1, WAIT), (2, MAKESPAN))
    assert lexicographic("makespan", "wait", 60) is lexicographic(MAKESPAN, WAIT, 60)
    assert weighted_sum((1, total_wait)).name == "1*total-wait"
