"""Workloads and rounds say which of their fields is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from planbatch.planner.decoder import decode
from planbatch.planner.model import MAX_VALUE, NEVER, Job, JobTable, Workload, int_column
from planbatch.planner.round import Round, RunningTable, job_table
from tests.builders import workload_of


def five(**changes):
    """Give a small workload, with other fields."""
    fields = {
        "name": "five",
        "capacity": 8,
        "id": [1, 2, 3],
        "submit": [0, 5, 5],
        "procs": [1, 8, 3],
        "walltime": [10, 20, 30],
        "runtime": [10, 1, 30],
    }
    return Workload(**{**fields, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"capacity": 0}, "capacity: 0 is not a positive"),
        ({"capacity": True}, "capacity: True is not a positive"),
        ({"capacity": 7.5}, "capacity: 7.5 is not a positive"),
        ({"procs": [1, 9, 3]}, r"procs\[1\]: 9 is outside 1 … 8"),
        ({"procs": [1, 8, 0]}, r"procs\[2\]: 0 is outside 1 … 8"),
        ({"walltime": [10, 20, 0]}, r"walltime\[2\]: 0 is below 1"),
        ({"runtime": [0, 1, 30]}, r"runtime\[0\]: 0 is below 1"),
        ({"runtime": [10, 21, 30]}, r"runtime\[1\]: longer than the walltime 20"),
        ({"submit": [0, 5.5, 6]}, r"submit\[1\]: 5.5 is not a whole number"),
        ({"submit": [0, float("nan"), 6]}, r"submit\[1\]: nan is not a whole number"),
        ({"submit": ["a", "b", "c"]}, "submit: expected whole numbers"),
        ({"submit": [0, 1, 2**60 - 1]}, r"submit\[2\]: .* is above"),
        ({"id": [1, 2]}, "id: 2 entries for 3 jobs"),
        ({"deadline": [1, 2, 3, 4]}, "deadline: 4 entries for 3 jobs"),
        ({"procs": [[1, 2, 3]]}, "procs: expected one dimension"),
    ],
)
def test_wrong_workloads_name_the_field(changes, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        five(**changes)


def test_dates_are_known_from_1971_on():
    """The first job is submitted 5 s after the log's zero: on 1 January 1971 at midnight, or a second before."""
    year = 365 * 86400
    for zero, epoch in ((year - 5, year - 5), (year - 6, None)):
        assert five(submit=[5, 6, 7], header={"UnixStartTime": f"{zero} "}).epoch == epoch


def test_workloads_are_sorted_by_submit_time_and_place():
    """FCFS order; a job keeps all its columns."""
    workload = five(submit=[9, 5, 5], deadline=[90, NEVER, 50])
    assert workload.id.tolist() == [2, 3, 1]
    assert workload.procs.tolist() == [8, 3, 1]
    assert workload.deadline.tolist() == [NEVER, 50, 90]
    assert workload[0] == Job(2, 5, 8, 20, 1)
    assert [job.id for job in workload] == [2, 3, 1]


def test_columns_are_frozen():
    """Nobody changes a workload by accident; what it was made of stays free."""
    submit = np.array([3, 2, 1])
    workload = five(submit=submit)
    submit[0] = 99
    assert workload.submit.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        workload.submit[0] = 7


def test_absent_columns():
    """No deadline, no user, no queue."""
    workload = five()
    assert workload.deadline.tolist() == [NEVER] * 3
    assert workload.user.tolist() == [-1] * 3
    assert workload.queue.tolist() == [-1] * 3


def test_take_keeps_the_rest():
    """By a mask, by indices, with changes."""
    workload = five()
    assert workload.take(workload.procs > 1).id.tolist() == [2, 3]
    assert workload.take([2], name="other").name == "other"
    assert workload.take(slice(0, 0)).submit.tolist() == []


def test_columns_accept_whole_floats_and_the_sentinel():
    """2.0 is a whole number; NEVER is always accepted; the largest exact float is the limit."""
    assert int_column("x", [2.0, 3.0], 0).tolist() == [2, 3]
    assert int_column("x", [NEVER], 0, 5).tolist() == [NEVER]
    assert int_column("x", [], 0).tolist() == []
    with pytest.raises(ValueError, match=r"x\[0\]"):
        int_column("x", [MAX_VALUE + 1], 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), "capacity: 0 is not a positive whole number"),
        ((4, 0, [], [(0, 5, 1)]), r"waiting procs\[0\]: 5 is outside 1 … 4"),
        ((4, 0, [], [(0, 1, 0)]), r"waiting walltime\[0\]: 0 is below 1"),
        ((4, 0, [(5, 9)]), r"running procs\[0\]: 5 is outside 1 … 4"),
        ((4, 0, [(3, 9), (2, 9)]), "running procs: 5 in use, above the capacity of 4"),
        ((4, 7, [(3, 7)]), r"running end\[0\]: 7 is below 8"),
        ((4, 0, [], [(0, 1, 1)], [1, 2]), "planned: 2 entries for 1 jobs"),
    ],
)
def test_wrong_rounds_name_the_field(arguments, message):
    """A round checks what it is made of."""
    with pytest.raises(ValueError, match=f"^{message}"):
        Round.of(*arguments)


def test_columns_of_different_lengths_are_named():
    """In the waiting table, and in the running one."""
    one, two = np.array([1]), np.array([1, 2])
    empty = RunningTable(np.array([], dtype=np.int64), np.array([], dtype=np.int64))
    with pytest.raises(ValueError, match="waiting procs: 2 entries for 1 jobs"):
        Round(1, 4, empty, job_table(one, two, one))
    with pytest.raises(ValueError, match="running: 1 sizes for 2 ends"):
        Round(1, 4, RunningTable(one, two + 1), job_table(one, one, one))
    with pytest.raises(ValueError, match="ids: 2 entries for 1 jobs"):
        Round(1, 4, empty, job_table(one, one, one), ids=two)


def test_a_round_sorts_running_jobs_and_numbers_waiting_ones():
    """By expected end; from 0 on; nothing planned."""
    problem = Round.of(10, 0, [(1, 9), (2, 3), (3, 9)], [(0, 1, 1, 77), (0, 1, 1)])
    assert problem.running.end.tolist() == [3, 9, 9]
    assert problem.running.procs.tolist() == [2, 1, 3]
    assert problem.free == 4
    assert len(problem) == 2
    assert problem.ids.tolist() == [0, 1]
    assert problem.planned.tolist() == [NEVER, NEVER]
    assert problem.jobs.deadline.tolist() == [77, NEVER]


def test_no_planner_can_see_run_times():
    """There is no such column."""
    names = ("submit", "procs", "walltime", "deadline", "latest", "user", "demands", "past")
    assert JobTable._fields == names
    assert "runtime" not in dir(Round.of(1))


def test_times_that_no_profile_holds_are_refused():
    """Walltimes that add up to 2^60 s, in a round and in a workload, and those that jobs occupy; less is planned."""
    most = NEVER // 3
    fits = Round.of(4, waiting=[(0, 4, most)] * 3)
    assert decode(fits, [2, 1, 0]).start.tolist() == [2 * most, most, 0]
    message = r"the sum is 1.15e\+18 s, and has to stay below 2\^60 s"
    with pytest.raises(ValueError, match=f"^waiting walltime: {message}"):
        Round.of(4, waiting=[(0, 4, most + 2)] * 3)
    with pytest.raises(ValueError, match="^waiting walltime: "):
        Round.of(4, waiting=[(0, 4, NEVER)] * 3)
    with pytest.raises(ValueError, match=f"^waiting occupied: {message}"):
        replace(fits, occupied=np.full(3, most + 2))
    with pytest.raises(ValueError, match=f"^walltime: {message}"):
        workload_of(4, [(0, 4, 2**53, 1)] * 128)
    assert len(workload_of(4, [(0, 4, 2**53, 1)] * 127)) == 127
