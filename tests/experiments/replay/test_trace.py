"""Traces: the frame, and measures taken from them."""

from dataclasses import replace

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.metrics import metrics
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.replay.simulation import Simulation
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.planner.model import NEVER, Workload
from planbatch.planner.resources import Resource
from tests.builders import trace_of, workload_of


def small_trace():
    """Two jobs on two processors, by hand: the second waits for 90 s after the first.

    ::

        job 7   ████████████
        job 9               ██
                0  10       100  105
    """
    workload = Workload(
        "small", 2, [7, 9], [0, 10], [2, 2], [120, 30], [100, 5],
        deadline=[NEVER, 200], user=[4, -1], resources=(Resource("memory", 8),), demands=[[3], [8]],
    )  # fmt: skip
    trace = trace_of(workload, [0, 100])
    return replace(
        trace, first_planned=np.array([0, 120]), promise=np.array([NEVER, 240]), predicted=np.array([50, NEVER])
    )


def test_a_frame_has_one_row_per_job():
    """Every column of two jobs, by hand."""
    frame = small_trace().to_frame()
    assert frame.to_dict("list") == {
        "id": [7, 9],
        "user": [4, -1],
        "queue": [-1, -1],
        "submit": [0, 10],
        "procs": [2, 2],
        "walltime": [120, 30],
        "runtime": [100, 5],
        "start": [0, 100],
        "end": [100, 105],
        "wait": [0, 90],
        "bounded_slowdown": [1.0, 9.5],
        "stretch": [1.0, 4.0],
        "first_planned": [0, 120],
        "last_planned": [0, 100],
        "predicted": [50.0, pytest.approx(np.nan, nan_ok=True)],
        "promise": [pytest.approx(np.nan, nan_ok=True), 240.0],
        "deadline": [pytest.approx(np.nan, nan_ok=True), 200.0],
        "memory": [3, 8],
    }
    assert frame.attrs == {"workload": "small", "capacity": 2, "policy": "by-hand"}


def test_metrics_can_be_computed_from_the_frame():
    """The frame of a replay has the columns that the formulas need."""
    trace = replay(workload_of(4, [(0, 3, 50, 40), (5, 2, 30), (6, 1, 20, 7)]), "easy")
    frame, measured = trace.to_frame(), metrics(trace)
    assert frame.wait.mean() == measured.mean_wait
    assert frame.bounded_slowdown.mean() == measured.mean_bounded_slowdown
    assert frame.stretch.mean() == measured.mean_stretch
    area = (frame.procs * frame.runtime).sum()
    makespan = frame.end.max() - frame.submit.min()
    assert area / (frame.attrs["capacity"] * makespan) == measured.utilisation


def test_the_last_plan_before_a_start_is_that_of_the_round_before():
    """As whoever steps through the rounds sees it; whoever has none starts as planned."""
    workload = synthetic_workload(jobs=150, capacity=16, load=1.3)
    trace = replay(workload, "plan-wait")
    expected = trace.start.copy()
    number = {job: i for i, job in enumerate(workload.id)}
    simulation, policy = Simulation(workload), make_policy("plan-wait")
    rng = np.random.default_rng(0)
    while (problem := simulation.advance()) is not None:
        plan = policy(problem, rng)
        for i in np.flatnonzero(getattr(plan, "plan", plan).start == problem.now):
            if problem.planned[i] != NEVER:
                expected[number[problem.ids[i]]] = problem.planned[i]
        simulation.commit(plan)
    assert trace.last_planned.tolist() == expected.tolist()
    assert (expected != trace.start).any()


# Figures of a replay, by hand.


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
