"""The checker finds every kind of fault that is put into a sound trace."""

from dataclasses import replace

import numpy as np
import pytest

from baselines.catalogue import make_policy
from experiments.checker import PlannedRound, check_reservations, check_trace
from experiments.replay import Trace, replay
from planner.model import NEVER
from tests.small_workloads import workload_of


@pytest.fixture
def trace() -> Trace:
    """Replay three jobs: starts 0, 4 and 7."""
    return replay(workload_of(4, [(0, 2, 4), (1, 4, 3), (2, 2, 2)]), make_policy("fcfs"))


def faults_with(trace: Trace, job: int, start: int, end: int | None = None) -> list[str]:
    """Check the trace with another start (and end) of a job."""
    starts, ends = trace.start.copy(), trace.end.copy()
    ends[job] = start + trace.workload.runtime[job] if end is None else end
    starts[job] = start
    return check_trace(replace(trace, start=starts, end=ends))


def test_a_sound_trace_has_no_faults(trace):
    assert check_trace(trace) == []


def test_jobs_that_start_too_early(trace):
    """Job 3 would start a second before its submission."""
    assert "job 3 starts at 1, before its submission at 2" in faults_with(trace, 2, 1)


def test_jobs_that_do_not_run_for_their_time(trace):
    assert "job 3 runs for 1 s instead of 2 s" in faults_with(trace, 2, 7, 8)


def test_jobs_that_never_run(trace):
    assert any("job 3 never runs" in fault for fault in faults_with(trace, 2, 2**60))


def test_more_processors_than_there_are(trace):
    """Jobs 2 and 3 overlap for a single second."""
    assert "6 processors are in use at 6, above the capacity of 4" in faults_with(trace, 2, 6)


def test_starts_outside_rounds(trace):
    """At 30 there is no round, and the round at 7 starts a job less than it says."""
    faults = faults_with(trace, 2, 30)
    assert "jobs start at 30, when there is no round" in faults
    assert "the round at 7 says that it started 1 jobs, not 0" in faults


def test_missing_jobs(trace):
    short = replace(trace, start=trace.start[:2], end=trace.end[:2])
    assert check_trace(short) == ["the trace has 2 starts and 2 ends for 3 jobs"]


def test_many_faults_are_told_in_short(trace):
    """Only the first five of a kind are told one by one."""
    many = replace(
        trace,
        workload=workload_of(9, [(10, 1, 2)] * 9),
        start=np.arange(9),
        end=np.arange(9) + 2,
        promise=np.full(9, NEVER),
    )
    faults = check_trace(many)
    assert faults[4] == "job 5 starts at 4, before its submission at 10"
    assert faults[5] == "… and 4 more like the last"


def test_promises_that_are_broken(trace):
    """Job 3 starts at 7."""
    kept = replace(trace, promise=np.array([0, NEVER, 7]))
    broken = replace(trace, promise=np.array([0, NEVER, 6]))
    assert check_trace(kept) == []
    assert check_trace(broken) == ["job 3 starts at 7, after its promise 6"]


def test_reservations_that_move_later():
    """A later reservation is a fault, an earlier one is not."""
    rounds = [
        PlannedRound(0, np.array([1, 2]), np.array([5, 9])),
        PlannedRound(3, np.array([1, 2]), np.array([4, 10])),
    ]
    assert check_reservations(rounds) == [
        "the reservation of job 2 moves from 9 to 10 in the round at 3"
    ]
