"""Promises by requests under predictions: none is broken, whatever is predicted and however it is corrected."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.baselines.plan_based import PlanBased
from planbatch.experiments.replay.checker import check_trace
from planbatch.experiments.replay.metrics import promises
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.load import load_workload
from planbatch.planner.decoder import decode
from planbatch.planner.kernels.guarantees import follow_plan, keep_promises
from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan, check_plan
from planbatch.planner.predictors import PREDICTORS
from tests.builders import (
    assert_same,
    machines_with_jobs,
    rounds_with_resources,
    workload_of,
    workloads_with_windows,
)

#: Predictors that are wrong in every way: too short, too long, and another time in every round.
WRONG = """
import numpy as np

from planbatch.planner.history import History
from planbatch.planner.kernels.native import kernel
from planbatch.planner.predictors import Predictor, corrector_of


@kernel
def follow_a_tenth(news, memory, jobs, now):
    for i in range(len(jobs.submit)):
        jobs.past[i, 1] = jobs.walltime[i] / 10


@kernel
def follow_nonsense(news, memory, jobs, now):
    for i in range(len(jobs.submit)):
        jobs.past[i, 1] = (7 * now + 5 * jobs.submit[i] + 3 * jobs.procs[i]) % 13


def tenth(correction: str = "at-start") -> Predictor:
    return Predictor(History(follow_a_tenth, 1, 1), 1, corrector_of(correction))


def nonsense(correction: str = "at-start") -> Predictor:
    return Predictor(History(follow_nonsense, 1, 1), 1, corrector_of(correction))
"""


@pytest.fixture(scope="module")
def wrong(tmp_path_factory):
    """Give the name of a file with wrong predictors."""
    path = tmp_path_factory.mktemp("predictors") / "wrong.py"
    path.write_text(WRONG)
    return str(path)


def test_a_job_that_is_believed_to_be_short_does_not_delay_a_promise(wrong):
    """Both processors; B is promised a start by 20, at its submission. C is believed to take 4 s, and B 10.

    ::

        predicted   A A A C B B           requested   A A A B B B B B B C C
                    +----------                       +--------------------
                     0     10 14                       0     10          110

    By predictions C is first, and B starts at 14. But C may take 40 s, so that B would start at 50.
    """
    workload = workload_of(2, [(0, 2, 10), (0, 2, 100), (5, 2, 40)])
    estimates = f"predicted:{wrong}:tenth"
    free = replay(workload, PlanBased("wait"), estimates=estimates)
    assert free.start.tolist() == [0, 50, 10]
    promised = replay(workload, PlanBased("wait", promise="10s"), estimates=estimates)
    assert promised.promise.tolist() == [10, 20, 120]
    assert promised.start.tolist() == [0, 10, 110]


def test_a_promise_that_the_requests_leave_room_for_changes_nothing(wrong):
    """The same with a minute of slack: C goes first, since B starts at 50 at the latest."""
    workload = workload_of(2, [(0, 2, 10), (0, 2, 100), (5, 2, 40)])
    trace = replay(workload, PlanBased("wait", promise="40s"), estimates=f"predicted:{wrong}:tenth")
    assert trace.promise.tolist() == [40, 50, 150]
    assert trace.start.tolist() == [0, 50, 10]


@pytest.mark.parametrize("correction", ["at-start", "incremental", "doubling", "request"])
@pytest.mark.parametrize("name", [*PREDICTORS, "tenth", "nonsense"])
@settings(max_examples=25)
@given(
    machine=machines_with_jobs(),
    random=st.randoms(use_true_random=False),
    promise=st.sampled_from(["0s", "3s", "1x", "within:9s"]),
    objective=st.sampled_from(["wait", "squared-wait"]),
)
def test_no_promise_is_broken(wrong, name, correction, machine, random, promise, objective):
    """On small machines, compiled and interpreted."""
    capacity, jobs = machine
    users = np.array([random.choice([1, 2]) for _ in jobs])
    workload = replace(workload_of(capacity, jobs), user=users)
    known = name if name in PREDICTORS else f"{wrong}:{name}"
    estimates = f"predicted:{known}:correction={correction}"
    policy = PlanBased(objective, budget=20, promise=promise)
    trace = replay(workload, policy, estimates=estimates)
    assert (trace.promise != NEVER).all()
    assert (trace.start <= trace.promise).all()
    assert_same(trace, replay(workload, policy, estimates=estimates, compiled=False))


@settings(max_examples=60)
@given(workload=workloads_with_windows(), promise=st.sampled_from(["0s", "1x"]))
def test_no_promise_is_broken_with_resources_and_windows_known_from_the_start(
    wrong, workload, promise
):
    """Several resources, and windows that nobody learns of later."""
    windows = tuple(replace(window, known=-1) for window in workload.windows)
    workload = replace(workload, windows=windows)
    policy = PlanBased("wait", budget=20, promise=promise)
    for name in ("tenth", "nonsense"):
        trace = replay(workload, policy, estimates=f"predicted:{wrong}:{name}")
        assert (trace.start <= trace.promise).all()


@settings(max_examples=200)
@given(problem=rounds_with_resources(), random=st.randoms(use_true_random=False))
def test_the_guarantee_is_a_plan_of_the_requests_behind_the_plan(problem, random):
    """It is feasible, and no job starts before its planned start; mended or not, those due now start now in both."""
    if not len(problem):
        return
    now, n = problem.now, len(problem)
    believed = np.array([random.randint(1, int(w)) for w in problem.jobs.walltime])
    shorter = replace(problem, jobs=problem.jobs._replace(walltime=believed))
    order = np.array(random.sample(range(n), n))
    plan = decode(shorter, order).start.copy()
    guaranteed = np.empty(n, np.int64)
    before = plan.copy()
    if follow_plan(problem.arrays, plan, guaranteed):
        assert not check_plan(problem, Plan(guaranteed))
        assert (guaranteed >= plan).all()
        assert ((guaranteed == now) == (plan == now)).all()
    # What is promised is the plan of the requests in another order, with some slack.
    latest = decode(problem, np.arange(n)).start + random.randint(0, 2)
    promised = replace(problem, jobs=problem.jobs._replace(latest=latest))
    promised = replace(promised, planned=decode(problem, np.arange(n)).start)
    keep_promises(promised.arrays, plan, guaranteed)
    assert not check_plan(problem, Plan(guaranteed))
    assert (guaranteed <= latest).all()
    assert (guaranteed >= plan).all()
    assert ((guaranteed == now) == (plan == now)).all()
    if (plan != before).any():
        np.testing.assert_array_equal(plan, guaranteed)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("log", "name"),
    [("SDSC-SP2-1998-4.2-cln", "ratio"), *(("KTH-SP2-1996-2.1-cln", name) for name in PREDICTORS)],
)
def test_no_promise_is_broken_on_real_logs(real_log, log, name):
    """Every predictor on one whole log, one predictor on another."""
    workload = load_workload(real_log(log))
    trace = replay(workload, PlanBased("squared-wait", promise="2x"), estimates=f"predicted:{name}")
    assert not check_trace(trace)
    assert promises(trace) == {"promises": len(workload), "promises_broken": 0, "worst_lateness": 0}
