"""The figures of a replay, by hand."""

import pytest

from baselines.catalogue import make_policy
from experiments.metrics import metrics
from experiments.replay import replay
from tests.small_workloads import workload_of


def test_figures_of_four_jobs():
    """FCFS on one processor: waits 0, 18, 35 and 55 s, with an early end of the first job.

    Runs of 20, 20, 20 and 5 s begin at 0, 20, 40 and 60, and end at 65; the first job is submitted
    at 0.
    """
    jobs = [(0, 1, 40, 20), (2, 1, 20), (5, 1, 25, 20), (5, 1, 5)]
    measured = metrics(
        replay(workload_of(2, [(s, 2, *t) for s, _, *t in jobs]), make_policy("fcfs"))
    )
    assert measured.jobs == 4
    assert measured.mean_wait == (0 + 18 + 35 + 55) / 4
    assert measured.median_wait == (18 + 35) / 2
    assert measured.p95_wait == pytest.approx(35 + 0.85 * 20)
    assert measured.max_wait == 55
    # The run of 5 s counts as 10 s: (55 + 5) / 10.
    assert measured.mean_bounded_slowdown == pytest.approx((1 + 38 / 20 + 55 / 20 + 6) / 4)
    assert measured.mean_stretch == pytest.approx((1 + 38 / 20 + 60 / 25 + 12) / 4)
    assert measured.mean_response == (20 + 38 + 55 + 60) / 4
    assert measured.makespan == 65
    assert measured.utilisation == 1.0


def test_slowdown_is_at_least_one():
    """A job of 1 s that does not wait has slowdown 1, not a tenth."""
    measured = metrics(replay(workload_of(2, [(7, 1, 1)]), make_policy("fcfs")))
    assert measured.mean_bounded_slowdown == 1.0
    assert measured.utilisation == 0.5


def test_nothing_cannot_be_measured():
    """An empty trace is refused in words."""
    with pytest.raises(ValueError, match="no jobs to measure"):
        metrics(replay(workload_of(2, []), make_policy("fcfs")))
