"""The compiled predictors and correctors of replays, against the plain ones that are told event by event."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay, rounds_at
from planbatch.experiments.reproduce.gaussier_2015_simulator import ELoss, LastTwo, Submitted
from planbatch.experiments.workloads.load import workload_of_source
from planbatch.experiments.workloads.transform import first_jobs
from tests.builders import machines_with_jobs, workload_of
from tests.examples import examples


def predicted_by_events(workload, trace, predictor):
    """Tell a plain predictor what happened; at one instant ends first, the latest started first, starts last."""
    results = []
    jobs = [
        Submitted(i, *(int(column[i]) for column in columns))
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
