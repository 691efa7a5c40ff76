"""Figures of a replay, by hand."""

import pytest

from planbatch.experiments.replay.metrics import metrics
from tests.builders import trace_of, workload_of


def test_figures_of_three_jobs():
    """Waits 0, 5 and 20 s; bounded slowdowns 10/10, (5 + 4)/10 → 1 and (20 + 2)/10; stretches 1, 1.5 and 2.

    ::

        4 |. . . B
        3 |. . . B
        2 |A A . B
        1 |A A . B . . . C
          +---------------
           0 … 10 … 14 … 26 … 28
    """
    workload = workload_of(4, [(0, 2, 20, 10), (5, 4, 10, 4), (6, 1, 20, 2)])
    figures = metrics(trace_of(workload, [0, 10, 26]))
    assert figures.as_dict() == pytest.approx(
        {
            "jobs": 3,
            "mean_wait": 25 / 3,
            "median_wait": 5.0,
            "p95_wait": 18.5,
            "max_wait": 20,
            "mean_bounded_slowdown": 1.4,
            "mean_stretch": 1.5,
            "mean_response": 41 / 3,
            "makespan": 28,
            "utilisation": 38 / 112,
        },
        rel=1e-12,
    )


def test_slowdown_is_bounded_at_ten_seconds():
    """Run times of 9, 10 and 11 s, each after a wait of 100 s."""
    for runtime, slowdown in ((9, 10.9), (10, 11.0), (11, 111 / 11)):
        trace = trace_of(workload_of(1, [(0, 1, 50, runtime)]), [100])
        assert metrics(trace).mean_bounded_slowdown == pytest.approx(slowdown, rel=1e-12)


def test_makespan_begins_with_the_first_submission():
    """Not at zero, and not with the first start."""
    figures = metrics(trace_of(workload_of(2, [(1000, 1, 10, 10), (1001, 2, 5, 5)]), [1003, 1013]))
    assert figures.makespan == 18
    assert figures.utilisation == pytest.approx(20 / 36)


def test_a_full_machine_is_used_completely():
    figures = metrics(trace_of(workload_of(3, [(0, 3, 7, 7), (0, 3, 7, 7)]), [0, 7]))
    assert figures.utilisation == 1.0
    assert type(figures.max_wait) is int
    assert type(figures.mean_wait) is float


def test_no_jobs_have_no_figures():
    with pytest.raises(ValueError, match="trace: small under by-hand has no jobs to measure"):
        metrics(trace_of(workload_of(3, []), []))
