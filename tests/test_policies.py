"""Every policy of the catalogue keeps the contract of policies."""

import numpy as np
import pytest

from baselines.catalogue import make_policy
from experiments.replay import ReplayError, replay
from planner.model import NEVER
from planner.plan import Plan
from planner.round import Round
from tests.contracts.policy import PolicyContract
from tests.small_workloads import workload_of


class TestFcfs(PolicyContract):
    policy = make_policy("fcfs")


class TestEasy(PolicyContract):
    policy = make_policy("easy")


class TestEasySjf(PolicyContract):
    policy = make_policy("easy-sjf")


class TestConservative(PolicyContract):
    complete = True
    policy = make_policy("conservative")


class TestReplanned(PolicyContract):
    complete = True
    policy = make_policy("replanned:largest-area")


class TestPlanWait(PolicyContract):
    complete = True
    policy = make_policy("plan-wait", evaluations=30)


class TestPlanSquaredWait(PolicyContract):
    complete = True
    policy = make_policy("plan-squared-wait", evaluations=30)


class TestPlanMakespan(PolicyContract):
    complete = True
    policy = make_policy("plan-makespan", evaluations=30)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("esay", "did you mean easy?"),
        ("plan-wiat", "did you mean plan-wait?"),
        ("easy:shortets", "did you mean shortest?"),
        ("conservative:shortest", "takes no order"),
        ("zzz", "choose one of fcfs, easy"),
    ],
)
def test_unknown_names_are_told_with_the_nearest_known_one(name, hint):
    """Whoever misspells a policy or an order is helped."""
    with pytest.raises(ValueError, match="policy") as told:
        make_policy(name)
    assert hint in str(told.value)


@pytest.mark.parametrize(
    ("start", "what"),
    [
        (lambda problem: np.full(len(problem), problem.now - 1), "in the past"),
        (lambda problem: np.full(len(problem), problem.now), "more jobs than fit"),
        (lambda problem: np.full(len(problem), NEVER), "left 3 jobs waiting"),
        (lambda problem: np.zeros(1, dtype=np.int64), "planned 1 of 3 jobs"),
    ],
)
def test_policies_that_break_the_rules_are_told_so(start, what):
    """The replay stops with a sentence that names the policy."""

    def rogue(problem: Round, rng: np.random.Generator) -> Plan:
        return Plan(start(problem))

    with pytest.raises(ReplayError, match=what) as told:
        replay(workload_of(2, [(5, 2, 3), (5, 2, 3), (5, 1, 1)]), rogue)
    assert "rogue" in str(told.value)


def test_a_policy_is_any_function():
    """A plain function of a round and a generator can be replayed; planned starts fall due."""

    def lazy(problem: Round, rng: np.random.Generator) -> Plan:
        known = problem.planned != NEVER
        return Plan(np.where(known, problem.planned, problem.now + 10))

    trace = replay(workload_of(2, [(0, 1, 3), (4, 1, 3)]), lazy)
    assert trace.start.tolist() == [10, 14]
    assert trace.rounds.time.tolist() == [0, 4, 10, 13, 14]
    assert trace.policy == "lazy"
