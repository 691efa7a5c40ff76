"""Rounds captured from a replay."""

from dataclasses import fields, replace

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.rounds.capture import CANDIDATES, Sample, capture, sample_interpreted, write_captured
from planbatch.experiments.rounds.file import read_round
from planbatch.experiments.workloads.deadlines import with_deadlines
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.resources import with_scarce_memory
from planbatch.objectives import powered_wait
from planbatch.objectives.wait import WAIT
from planbatch.planner.bounds import RELAXATIONS, lower_bound
from planbatch.planner.budget import Budget
from planbatch.planner.optimizers import make_optimizer
from tests.builders import random_round


@pytest.fixture(scope="module")
def workload():
    """Give a small workload that is busy enough for queues."""
    return synthetic_workload(jobs=400, capacity=32, seed=3)


def test_rounds_have_about_the_size_that_was_wanted_and_a_job_fits(workload, tmp_path):
    """They are written under telling names, say where they come from, and are read again as they were."""
    rounds = capture(workload, make_policy("easy"), [40, 3, 5], per_size=2, seed=1)
    assert list(rounds) == [3, 5, 40]
    assert len(rounds[3]) == len(rounds[5]) == 2
    for size, rounds_of_size in rounds.items():
        for problem in rounds_of_size:
            assert abs(len(problem) - size) <= 0.05 * size
            assert problem.jobs.procs.min() <= problem.free
    paths = write_captured(rounds, tmp_path / "out", "a log", "easy:x", "half of it")
    problem = rounds[3][0]
    assert paths[0].name == f"a-log-easy-x-n0003-t{problem.now}.json"
    assert '"source": "a log under easy:x at' in paths[0].read_text()
    again = read_round(paths[0])
    assert again.now == problem.now
    np.testing.assert_array_equal(again.ids, problem.ids)
    np.testing.assert_array_equal(again.jobs.walltime, problem.jobs.walltime)


def test_the_same_seed_captures_the_same_rounds(workload):
    """Other sizes that are wanted too do not matter."""
    first = capture(workload, make_policy("easy"), [4], per_size=3, seed=1)[4]
    two = capture(workload, make_policy("easy"), [4, 6], per_size=3, seed=1)[4]
    other = capture(workload, make_policy("easy"), [4], per_size=3, seed=2)[4]
    assert [p.now for p in first] == [p.now for p in two] != [p.now for p in other]


def test_a_policy_that_needs_the_workload_gets_it(workload):
    """Working time is that of the log's clock: captured rounds are those of an ordinary replay."""
    dated = replace(workload, header={"UnixStartTime": "1704067200", "TimeZoneString": "UTC"})
    policy = make_policy("wdbf")
    rounds = replay(dated, policy).rounds
    waiting = dict(zip(rounds.time.tolist(), rounds.waiting.tolist(), strict=True))
    sizes = range(2, 30)
    captured = [problem for some in capture(dated, policy, sizes, per_size=50).values() for problem in some]
    assert len(captured) > 100
    assert [waiting.get(problem.now) for problem in captured] == [len(problem) for problem in captured]


def test_every_round_is_as_likely_to_be_kept():
    """Of four rounds, two are kept; over 400 samples, each about 200 times."""
    rounds = [random_round(5, seed) for seed in range(4)]
    counts = np.zeros(4)
    for seed in range(400):
        sample = Sample(5, 2, np.random.default_rng(seed))
        for problem in rounds:
            sample.offer(len(problem), problem)
        counts += [any(problem is other for other in sample.rounds) for problem in rounds]
    assert counts.sum() == 800
    assert (np.abs(counts - 200) < 40).all()


@pytest.mark.parametrize(("sizes", "per_size"), [([], 1), ([0], 1), ([3], 0)])
def test_bad_sizes_are_refused(workload, sizes, per_size):
    with pytest.raises(ValueError, match="size"):
        capture(workload, make_policy("easy"), sizes, per_size=per_size)


@pytest.mark.parametrize("name", ["easy", "conservative", "dbf", "plan-wait", "promising", "memory"])
def test_a_compiled_replay_gives_the_rounds_of_an_interpreted_one(workload, name):
    """To the last field: reservations, policy state, promises and demands, too."""
    plan = "plan-wait:evaluations=20,promise=1h"
    policy = make_policy({"memory": "easy", "promising": plan}.get(name, name))
    if name == "dbf":
        workload = with_deadlines(workload, "random:40", 1)
    if name == "memory":
        workload = with_scarce_memory(workload, "16GB", 1)
    sizes = [3, 6, 10]
    ours = capture(workload, policy, sizes, per_size=5, seed=1)
    theirs = sample_interpreted(workload, policy, sizes, 5, "requested", 1, None)
    assert [len(rounds) for rounds in ours.values()][:2] == [5, 5]
    for size, rounds in ours.items():
        expected = sorted(theirs[size], key=lambda problem: problem.now)
        for problem, other in zip(rounds, expected, strict=True):
            assert_same_round(problem, other)


def assert_same_round(problem, other):
    for field in fields(problem):
        mine, its = getattr(problem, field.name), getattr(other, field.name)
        if isinstance(mine, tuple):
            assert type(mine) is type(its)
            for column, same in zip(mine, its, strict=True):
                np.testing.assert_array_equal(column, same)
        else:
            np.testing.assert_array_equal(mine, its)


def test_hard_rounds_have_the_largest_gaps_between_first_plan_and_bound(workload):
    """Of the same sample, no other round has a larger one; two are kept."""
    hard = capture(workload, "easy", [5], per_size=2, seed=1, hard="wait")[5]
    candidates = capture(workload, "easy", [5], per_size=2 * CANDIDATES, seed=1)[5]

    def gap(problem):
        cost = make_optimizer("greedy").optimize(problem, WAIT, Budget(evaluations=0), None).cost
        return 1 - lower_bound(problem, WAIT, cost, RELAXATIONS) / cost if cost else 0.0

    gaps = sorted((gap(problem) for problem in candidates), reverse=True)
    assert len(gaps) > 20
    assert gaps[1] > gaps[20]
    assert sorted((gap(problem) for problem in hard), reverse=True) == gaps[:2]


def test_hard_rounds_need_an_objective_with_a_bound(workload):
    """Nothing is proven about plain functions."""
    with pytest.raises(ValueError, match="hard: nothing is proven"):
        capture(workload, "easy", [5], hard=powered_wait(3))
