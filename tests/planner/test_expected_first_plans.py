"""First plans by the expected run times of each user's jobs, named like the other first plans."""

from dataclasses import replace

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.checker import check_trace
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives import WAIT
from planbatch.planner.history.expectation import EXPECTED_RUN_TIMES, Expected
from planbatch.planner.optimizers import make_optimizer
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.optimizers.first_plan import EXPECTED_PLANS, FIRST_PLANS, KNOWN_PLANS
from planbatch.planner.round import Round

EXPECTED = "plan:wait,evaluations=0,optimizer=(annealing:first_plans=(expected-area))"


def test_their_names_stand_behind_those_of_the_others():
    """No search starts from them unless it is told to: they need a history."""
    assert EXPECTED_PLANS == ("expected-area", "expected-slowdown")
    assert KNOWN_PLANS == FIRST_PLANS + EXPECTED_PLANS
    assert Annealing().history is None
    assert make_optimizer("annealing:first_plans=(submit,expected-area)").history is EXPECTED_RUN_TIMES


THREE = Round.of(4, 0, waiting=[(0, 4, 10), (0, 1, 10), (0, 2, 15)])


def order_of(problem, name):
    """Give the order of one first plan."""
    search = WAIT.search(problem)
    assert search.try_first_plans(np.array([KNOWN_PLANS.index(name)]))
    return search.order.tolist()


def test_a_round_without_a_past_is_ordered_by_requests():
    """Three jobs of areas 40, 10 and 30."""
    assert order_of(THREE, "expected-area") == [1, 2, 0]
    assert order_of(THREE, "expected-area") == order_of(THREE, "smallest-area")


def test_the_past_of_the_user_counts():
    """The first job asks for most, and is expected to take least: areas of 4, 10, 30; by slowdown 40, 100, 450."""
    past = np.zeros((3, 4))
    past[:, Expected.RUN] = 1.0, 10.0, 15.0
    past[:, Expected.RATE] = 0.1, 0.1, 1 / 15
    known = replace(THREE, jobs=THREE.jobs._replace(past=past))
    assert order_of(known, "expected-area") == [0, 1, 2]
    assert order_of(known, "expected-slowdown") == [0, 1, 2]
    past[:, Expected.RATE] = 0.004, 0.1, 1 / 15  # 4 / 0.004 = 1,000
    known = replace(THREE, jobs=THREE.jobs._replace(past=past))
    assert order_of(known, "expected-slowdown") == [1, 2, 0]


def test_a_replay_keeps_the_past_that_first_plans_ask_for():
    """Other starts than by requested areas, since users overestimate unevenly."""
    workload = synthetic_workload(jobs=300, capacity=64, seed=3, load=1.2)
    user = np.arange(300) % 4
    workload = replace(workload, user=user, walltime=workload.runtime * (1 + 3 * user) + 1)
    policy = make_policy(EXPECTED)
    assert policy.history is EXPECTED_RUN_TIMES
    trace = replay(workload, policy)
    assert check_trace(trace) == []
    by_request = replay(workload, make_policy(EXPECTED.replace("expected", "smallest")))
    assert by_request.start.tolist() != trace.start.tolist()


def test_a_replay_keeps_one_history():
    """An objective that asks for the users' shares leaves no room for their run times."""
    with pytest.raises(ValueError, match="another history than the first plans of annealing"):
        make_policy("plan-weighted-wait:share=1,optimizer=(annealing:first_plans=(expected-area))")
    both = make_policy("plan-expected-slowdown:optimizer=(annealing:first_plans=(previous,expected-slowdown))")
    assert both.history == EXPECTED_RUN_TIMES
