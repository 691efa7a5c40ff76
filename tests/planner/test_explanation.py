"""Explanations and questions of what if: by hand, and what must hold for every job of random plans."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import planbatch as pb
from planbatch.planner import Profile
from planbatch.planner.model import NEVER
from planbatch.planner.round import RunningTable


def test_small_round() -> None:
    """Four processors; B waits for all of them, C and D pass it.

    ::

        3 | r r r r r r B B B B          r runs until 60, B (4 processors, 100 s) starts at 60,
        2 | r r r r r r B B B B          C (1 processor, 50 s) fits beside r,
        1 | r r r r r r B B B B          D (1 processor, 10 s) follows C until 60.
        0 | C C C C C D B B B B
    """
    problem = pb.Round.of(4, now=0, running=[(3, 60)], waiting=[(0, 4, 100), (0, 1, 50), (0, 1, 10)])
    why = pb.explain(problem, pb.Plan([60, 0, 50]), 0)
    assert (why.start, why.earliest, why.alone) == (60, 60, 60)
    assert [(o.kind, o.job, o.end) for o in why.holders] == [("running", None, 60), ("planned", 2, 60)]
    assert [(o.job, o.start, o.free, o.delay, o.backfilled) for o in why.overtakers] == [
        (1, 0, 1, 0, True),
        (2, 50, 1, 0, True),
    ]
    assert why.to_start_now is not None
    assert [(o.kind, o.job) for o in why.to_start_now] == [("running", None), ("planned", 1), ("planned", 2)]
    json.dumps(why.to_dict())


def test_the_plan_puts_another_first() -> None:
    """B could start now, but C, submitted later, has both processors until 30: without C, B starts 30 s earlier."""
    problem = pb.Round.of(2, now=0, waiting=[(0, 2, 100), (0, 2, 30)])
    why = pb.explain(problem, pb.Plan([30, 0]), 0)
    assert why.alone == 0
    assert [(o.job, o.delay, o.backfilled) for o in why.overtakers] == [(1, 30, False)]
    assert "puts it first" in str(why)


def test_an_unused_gap() -> None:
    """A plan that starts a job later than it could says so."""
    problem = pb.Round.of(2, now=0, waiting=[(0, 1, 10)])
    why = pb.explain(problem, pb.Plan([5]), 0)
    assert why.earliest == 0
    assert why.to_start_now == ()
    assert why.holders == ()
    assert "does not use that gap" in str(why)


def test_a_gap_too_short() -> None:
    """Two processors, one busy: B passes A on the free one, where A does not end before the window at 10."""
    problem = pb.Round.of(2, now=0, running=[(1, 15)], waiting=[(0, 1, 20), (0, 1, 9)], windows=[(10, 15, 1)])
    why = str(pb.explain(problem, pb.Plan([15, 0]), 0))
    assert "it fills a gap of 1 processor, where job 0 does not fit" in why


def test_a_window_is_in_the_way() -> None:
    """Both processors are away from 5 to 20: nobody's end lets a job of 10 s start now."""
    problem = pb.Round.of(2, now=0, waiting=[(0, 1, 10)], windows=[(5, 20, 2)])
    why = pb.explain(problem, pb.Plan([20]), 0)
    assert why.to_start_now is None
    assert [o.kind for o in why.holders] == ["window"]


def test_errors_name_the_job() -> None:
    problem = pb.Round.of(2, now=0, waiting=[(0, 2, 10), (0, 2, 10)])
    with pytest.raises(ValueError, match="job 7"):
        pb.explain(problem, pb.Plan([0, 10]), 7)
    with pytest.raises(ValueError, match="job 3: 2 waiting jobs"):
        pb.explain(replace(problem, ids=[3, 3]), pb.Plan([0, 10]), 3)
    with pytest.raises(ValueError, match="not free|not fit"):
        pb.explain(problem, pb.Plan([0, 5]), 1)


jobs = st.tuples(st.just(0), st.integers(1, 4), st.integers(1, 9))
ends = st.tuples(st.integers(1, 2), st.integers(1, 9))


@given(st.lists(jobs, min_size=1, max_size=6), st.lists(ends, max_size=2), st.randoms())
def test_what_lets_a_job_start_now_does(waiting, running, random) -> None:
    """Without the jobs of ``to_start_now`` the job fits now; with any one of them put back, it does not."""
    problem = pb.Round.of(4, now=0, running=running, waiting=waiting)
    order = list(range(len(waiting)))
    random.shuffle(order)
    plan = pb.decode(problem, np.array(order))
    for job in order:
        why = pb.explain(problem, plan, job)
        assert why.start == why.earliest >= why.alone
        assert (why.start == 0) == (why.to_start_now == ()) == (not why.holders)
        assert why.to_start_now is not None
        removed = {(o.kind, o.index) for o in why.to_start_now}
        assert earliest_without(problem, plan, job, removed) == 0
        for removed_job in removed:
            assert earliest_without(problem, plan, job, removed - {removed_job}) > 0
        for other in why.overtakers:
            gained = why.start - earliest_without(problem, plan, job, {("planned", other.job)})
            assert gained == other.delay


def earliest_without(problem, plan, job, removed) -> int:
    """Return the earliest start of a job if some others were gone."""
    stay = [i for i in range(len(problem.running.end)) if ("running", i) not in removed]
    running = problem.running
    left = RunningTable(running.procs[stay], running.end[stay], running.demands[stay])
    profile = Profile(pb.Round(problem.now, problem.capacity, left, problem.jobs))
    for i, start in enumerate(plan.start.tolist()):
        if i != job and ("planned", i) not in removed:
            profile.reserve(int(problem.jobs.procs[i]), start, int(problem.jobs.walltime[i]))
    return profile.earliest(int(problem.jobs.procs[job]), int(problem.jobs.walltime[job]))


# What if a job started elsewhere: hand-worked, and the checker on random rounds.


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


waiting_jobs = st.tuples(st.just(0), st.integers(1, 4), st.integers(1, 9))


@given(st.lists(waiting_jobs, min_size=1, max_size=6), st.integers(0, 5), st.integers(0, 20))
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
