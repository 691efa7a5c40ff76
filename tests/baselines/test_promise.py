"""Promises: how they are written, made, kept, and reported when they cannot be."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch import _core
from planbatch.baselines.plan_based import PlanBased
from planbatch.baselines.promise import Promise
from planbatch.experiments.replay.checker import check_trace, recorded_replay
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives import SQUARED_WAIT, WAIT
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.model import NEVER, Workload
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.round import Round, job_table
from tests.builders import assert_same
from tests.examples import examples

FEW = Budget(evaluations=20)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("none", None),
        ("0s", Promise()),
        ("24h", Promise(seconds=86400)),
        ("2x", Promise(walltimes=2.0)),
        ("1d+1.5x", Promise(seconds=86400, walltimes=1.5)),
        ("within:3d", Promise(within=3 * 86400)),
        ("90min,within:1d+12h", Promise(seconds=5400, within=36 * 3600)),
        ("90m", Promise(seconds=5400)),
        ("2w", Promise(seconds=14 * 86400)),
        ("deadline", Promise(by_deadline=True)),
    ],
)
def test_rules_are_written_as_text(text, rule):
    """Slack in seconds, minutes, hours, days, weeks or walltimes; a wait; a deadline; several joined; and back."""
    assert Promise.parse(text) == Promise.parse(str(rule).lower()) == rule
    assert str(Promise(seconds=14 * 86400)) == "14d"


def test_limits_of_jobs():
    """Slack from the walltime, floors from the submission and from the deadline.

    ========  ======  ========  ========  =====  =====
    job       submit  walltime  deadline  slack  floor
    ========  ======  ========  ========  =====  =====
    0         100     10        none      25     400
    1         200     11        700       27     689
    ========  ======  ========  ========  =====  =====
    """
    jobs = job_table(np.array([100, 200]), np.array([1, 1]), np.array([10, 11]), np.array([NEVER, 700]))
    slack, floor = Promise(5, 2.0, within=300, by_deadline=True).limits(jobs)
    assert slack.tolist() == [25, 27]
    assert floor.tolist() == [400, 689]


def test_a_promise_holds_back_those_who_come_later():
    """One processor. The long job, planned for 10, is promised 15, so short jobs that come later go behind.

    ::

        plain     |run.......|s1|s2|s3|s4|long................|
        promised  |run.......|s1|long................|s2|s3|s4|
                  0         10
    """
    workload = Workload("four", 1, range(6), [0, 1, 2, 3, 4, 5], [1] * 6, [10, 100, 4, 4, 4, 4], [10, 100, 4, 4, 4, 4])
    plain = replay(workload, PlanBased(WAIT, evaluations=20))
    assert plain.start.tolist() == [0, 26, 10, 14, 18, 22]
    assert (plain.promise == NEVER).all()
    promised = replay(workload, PlanBased(WAIT, evaluations=20, promise=Promise(seconds=5)))
    assert promised.promise[1] == 15
    assert promised.start[1] == 14
    assert (promised.start <= promised.promise).all()


@pytest.mark.parametrize(
    ("rule", "estimates"), [("0s", "requested"), ("2h", "actual"), ("1x", "requested"), ("within:12h", "actual")]
)
def test_no_promise_is_ever_broken(rule, estimates):
    """Whatever the slack, stepped and in one go, as an independent check sees it."""
    workload = synthetic_workload(jobs=250, capacity=64, load=0.9, seed=3)
    policy = PlanBased(SQUARED_WAIT, evaluations=20, promise=Promise.parse(rule))
    trace = replay(workload, policy, estimates=estimates)
    assert check_trace(trace) == []
    assert (trace.promise != NEVER).all()
    assert (trace.promise >= workload.submit).all()
    assert_same(trace, recorded_replay(workload, policy, estimates=estimates)[0])


def test_broken_promises_are_reported():
    """With mixed estimates running jobs stay longer than was planned; the checker names every broken promise."""
    workload = synthetic_workload(jobs=600, capacity=256, load=1.2, seed=4)
    policy = PlanBased(SQUARED_WAIT, evaluations=20, promise=Promise())
    trace = replay(workload, policy, estimates="mixed")
    late = int((trace.start > trace.promise).sum())
    assert late > 0
    faults = [fault for fault in check_trace(trace) if "after its promise" in fault]
    assert 0 < len(faults) <= late


@given(st.integers(0, 10**6))
@settings(max_examples=examples(60))
def test_promises_that_cannot_hold_are_put_off_no_further_than_needed(seed):
    """A feasible round is left alone; otherwise the round gets promises that some plan keeps."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    waiting = [(0, int(rng.integers(1, 5)), int(rng.integers(1, 20))) for _ in range(n)]
    problem = Round.of(4, 10, [(2, int(rng.integers(11, 30)))], waiting)
    order = rng.permutation(n)
    plan = decode(problem, order)
    latest = plan.start - rng.integers(0, 15, n) * rng.integers(0, 2)
    jobs = problem.jobs._replace(latest=latest)
    promised = replace(problem, jobs=jobs, planned=plan.start)
    feasible, planned = _core.feasible_promises(promised.core)
    assert (feasible >= latest).all()
    if (plan.start <= latest).all():
        assert feasible.tolist() == latest.tolist()
    replanned = decode(problem, np.argsort(planned, kind="stable")).start
    assert (replanned <= feasible).all()
    assert late(replanned, latest) <= late(plan.start, latest)
    result = Annealing().optimize(promised, WAIT, FEW, np.random.default_rng(0))
    assert (result.plan.start <= feasible).all()


def late(start, latest):
    """Add up by how much starts exceed promises."""
    return int(np.maximum(start - latest, 0).sum())
