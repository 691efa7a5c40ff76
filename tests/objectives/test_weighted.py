"""Weighted powers of waits: by hand, against numpy, and as terms."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.checker import recorded_replay
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives import make_objective
from planbatch.objectives.weighted import WEIGHTED_WAIT, weighted_wait
from planbatch.planner.history.expectation import EXPECTED_RUN_TIMES
from planbatch.planner.history.fair_share import FAIR_SHARE
from planbatch.planner.round import Round
from planbatch.planner.terms import terms_cost
from tests.builders import assert_same, random_round
from tests.examples import examples

#: submit, procs, walltime; at 100 s the ages are 10, 60 and 0 s.
PROBLEM = Round.of(10, 100, [], [(90, 1, 50), (40, 2, 10), (100, 3, 200)])
#: Waits of 10, 110 and 10 s.
START = np.array([100, 150, 110])


@pytest.mark.parametrize(
    ("name", "cost"),
    [
        ("weighted-wait", (100 / 50 + 12100 / 20 + 100 / 600) / 3),
        ("weighted-wait:power=1,area=0", (10 + 110 + 10) / 3),
        ("weighted-wait:power=1,area=0,size=2", (10 + 4 * 110 + 9 * 10) / 3),
        ("weighted-wait:power=1,area=0,length=-1", (10 / 50 + 110 / 10 + 10 / 200) / 3),
        ("weighted-wait:power=3,area=0", (1000 + 1331000 + 1000) / 3),
        ("weighted-wait:power=1,area=0,age=1", (10 * 10 + 60 * 110 + 1 * 10) / 3),
    ],
)
def test_costs_by_hand(name, cost):
    """Areas of 50, 20 and 600; an age of 0 s counts as 1."""
    objective = make_objective(name)
    assert objective.cost(START, PROBLEM.jobs, PROBLEM.now) == pytest.approx(cost, rel=1e-14)
    if objective.terms is not None:
        assert terms_cost(objective.terms(PROBLEM.jobs, PROBLEM.now), START) == pytest.approx(cost)


exponents = st.floats(-4, 4)


@given(st.floats(0.1, 8), exponents, exponents, exponents, exponents, st.integers(0, 40))
@settings(max_examples=examples(200))
def test_costs_equal_their_formula(power, area, size, length, age, n):
    """On random rounds, against numpy."""
    problem = random_round(n)
    jobs, now = problem.jobs, problem.now
    start = now + np.random.default_rng(n).integers(0, 10**5, n)
    procs, walltime = jobs.procs.astype(float), jobs.walltime.astype(float)
    old = np.maximum(now - jobs.submit, 1).astype(float)
    weight = (procs * walltime) ** area * procs**size * walltime**length * old**age
    wait = (start - jobs.submit).astype(float)
    expected = (weight * wait**power).sum() / max(n, 1)
    result = weighted_wait(power=power, area=area, size=size, length=length, age=age)
    assert result.cost(start, jobs, now) == pytest.approx(expected, rel=1e-9)


def test_only_powers_of_one_and_two_have_terms():
    """Terms know no other powers, so no bound is claimed for them."""
    assert weighted_wait(power=1.0).terms is not None
    assert WEIGHTED_WAIT.terms is not None
    assert weighted_wait(power=1.5).terms is None


def test_the_name_makes_the_same_objective_again():
    """Names travel in keys and tables."""
    weighted = weighted_wait(power=1.5, area=-0.5, age=1.0)
    again = make_objective(weighted.name)
    assert again.name == weighted.name == "weighted-wait:power=1.5,area=-0.5,size=0,length=0,age=1"
    assert make_objective("weighted-wait").cost == WEIGHTED_WAIT.cost


@pytest.mark.parametrize(
    ("text", "history", "columns", "past"),
    [
        ("run=-1", EXPECTED_RUN_TIMES, [[25, 0.04, 6], [10, 0.1, 6], [50, 0.02, 6]], [1 / 25, 1 / 10, 1 / 50]),
        ("run=2", EXPECTED_RUN_TIMES, [[25, 0.04, 6], [0.5, 0.1, 6], [50, 0.02, 6]], [625, 1, 2500]),
        ("share=2", FAIR_SHARE, [[0.5, 0.1], [1.0, 0.2], [0.25, 0.3]], [1 / 4, 1, 1 / 16]),
        ("share=-1", FAIR_SHARE, [[0.5, 0.1], [1.0, 0.2], [0.0, 0.3]], [2, 1, 1e6]),
    ],
)
def test_weights_by_the_past_of_the_user(text, history, columns, past):
    """Waits of 10, 110 and 10 s by hand; sizes of 1, 2 and 3 processors count, too."""
    objective = make_objective(f"weighted-wait:power=1,area=0,size=1,{text}")
    assert objective.history == history
    jobs = PROBLEM.jobs._replace(past=np.column_stack([np.zeros(3), columns]))
    cost = (10 * past[0] + 2 * 110 * past[1] + 3 * 10 * past[2]) / 3
    assert objective.cost(START, jobs, PROBLEM.now) == pytest.approx(cost, rel=1e-14)
    assert terms_cost(objective.terms(jobs, PROBLEM.now), START) == pytest.approx(cost)
    assert make_objective(objective.name).name == objective.name


def test_without_a_past_requests_are_expected_and_nobody_used_anything():
    """In a round from a file."""
    by_run = make_objective("weighted-wait:run=1,area=0")
    by_length = make_objective("weighted-wait:length=1,area=0")
    by_share = make_objective("weighted-wait:share=3")
    at = (START, PROBLEM.jobs, PROBLEM.now)
    assert by_run.cost(*at) == pytest.approx(by_length.cost(*at))
    assert by_share.cost(*at) == pytest.approx(WEIGHTED_WAIT.cost(*at))


def test_a_replay_keeps_the_past_that_weights_ask_for():
    """Stepped and in one go alike, and not as without it."""
    workload = synthetic_workload(jobs=60, capacity=16, seed=2, load=1.2)
    workload = replace(workload, user=np.arange(60) % 4 // 3)
    for text in ("run=-1,area=0", "share=4,area=0"):
        policy = make_policy(f"plan-weighted-wait:{text},evaluations=5")
        one = replay(workload, policy)
        assert_same(one, recorded_replay(workload, policy)[0])
        plain = replay(workload, make_policy("plan-weighted-wait:area=0,evaluations=5"))
        assert (one.start != plain.start).any()
