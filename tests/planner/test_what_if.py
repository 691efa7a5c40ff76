"""What if a job started elsewhere: hand-worked, and the checker on random rounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import planbatch as pb
from planbatch.planner.model import NEVER


def test_a_job_goes_first() -> None:
    """Two processors, A (2, 100 s) and B (2, 30 s): B first costs A 30 s; A first costs B 100 s."""
    problem = pb.Round.of(2, now=0, waiting=[(0, 2, 100), (0, 2, 30)])
    change = pb.what_if(problem, 0, 0, "wait")
    assert change.after.start.tolist() == [0, 100]
    assert change.delays.tolist() == [-30, 100]
    assert (change.cost_before, change.cost_after) == (0.0, 100.0)


def test_a_job_goes_away() -> None:
    problem = pb.Round.of(2, now=0, waiting=[(0, 2, 100), (0, 2, 30)])
    change = pb.what_if(problem, 1, None, "wait")
    assert change.after.start.tolist() == [0, NEVER]
    assert change.delays.tolist() == [-30, 0]
    assert (change.cost_before, change.cost_after) == (30.0, 0.0)


def test_a_start_that_is_not_possible() -> None:
    problem = pb.Round.of(2, now=5, running=[(1, 50)], waiting=[(0, 2, 100)])
    with pytest.raises(ValueError, match="running jobs or windows.*earliest start is 50"):
        pb.what_if(problem, 0, 5, "wait")
    with pytest.raises(ValueError, match="past"):
        pb.what_if(problem, 0, 3, "wait")
    with pytest.raises(ValueError, match="job 7"):
        pb.what_if(problem, 7, None, "wait")


jobs = st.tuples(st.just(0), st.integers(1, 4), st.integers(1, 9))


@given(st.lists(jobs, min_size=1, max_size=6), st.integers(0, 5), st.integers(0, 20))
def test_the_new_plan_is_one(waiting, job, start) -> None:
    problem = pb.Round.of(4, now=0, waiting=waiting)
    job = min(job, len(waiting) - 1)
    change = pb.what_if(problem, job, start, "squared-wait", evaluations=50)
    assert change.after.start[job] == start
    assert pb.check_plan(problem, change.after, complete=True) == []
    others = np.arange(len(waiting)) != job
    waits = change.after.start[others].astype(float)
    if len(waits):
        assert change.cost_after == pytest.approx((waits**2).mean())
