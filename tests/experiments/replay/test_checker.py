"""The checker of traces finds each kind of fault."""

from dataclasses import replace

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.checker import (
    MOST_LISTED,
    PlannedRound,
    check_reservations,
    check_trace,
    recorded_replay,
)
from planbatch.experiments.replay.replay import replay
from planbatch.planner.model import NEVER
from tests.builders import trace_of, workload_of

#: Two jobs of 3 and 2 processors on 4; they cannot run together.
WORKLOAD = workload_of(4, [(0, 3, 10, 5), (1, 2, 10, 10)])


def test_a_sound_trace_has_no_faults():
    """The second job starts at the instant the first one ends."""
    assert check_trace(trace_of(WORKLOAD, [0, 5])) == []


def test_a_start_before_the_submission_is_a_fault():
    assert check_trace(trace_of(WORKLOAD, [6, 0]))[0] == "job 2 starts at 0, before its submission at 1"


def test_too_many_processors_are_a_fault():
    """At the first instant of every overlap."""
    assert check_trace(trace_of(WORKLOAD, [0, 4])) == ["5 processors are in use at 4, above the capacity of 4"]


def test_a_wrong_run_time_is_a_fault():
    """A job runs for its run time, neither for more nor for less."""
    trace = trace_of(WORKLOAD, [0, 5])
    longer = replace(trace, end=trace.end + np.array([0, 3]))
    assert check_trace(longer) == ["job 2 runs for 13 s instead of 10 s"]


def test_a_job_that_never_runs_is_a_fault():
    faults = check_trace(trace_of(WORKLOAD, [0, NEVER]))
    assert faults[0] == "job 2 is never started"


def test_a_missing_job_is_a_fault():
    trace = trace_of(WORKLOAD, [0, 5])
    assert check_trace(replace(trace, start=trace.start[:1])) == ["the trace has 1 starts and 2 ends for 2 jobs"]


def test_the_log_has_to_count_the_starts():
    """Every start in a round, every round with as many starts as it says, in ascending order."""
    trace = trace_of(WORKLOAD, [0, 5])
    wrong = replace(trace, rounds=replace(trace.rounds, started=np.array([1, 2])))
    assert check_trace(wrong) == ["the round at 5 says that it started 2 jobs, not 1"]
    missing = replace(trace, rounds=replace(trace.rounds, time=np.array([0, 6])))
    assert "jobs start at 5, when there is no round" in check_trace(missing)
    twice = replace(trace, rounds=replace(trace.rounds, time=np.array([5, 5])))
    assert check_trace(twice) == ["the round at 5 comes after one at 5"]


def test_only_the_first_few_faults_are_reported():
    workload = workload_of(1, [(5, 1, 1, 1)] * 9)
    faults = check_trace(trace_of(workload, range(-9, 0)))
    assert faults[:MOST_LISTED] == [f"job {i} starts at {i - 10}, before its submission at 5" for i in range(1, 6)]
    assert faults[MOST_LISTED] == "… and 4 more like the last"


@pytest.mark.parametrize("name", ["easy", "conservative"])
def test_a_moved_start_of_a_real_replay_is_found(name):
    """Whatever job starts one second earlier than it did, something is wrong."""
    jobs = [(0, 3, 9, 4), (0, 2, 6, 6), (1, 4, 5, 5), (2, 1, 9, 2), (2, 2, 3, 3)]
    trace = replay(workload_of(4, jobs), make_policy(name))
    assert check_trace(trace) == []
    for i in range(5):
        start = trace.start.copy()
        start[i] -= 1
        moved = replace(trace, start=start, end=start + trace.workload.runtime)
        assert check_trace(moved), f"job {i + 1}"


def test_a_broken_promise_is_a_fault():
    """Job 2 starts at 5."""
    trace = trace_of(WORKLOAD, [0, 5])
    assert check_trace(replace(trace, promise=np.array([0, 5]))) == []
    assert check_trace(replace(trace, promise=np.array([NEVER, 4]))) == ["job 2 starts at 5, after its promise 4"]


def test_reservations_may_move_forward_only():
    """The first round makes them, later ones keep or improve them."""

    def planned(now, **start):
        ids = np.array([int(name[1:]) for name in start])
        return PlannedRound(now, ids, np.array(list(start.values())))

    assert check_reservations([planned(0, j1=5, j2=9), planned(1, j1=5, j2=7)]) == []
    assert check_reservations([planned(0, j1=5, j2=7), planned(3, j1=5, j2=9, j3=4)]) == [
        "the reservation of job 2 moves from 7 to 9 in the round at 3"
    ]


def test_recording_changes_no_replay():
    """The recorder does what the recorded policy does, and remembers each plan."""
    workload = workload_of(2, [(0, 2, 5, 3), (1, 1, 4, 4), (2, 2, 1, 1)])
    trace, rounds = recorded_replay(workload, make_policy("conservative"))
    assert trace.start.tolist() == [0, 3, 7]
    assert trace.policy == "conservative"
    assert [(r.now, r.ids.tolist(), r.start.tolist()) for r in rounds] == [
        (0, [1], [0]),
        (1, [2], [5]),
        (2, [2, 3], [5, 9]),
        (3, [2, 3], [3, 7]),
        (7, [3], [7]),
    ]
    replanned = recorded_replay(workload, make_policy("replanned"))[1]
    assert check_reservations(replanned) == []
