"""A round for each event, against a replay event by event in plain Python."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.comparison.compare import compare
from planbatch.experiments.replay.checker import check_trace
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.replay.task import ReplayTask
from tests.builders import assert_same, machines_with_jobs, workload_of
from tests.event_by_event import CORRECTORS, ELoss, Job, LastTwo, Requested, Simulation, Submitted

PREDICTORS = {"last-two": LastTwo, "e-loss": ELoss}


def starts_of(workload, predictor, corrector, shortest):
    """Replay a workload event by event; return the starts."""
    jobs = [
        Job(Submitted(i, *(int(column[i]) for column in columns)), int(workload.runtime[i]))
        for columns in [(workload.user, workload.submit, workload.procs, workload.walltime)]
        for i in range(len(workload))
    ]
    Simulation(workload.capacity, predictor, CORRECTORS[corrector], shortest).run(jobs)
    return [job.start for job in jobs]


def test_at_one_instant_a_job_starts_before_another_is_there():
    """At 0 four jobs are submitted, one after the other: with SJBF, C starts before the shorter D is there.

    ::

        each instant   2 |D D D . . . B B C …      each event   2 |C C C C . . B B D
                       1 |A A A A A A B B C                     1 |A A A A A A B B D
    """
    workload = workload_of(2, [(0, 1, 6, 6), (0, 2, 2, 2), (0, 1, 4, 4), (0, 1, 3, 3)])
    assert replay(workload, "easy:fcfs/sjf").start.tolist() == [0, 6, 8, 0]
    found = replay(workload, "easy:fcfs/sjf", rounds="each-event")
    assert found.start.tolist() == [0, 6, 0, 8]
    assert found.rounds.time.tolist() == [0, 0, 0, 0, 4, 6, 8]


def test_a_submission_comes_before_an_end_at_the_same_instant():
    """At 4 A ends, early, D ends as was expected, and C comes: it finds D gone, and A running still.

    ::

        2 |D D D D C C C
        1 |A A A A
    """
    jobs = [(0, 1, 9, 4), (0, 1, 4, 4), (4, 1, 3, 3)]
    workload = workload_of(2, jobs)
    found = replay(workload, "easy", rounds="each-event")
    assert found.start.tolist() == [0, 0, 4]
    # The round of the submission at 4: A runs, D has left; one for each end follows only if a job waits.
    assert found.rounds.time.tolist() == [0, 0, 4]
    assert found.rounds.running.tolist() == [0, 1, 1]
    assert replay(workload, "easy").rounds.running.tolist() == [0, 0]


@settings(max_examples=150)
@given(machines_with_jobs(most_jobs=20), st.booleans())
def test_like_event_by_event(machine, shortest):
    """EASY by requests, with backfilling in FCFS order or by the shortest."""
    capacity, jobs = machine
    workload = workload_of(capacity, jobs)
    policy = make_policy("easy:fcfs/sjf" if shortest else "easy")
    trace = replay(workload, policy, rounds="each-event")
    assert trace.start.tolist() == starts_of(workload, Requested(), "request", shortest)
    assert check_trace(trace, "each-event") == []
    assert_same(trace, replay(workload, policy, rounds="each-event", compiled=False))


@pytest.mark.parametrize("name", PREDICTORS)
@pytest.mark.parametrize("corrector", CORRECTORS)
@settings(max_examples=40)
@given(machines_with_jobs(most_jobs=25), st.booleans(), st.randoms(use_true_random=False))
def test_like_event_by_event_with_predictions(name, corrector, machine, shortest, random):
    """Predictions are made and corrected at the same moments: all else would give other starts."""
    capacity, jobs = machine
    users = np.array([random.choice([1, 2]) for _ in jobs])
    workload = replace(workload_of(capacity, jobs), user=users)
    trace = replay(
        workload,
        "easy:fcfs/sjf" if shortest else "easy",
        estimates=f"predicted:{name}:correction={corrector}",
        rounds="each-event",
    )
    assert trace.start.tolist() == starts_of(workload, PREDICTORS[name](), corrector, shortest)


@settings(max_examples=40)
@given(machines_with_jobs(most_jobs=12))
def test_every_kind_of_policy_is_replayed(machine):
    """Queue-based, with reservations, plan-based: valid schedules, and the same compiled and interpreted."""
    capacity, jobs = machine
    workload = workload_of(capacity, jobs)
    for name in ("fcfs", "conservative", "plan-wait:evaluations=5,promise=1x"):
        policy = make_policy(name)
        trace = replay(workload, policy, rounds="each-event")
        assert check_trace(trace, "each-event") == []
        assert_same(trace, replay(workload, policy, rounds="each-event", compiled=False))


def test_it_is_part_of_a_replays_key():
    """Two replays; the default has the key that it had."""
    workload = workload_of(2, [(0, 1, 6, 6)])
    keys = [
        ReplayTask(workload, make_policy("easy"), rounds=r).key
        for r in ("each-instant", "each-event")
    ]
    assert keys[0] == ReplayTask(workload, make_policy("easy")).key != keys[1]


def test_a_wrong_value_is_named():
    """By the replay, by a comparison and by a task."""
    workload = workload_of(2, [(0, 1, 6, 6)])
    message = "rounds: 'each' is none of each-instant, each-event"
    with pytest.raises(ValueError, match=message):
        replay(workload, "easy", rounds="each")
    with pytest.raises(ValueError, match=message):
        compare(workload, ["easy"], rounds="each")
