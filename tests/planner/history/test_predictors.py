"""Predicted run times: causal, corrected when jobs outlive them, and without a say in when jobs are killed."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch import _core
from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay, rounds_at
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.reproduce.gaussier_2015_simulator import ELoss, LastTwo, SubmittedJob
from planbatch.experiments.workloads.load import workload_of_source
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.transform import first_jobs
from planbatch.planner.history.predictor import Corrector
from planbatch.planner.history.predictors import PREDICTORS
from planbatch.planner.model import NEVER
from tests.builders import assert_same, machines_with_jobs, stepped, workload_of
from tests.examples import examples

CORRECTIONS = ("at-start", "incremental", "doubling", "request")


def of_users(capacity, jobs, users):
    return replace(workload_of(capacity, jobs), user=np.array(users))


def test_last_two_predicts_the_mean_of_the_last_two():
    """One processor, one user: A and B run for 2 and 5 of 10 s; C was submitted before both had ended, D afterwards.

    ::

        1 |A A B B B B B C D D D
          +---------------------
           0   2         7 8
    """
    jobs = [(0, 1, 10, 2), (0, 1, 10, 5), (1, 1, 10, 1), (7, 1, 10, 3), (8, 1, 2, 2)]
    workload = of_users(1, jobs, [1] * 5)
    policy = make_policy("replanned")
    trace = replay(workload, policy, estimates="predicted:last-two")
    assert trace.start.tolist() == [0, 2, 7, 8, 11]
    believed = {}
    for problem in rounds_at(workload, policy, range(len(trace.rounds)), estimates="predicted:last-two"):
        for number, walltime in zip(problem.ids.tolist(), problem.jobs.walltime.tolist(), strict=True):
            believed.setdefault(number, set()).add(walltime)
    # (2 + 5) / 2 = 3.5; then (5 + 1) / 2 = 3, but no more than the request.
    assert believed == {1: {10}, 2: {10}, 3: {10}, 4: {3}, 5: {2}}


def test_a_job_that_outlives_its_prediction_delays_what_was_planned_behind_it():
    """A is believed to take 2 s and takes 6 of 600; H needs both processors, and S would end after A.

    The round at 3, when T arrives, is the next one: A is believed to take a minute more, so H is reserved for
    61, and S is backfilled. By A's request, S would have been started at once, at 1.
    """
    before = [(-50, 1, 600, 2), (-40, 1, 600, 2)]
    jobs = [*before, (0, 1, 600, 6), (1, 2, 5, 5), (1, 1, 4, 4), (3, 2, 5, 5)]
    workload = of_users(2, jobs, [1] * 3 + [2] * 3)
    incremental = "predicted:last-two:correction=incremental"
    trace = replay(workload, make_policy("easy"), estimates=incremental)
    assert trace.start.tolist()[2:] == [0, 7, 3, 12]
    assert replay(workload, make_policy("easy")).start.tolist()[2:] == [0, 6, 1, 11]


@pytest.mark.parametrize(
    ("corrector", "elapsed", "believed"),
    [
        (Corrector.INCREMENTAL, 100, 160),
        (Corrector.INCREMENTAL, 160, 400),
        (Corrector.INCREMENTAL, 100 + 3600, 100 + 7200),
        (Corrector.INCREMENTAL, 9990, 10_000),
        (Corrector.DOUBLING, 100, 200),
        (Corrector.DOUBLING, 850, 1600),
        (Corrector.DOUBLING, 9000, 10_000),
        (Corrector.REQUEST, 100, 10_000),
    ],
)
def test_corrections(corrector, elapsed, believed):
    """Of a job of 10,000 s that was believed to take 100."""
    assert _core.corrected(corrector, 100, elapsed, 10_000) == believed


@pytest.mark.parametrize("policy", ["easy:fcfs/sjf", "conservative", "plan-squared-wait"])
@settings(max_examples=examples(60))
@given(correction=st.sampled_from(CORRECTIONS), machine=machines_with_jobs(), random=st.randoms(use_true_random=False))
def test_replays_with_predictions_are_the_same_stepped(policy, correction, machine, random):
    """No job runs for longer than its request, and all run."""
    capacity, jobs = machine
    workload = of_users(capacity, jobs, [random.choice([1, 2]) for _ in jobs])
    for name in PREDICTORS:
        estimates = f"predicted:{name}:correction={correction}"
        trace = replay(workload, policy, estimates=estimates, seed=1)
        assert (trace.end - trace.start == workload.runtime).all()
        assert_same(trace, replay(workload, stepped(make_policy(policy)), estimates=estimates, seed=1))


#: How a contract has each predictor learn within a small workload; by default, as it is.
EAGER = {"boosted": "boosted:every=2h,trees=5"}


def believed_by(workload, policy, estimates, moment):
    """Give what each waiting job is believed to take in each round up to a moment."""
    trace = replay(workload, policy, estimates=estimates)
    rounds = range(int(np.searchsorted(trace.rounds.time, moment, side="right")))
    rounds_met = rounds_at(workload, policy, rounds, estimates=estimates)
    return [(r.now, r.ids.tolist(), r.jobs.walltime.tolist()) for r in rounds_met]


@pytest.mark.parametrize("name", PREDICTORS)
@pytest.mark.parametrize("seed", range(2))
def test_permuting_the_future_changes_no_prediction(name, seed):
    """From a moment on everything is permuted: run times of jobs that have not ended, all of jobs not yet submitted."""
    rng = np.random.default_rng(seed)
    n = 300
    workload = synthetic_workload(jobs=n, capacity=32, seed=seed, load=1.1)
    user = rng.integers(0, 5, n)
    requested = np.ceil(workload.runtime * rng.uniform(1, 1 + 5 * user)).astype(np.int64)
    workload = replace(workload, user=user, walltime=requested)
    estimates = f"predicted:{EAGER.get(name, name)}"
    policy = make_policy("easy:sjf")
    trace = replay(workload, policy, estimates=estimates)
    moment = int(np.sort(trace.end)[n // 2])
    later = rng.permutation(np.flatnonzero(workload.submit > moment))
    place = np.arange(n)
    place[np.sort(later)] = later
    runtime = workload.runtime[place]
    # Those that have been submitted and have not ended by the moment: any time that does not end them before it.
    open_ = (workload.submit <= moment) & (trace.end > moment)
    least = np.maximum(moment - trace.start[open_], 0) + 1
    runtime[open_] = rng.integers(least, workload.walltime[open_] + 1)
    changed = replace(
        workload,
        runtime=runtime,
        walltime=workload.walltime[place],
        procs=workload.procs[place],
        user=workload.user[place],
    )
    assert (changed.runtime != workload.runtime).sum() > n // 10
    before = believed_by(workload, policy, estimates, moment)
    assert any(now > int(trace.end[n // 4]) for now, _, _ in before)
    assert before == believed_by(changed, policy, estimates, moment)


@pytest.mark.parametrize("name", PREDICTORS)
def test_every_predictor_predicts_something_else_than_the_request(name):
    """Of a busy workload in which users overestimate; so the contract above holds for more than requests."""
    workload = synthetic_workload(jobs=300, capacity=32, seed=1, load=1.1)
    user = np.arange(300) % 3
    workload = replace(workload, user=user, walltime=workload.runtime * (1 + 4 * user))
    policy = make_policy("easy:sjf")
    rounds_met = believed_by(workload, policy, f"predicted:{EAGER.get(name, name)}", NEVER)
    requested = dict(zip(workload.id.tolist(), workload.walltime.tolist(), strict=True))
    pairs = [(t, requested[i]) for _, ids, times in rounds_met for i, t in zip(ids, times, strict=True)]
    assert all(1 <= believed <= request for believed, request in pairs)
    assert sum(believed < request for believed, request in pairs) > len(pairs) / 4


def test_an_order_with_another_history_is_refused():
    """A replay keeps one history."""
    workload = workload_of(2, [(0, 1, 5, 5)])
    with pytest.raises(ValueError, match="another history than the predictor keeps"):
        replay(workload, "easy:multifactor", estimates="predicted:last-two")
    replay(workload, "easy:expected-area", estimates="predicted:ratio")


def test_a_users_predictor_is_named_and_known_by_its_content(tmp_path):
    """A file with a history that predicts half of every request."""
    mine = tmp_path / "mine.py"
    text = """
from planbatch.planner.history.history import History
from planbatch.planner.history.predictors import Predictor

def halve(events, state, jobs, now):
    for i in range(len(jobs.submit)):
        jobs.past[i, 1] = jobs.walltime[i] / 2

def half() -> Predictor:
    return Predictor(History.of(halve, 1, 1), 1)
"""
    mine.write_text(text)
    workload = workload_of(1, [(0, 1, 9, 9), (1, 1, 8, 8), (2, 1, 1, 1)])
    estimates = f"predicted:{mine}:half"
    policy = make_policy("replanned")
    replay(workload, policy, estimates=estimates)
    problem = next(rounds_at(workload, policy, [2], estimates=estimates))
    assert problem.jobs.walltime.tolist() == [4, 1]
    first = ReplayTask(workload, policy, estimates).key
    assert first != ReplayTask(workload, policy).key
    mine.write_text(text.replace("/ 2", "/ 3"))
    assert first != ReplayTask(workload, policy, estimates).key


# The compiled predictors and correctors of replays, against the plain ones that are told event by event.


def predicted_by_events(workload, trace, predictor):
    """Tell a plain predictor what happened; at one instant ends first, the latest started first, starts last."""
    results = []
    jobs = [
        SubmittedJob(i, *(int(column[i]) for column in columns))
        for columns in [(workload.user, workload.submit, workload.procs, workload.walltime)]
        for i in range(len(workload))
    ]
    events = [(int(trace.end[i]), 0, -int(trace.start[i]), -i) for i in range(len(jobs))]
    events += [(int(trace.start[i]), 2, 0, i) for i in range(len(jobs))]
    events += [(job.submit, 1, 0, job.job) for job in jobs]
    for now, event, _, number in sorted(events):
        job = jobs[abs(number)]
        if event == 0:
            predictor.ended(job, now, int(workload.runtime[job.job]))
        elif event == 1:
            results.append(max(predictor.predict(job), 1))
        else:
            predictor.started(job, now)
    return results


PLAIN = {"last-two": LastTwo, "e-loss": ELoss}


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=examples(60))
@given(machines_with_jobs(most_jobs=30), st.randoms(use_true_random=False))
def test_like_event_by_event(name, machine, random):
    """What every job is believed to take in the first round that has it."""
    capacity, jobs = machine
    users = np.array([random.choice([1, 2]) for _ in jobs])
    workload = replace(workload_of(capacity, jobs), user=users)
    policy, estimates = make_policy("replanned"), f"predicted:{name}"
    trace = replay(workload, policy, estimates=estimates)
    believed: dict[int, int] = {}
    for problem in rounds_at(workload, policy, range(len(trace.rounds)), estimates=estimates):
        for number, walltime in zip(problem.ids.tolist(), problem.jobs.walltime.tolist(), strict=True):
            believed.setdefault(number, walltime)
    assert [believed[i + 1] for i in range(len(jobs))] == predicted_by_events(workload, trace, PLAIN[name]())


@pytest.mark.nightly
@pytest.mark.parametrize("name", PLAIN)
def test_like_event_by_event_on_a_real_log(name, real_log):
    """The first 6,000 jobs of KTH-SP2 under EASY: what every job was believed to take when it started."""
    workload = first_jobs(workload_of_source(real_log("KTH-SP2-1996-2.1-cln")), 6000)
    trace = replay(workload, "easy", estimates=f"predicted:{name}")
    expected = np.array(predicted_by_events(workload, trace, PLAIN[name]()))
    apart = np.abs(trace.predicted - expected)
    # Sums in another order: the last digit may fall on the other side of a whole second.
    assert apart.max() <= 1
    assert (apart == 0).mean() > 0.999
