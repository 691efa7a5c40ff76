"""Predictors and correctors: by hand, and that no predictor knows the future."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.predictions.correctors import CORRECTORS, STEPS
from planbatch.experiments.predictions.eloss import (
    PENALTY,
    RATE,
    ELoss,
    NormalisedGradient,
    features_of,
)
from planbatch.experiments.predictions.predictor import (
    SIMPLE,
    LastTwo,
    Requested,
    Submitted,
    UsersRatio,
)

PREDICTORS = {**SIMPLE, "e-loss": ELoss}


def finish(predictor, number, runtime, walltime=100, user=1, at=0):
    """Submit, start and end a job; return its prediction."""
    job = Submitted(number, user, at, 2, walltime)
    predicted = predictor.predict(job)
    predictor.started(job, at)
    predictor.ended(job, at + runtime, runtime)
    return predicted


def test_the_request_until_two_have_finished_then_their_mean():
    """10 and 25: 17, rounded down; at most the request; every user alone."""
    predictor = LastTwo()
    assert [finish(predictor, 1, 10), finish(predictor, 2, 25)] == [100, 100]
    assert finish(predictor, 3, 40) == 17
    assert finish(predictor, 4, 5, walltime=20) == 20
    assert finish(predictor, 5, 5, user=2) == 100
    assert finish(Requested(), 1, 3, walltime=7) == 7


def test_the_users_mean_ratio():
    """10 % and 50 % of the request: 30 %."""
    predictor = UsersRatio(jobs=2)
    assert [finish(predictor, 1, 10), finish(predictor, 2, 50)] == [100, 10]
    assert finish(predictor, 3, 50) == 30
    assert finish(predictor, 4, 1, walltime=3) == 1
    with pytest.raises(ValueError, match="0 is no positive number of jobs"):
        UsersRatio(0)


def test_corrections():
    """1, 5, 15 minutes … above the first prediction; twice the last one; the request, which nothing exceeds."""
    assert [STEPS[0], STEPS[2], STEPS[-1]] == [60, 900, 360_000]
    incremental = CORRECTORS["incremental"]
    assert [incremental(100, 100, k, 10_000) for k in range(3)] == [160, 400, 1000]
    assert incremental(100, 9000, 8, 10_000) == 10_000
    assert incremental(100, 9000, 11, 10_000) == 10_000
    assert CORRECTORS["doubling"](5, 40, 3, 1000) == 80
    assert CORRECTORS["doubling"](5, 40, 3, 70) == 70
    assert CORRECTORS["request"](5, 40, 3, 70) == 70


@given(st.integers(1, 500), st.integers(1, 400_000))
def test_corrections_grow_to_the_request(first, more):
    """A job that outlives its prediction gets a longer one, up to its request."""
    walltime = first + more
    for correct in CORRECTORS.values():
        predictions = [first]
        while predictions[-1] < walltime:
            predictions.append(correct(first, predictions[-1], len(predictions) - 1, walltime))
            assert predictions[-2] < predictions[-1] <= walltime


def test_features_of_a_job():
    """The third job of a user: one has ended, one runs; on the second day, at noon."""
    predictor = ELoss()
    finish(predictor, 1, 30, at=1000)
    second = Submitted(2, 1, 1100, 4, 200)
    predictor.predict(second)
    predictor.started(second, 1150)
    third = Submitted(3, 1, 86400 + 43200, 3, 500)
    x = features_of(third, predictor.users[1])
    assert len(x) == 19 + 120 + 18
    now = third.submit
    assert x[:14].tolist() == [
        1, 500, 500, 500, 500, 500, 500, 30, now - 1030, 1.5, 4, now - 1150, 1, now - 1150
    ]  # fmt: skip
    assert x[14:19] == pytest.approx(
        [-1, 0, math.cos(2 * math.pi * 1.5 / 7), math.sin(2 * math.pi * 1.5 / 7), 3], abs=1e-12
    )
    assert x[19:22].tolist() == [500.0 * 500] * 3
    assert x[-1] == 9
    soon = features_of(Submitted(4, 1, 1010, 3, 500), predictor.users[1])
    assert soon[1] == 30  # would still run had it started at once
    late = features_of(Submitted(4, 1, 1100, 3, 500), predictor.users[1])
    assert late[1] == 100  # as published: the time since its submission


def test_one_step_of_the_regression():
    """From zero weights: scales are the features, and each weight moves by rate / scale."""
    model = NormalisedGradient(3)
    model.fit(np.array([2.0, 0.0, -4.0]), 10.0, 3.0)
    assert model.scale.tolist() == [2, 0, 4]
    assert model.total == 2
    step = RATE / math.sqrt(2)
    assert model.weights == pytest.approx([step / 2, 0, -step / 4])
    assert model.squares == pytest.approx([36, 0, 144])
    before = model.weights.copy()
    model.fit(np.array([4.0, 0.0, 0.0]), 0.0, 1.0)
    assert model.scale.tolist() == [4, 0, 4]
    halved = before[0] / 2
    slope = 2 * 4 * (4 * halved) + PENALTY * halved
    assert model.squares[0] == pytest.approx(36 + slope**2)
    assert model.time == 5


def history(jobs, ended_before):
    """Give what happens to jobs (user, submit, procs, walltime, wait, runtime), in the order of time."""
    events = []
    for number, (user, submit, procs, walltime, wait, runtime) in enumerate(jobs):
        job = Submitted(number, user, submit, procs, walltime)
        runtime = min(runtime, walltime)
        events += [(submit, 0, number, job), (submit + wait, 1, number, job)]
        events += [(submit + wait + runtime, 2, number, (job, runtime))]
    return sorted((event for event in events if event[0] < ended_before), key=lambda e: e[:3])


JOBS = st.lists(
    st.tuples(
        st.integers(1, 3),
        st.integers(0, 200),
        st.integers(1, 8),
        st.integers(1, 100),
        st.integers(0, 50),
        st.integers(1, 100),
    ),
    min_size=1,
    max_size=15,
)


def predicted(name, events):
    """Tell a predictor the events; return its predictions."""
    predictor, found = PREDICTORS[name](), {}
    for now, event, number, job in events:
        if event == 0:
            found[number] = predictor.predict(job)
        elif event == 1:
            predictor.started(job, now)
        else:
            predictor.ended(job[0], now, job[1])
    return found


@pytest.mark.parametrize("name", PREDICTORS)
@given(JOBS, st.integers(0, 200), st.randoms(use_true_random=False))
def test_no_predictor_knows_the_future(name, jobs, moment, random):
    """Run times of jobs that have not ended by a moment, and jobs submitted after it, are shuffled: nothing changes."""
    known = predicted(name, history(jobs, moment))
    changed = []
    for user, submit, procs, walltime, wait, runtime in jobs:
        if submit >= moment:
            user, procs = random.randint(1, 3), random.randint(1, 8)
        if submit + wait + min(runtime, walltime) >= moment:
            ran = max(moment - submit - wait, 1)
            runtime = random.randint(ran, ran + 200)
            walltime = walltime if submit < moment else random.randint(1, 100)
            if min(runtime, walltime) < ran:
                runtime = walltime
        changed.append((user, submit, procs, walltime, wait, runtime))
    again = predicted(name, history(changed, moment))
    assert {number: again[number] for number in known} == known
    assert all(1 <= seconds <= jobs[number][3] for number, seconds in known.items())
