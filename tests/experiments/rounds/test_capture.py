"""Rounds captured from a replay."""

from dataclasses import replace

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.rounds.capture import Sample, capture, write_captured
from planbatch.experiments.rounds.file import read_round
from planbatch.experiments.workloads.lublin import synthetic_workload
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
    for size, found in rounds.items():
        for problem in found:
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
    one = capture(workload, make_policy("easy"), [4], per_size=3, seed=1)[4]
    two = capture(workload, make_policy("easy"), [4, 6], per_size=3, seed=1)[4]
    other = capture(workload, make_policy("easy"), [4], per_size=3, seed=2)[4]
    assert [p.now for p in one] == [p.now for p in two] != [p.now for p in other]


def test_a_policy_that_needs_the_workload_gets_it(workload):
    """Working time is that of the log's clock: captured rounds are those of an ordinary replay."""
    dated = replace(workload, header={"UnixStartTime": "1704067200", "TimeZoneString": "UTC"})
    policy = make_policy("wdbf")
    rounds = replay(dated, policy).rounds
    waiting = dict(zip(rounds.time.tolist(), rounds.waiting.tolist(), strict=True))
    sizes = range(2, 30)
    found = [
        problem for some in capture(dated, policy, sizes, per_size=50).values() for problem in some
    ]
    assert len(found) > 100
    assert [waiting.get(problem.now) for problem in found] == [len(problem) for problem in found]


def test_every_round_is_as_likely_to_be_kept():
    """Of four rounds, two are kept; over 400 samples, each about 200 times."""
    rounds = [random_round(5, seed) for seed in range(4)]
    kept = np.zeros(4)
    for seed in range(400):
        sample = Sample(5, 2, np.random.default_rng(seed))
        for problem in rounds:
            sample.offer(problem)
        kept += [any(problem is other for other in sample.rounds) for problem in rounds]
    assert kept.sum() == 800
    assert (np.abs(kept - 200) < 40).all()


@pytest.mark.parametrize(("sizes", "per_size"), [([], 1), ([0], 1), ([3], 0)])
def test_bad_sizes_are_refused(workload, sizes, per_size):
    """Before anything is replayed."""
    with pytest.raises(ValueError, match="size"):
        capture(workload, make_policy("easy"), sizes, per_size=per_size)
