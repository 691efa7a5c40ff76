"""Boosted trees: as scikit-learn predicts, learned on a schedule of what has ended, refused without scikit-learn."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.estimates import check_estimates
from planbatch.experiments.replay.replay import replay, rounds_at
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.planner.history.boosted import (
    ENDED,
    FEATURES,
    LEARNED,
    SHARED,
    TREES,
    TreeFit,
    boosted,
    shared_numbers,
    value_of,
)
from planbatch.planner.history.history import Event, EventColumn
from tests.builders import assert_same, stepped, workload_of


@pytest.fixture(scope="module")
def busy():
    """Give a workload of three users, of whom each uses another part of the requests, within 30 %."""
    workload = synthetic_workload(jobs=400, capacity=64, seed=3, load=0.9)
    user = np.arange(400) % 3
    times = np.array([1, 4, 20])[user] * np.random.default_rng(1).uniform(1.0, 1.3, 400)
    return replace(workload, user=user, walltime=np.ceil(workload.runtime * times).astype(int))


def test_the_kernel_predicts_what_the_trees_do():
    """Of 300 jobs with random features; not one is off by more than rounding."""
    rng = np.random.default_rng(1)
    training = rng.normal(size=(300, FEATURES)).round(2)
    quotients = np.clip(0.3 + 0.2 * training[:, 2] + 0.1 * rng.normal(size=300), 0, 1)
    lesson = TreeFit(3600, 0.7, 20, 1000, 0.3)
    model = lesson.fit_trees(training, quotients)
    numbers = np.ones(SHARED)
    lesson.write(model, numbers)
    assert numbers[TREES] == 20
    result = [value_of(numbers, row) for row in training]
    np.testing.assert_allclose(result, model.predict(training), rtol=1e-12)
    assert 0.6 < (quotients <= result).mean() < 0.8


def test_predictions_learn_who_overestimates(busy):
    """After some lessons the jobs of the third user are believed to take about a twentieth of their requests."""
    policy, estimates = make_policy("easy"), "predicted:boosted:every=6h,growth=1,trees=25,rate=0.2"
    trace = replay(busy, policy, estimates=estimates)
    last = range(len(trace.rounds) - 60, len(trace.rounds))
    parts = {user: [] for user in range(3)}
    for problem in rounds_at(busy, policy, last, estimates=estimates):
        for number, believed in zip(problem.ids.tolist(), problem.jobs.walltime.tolist(), strict=True):
            at = int(np.flatnonzero(busy.id == number)[0])
            parts[int(busy.user[at])].append(believed / busy.walltime[at])
    means = [float(np.mean(parts[user])) for user in range(3)]
    assert 0.7 < means[0] <= 1.0
    assert 0.15 < means[1] < 0.35
    assert means[2] < 0.1


def test_replays_with_lessons_are_the_same_stepped(busy):
    """Lessons between rounds, whether the core runs the loop or Python steps it."""
    part = busy.take(slice(0, 150))
    estimates = "predicted:boosted:every=2h,trees=5"
    one = replay(part, "easy", estimates=estimates)
    assert_same(one, replay(part, stepped(make_policy("easy")), estimates=estimates))
    assert (one.start != replay(part, "easy").start).any()


def empty_memory():
    """Give a state for three users and 400 jobs."""
    history = boosted().history
    return np.zeros((history.rows(3, 400), history.width))


def test_a_lesson_learns_of_ended_jobs_alone():
    """Nothing ended, or jobs only started: no trees are grown."""
    lesson = boosted(every="1d", trees=3).history.learn
    state = empty_memory()
    lesson(np.zeros((0, len(EventColumn)), dtype=np.int64), state)
    assert shared_numbers(state)[TREES] == 0
    started = np.zeros((100, len(EventColumn)), dtype=np.int64)
    started[:, EventColumn.EVENT] = 1
    lesson(started, state)
    assert shared_numbers(state)[TREES] == 0


def test_lessons_wait_until_more_jobs_have_ended():
    """After a lesson of 60 ended jobs, with a growth of 2: none of 119, one of 120; a growth of 1 learns every time."""
    state = empty_memory()
    ended = np.zeros((200, len(EventColumn)), dtype=np.int64)
    ended[:, EventColumn.EVENT], ended[:, EventColumn.JOB] = Event.ENDED, np.arange(200)
    ended[:, EventColumn.WALLTIME], ended[:, EventColumn.RUNTIME] = 100, 50
    shared = shared_numbers(state)
    lesson = TreeFit(86400, 0.5, 3, 1000, 0.3, 2.0)
    for count, learned in ((49, 0), (60, 60), (119, 60), (120, 120), (200, 120)):
        shared[ENDED] = count
        lesson(ended[:count], state)
        assert shared[LEARNED] == learned
    replace(lesson, growth=1.0)(ended, state)
    assert shared[LEARNED] == 200


def test_parameters_are_part_of_the_key():
    """Another schedule is another replay."""
    workload = workload_of(1, [(0, 1, 5, 5)])
    keys = {
        ReplayTask(workload, make_policy("easy"), f"predicted:boosted{more}").key
        for more in ("", ":every=1d", ":quantile=0.7", ":trees=11", ":correction=doubling")
    }
    assert len(keys) == 5


def test_without_scikit_learn_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(ValueError, match=r"boosted needs scikit-learn; .*planbatch\[predictions\]"):
        check_estimates("predicted:boosted")
