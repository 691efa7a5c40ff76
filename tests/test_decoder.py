"""The profile and the decoder against a look at every second, and facts to build on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.decoder import decode
from planner.model import NEVER
from planner.plan import Plan, check_plan
from planner.profile import Profile
from planner.round import Round


@st.composite
def rounds(draw: st.DrawFn, most: int = 9, longest: int = 9) -> Round:
    """Draw a round with a few running and waiting jobs."""
    capacity = draw(st.integers(1, 6))
    now = draw(st.integers(-3, 20))
    running, free = [], capacity
    while free and draw(st.booleans()):
        procs = draw(st.integers(1, free))
        running.append((procs, now + draw(st.integers(1, longest))))
        free -= procs
    waiting = draw(
        st.lists(
            st.tuples(st.just(now), st.integers(1, capacity), st.integers(1, longest)),
            min_size=1,
            max_size=most,
        )
    )
    return Round.of(capacity, now, running, waiting)


@st.composite
def rounds_and_orders(draw: st.DrawFn, **limits: int) -> tuple[Round, list[int]]:
    problem = draw(rounds(**limits))
    return problem, draw(st.permutations(range(len(problem))))


def decode_by_seconds(problem: Round, order: list[int]) -> list[int]:
    """Place one job after the other, trying one second after the other."""
    jobs = problem.jobs
    horizon = problem.now + int(jobs.walltime.sum()) + 2
    horizon = max([horizon, *(problem.running.end + int(jobs.walltime.sum()) + 2).tolist()])
    free = dict.fromkeys(range(problem.now, horizon), problem.capacity)
    for procs, end in zip(*problem.running, strict=True):
        for second in range(problem.now, end):
            free[second] -= procs
    start = [NEVER] * len(problem)
    for job in order:
        when = problem.now
        need, length = int(jobs.procs[job]), int(jobs.walltime[job])
        while any(free[second] < need for second in range(when, when + length)):
            when += 1
        for second in range(when, when + length):
            free[second] -= need
        start[job] = when
    return start


@settings(max_examples=300, deadline=None)
@given(rounds_and_orders())
def test_decoding_places_every_job_at_its_earliest_start(case):
    """The decoder agrees with a look at every second, and its plan is valid and complete."""
    problem, order = case
    plan = decode(problem, order)
    assert plan.start.tolist() == decode_by_seconds(problem, order)
    assert check_plan(problem, plan, complete=True) == []


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_decoding_many_jobs_is_no_different(seed):
    """Long queues are decoded in another way: to the same plan."""
    rng = np.random.default_rng(seed)
    waiting = np.column_stack(
        [np.zeros(130, int), rng.integers(1, 17, 130), rng.integers(1, 6, 130)]
    )
    problem = Round.of(16, 0, [(3, 4), (9, 11)], [tuple(job) for job in waiting.tolist()])
    order = rng.permutation(130)
    assert decode(problem, order).start.tolist() == decode_by_seconds(problem, order.tolist())


@settings(max_examples=300, deadline=None)
@given(rounds_and_orders(), st.data())
def test_redecoding_a_feasible_plan_never_starts_a_job_later(case, data):
    """From a plan with gaps, decoding in the order of its starts only moves jobs earlier."""
    problem, order = case
    profile = Profile.of(problem)
    start = np.zeros(len(problem), dtype=np.int64)
    for job in order:
        procs, walltime = int(problem.jobs.procs[job]), int(problem.jobs.walltime[job])
        after = problem.now + data.draw(st.integers(0, 30))
        start[job] = profile.earliest(procs, walltime, after=after)
        profile.reserve(procs, int(start[job]), walltime)
    plan = Plan(start)
    assert check_plan(problem, plan, complete=True) == []
    again = decode(problem, plan.order())
    assert (again.start <= plan.start).all()
    assert (decode(problem, again.order()).start <= again.start).all()


@settings(max_examples=200, deadline=None)
@given(rounds(), st.integers(0, 25), st.integers(1, 9), st.data())
def test_profile_answers_like_a_look_at_every_second(problem, later, walltime, data):
    """Earliest starts after a given time, with reservations in between, and what is free then."""
    profile = Profile.of(problem)
    procs = data.draw(st.integers(1, problem.capacity))
    first = profile.earliest(procs, walltime)
    profile.reserve(procs, first, walltime)
    seconds = range(problem.now, problem.now + 80)
    running = list(zip(*problem.running, strict=True))

    def free(second: int) -> int:
        used = sum(size for size, end in running if second < end)
        return problem.capacity - used - procs * (first <= second < first + walltime)

    steps = list(profile)
    for second in seconds:
        assert free(second) == [amount for when, amount in steps if when <= second][-1]
    after = problem.now + later
    found = profile.earliest(procs, walltime, after=after)
    fitting = (
        s for s in seconds if s >= after and all(free(t) >= procs for t in range(s, s + walltime))
    )
    assert found == next(fitting)
    profile.release(procs, first, walltime)
    assert profile.fits(procs, first, first + walltime)


def test_profile_refuses_what_cannot_be():
    """Reservations that do not fit, lie in the past or exceed the machine."""
    profile = Profile.of(Round.of(4, now=10, running=[(3, 15)]))
    assert list(profile) == [(10, 1), (15, 4)]
    with pytest.raises(ValueError, match="not free from 12 to 14"):
        profile.reserve(2, 12, 2)
    with pytest.raises(ValueError, match="before the profile"):
        profile.reserve(1, 9, 2)
    with pytest.raises(ValueError, match="outside 1 … 4"):
        profile.earliest(5, 1)


@pytest.mark.parametrize("order", [[0], [0, 0], [0, 2], [1, 2, 0]])
def test_orders_that_are_no_permutations(order):
    """The decoder says so."""
    with pytest.raises(ValueError, match="not a permutation of the 2 waiting jobs"):
        decode(Round.of(2, waiting=[(0, 1, 1), (0, 1, 1)]), np.array(order))


def test_check_plan_finds_faults():
    """Starts in the past, beyond the machine, after a promise, or missing."""
    problem = Round.of(2, now=5, running=[(1, 8)], waiting=[(0, 2, 3), (0, 1, 3)])
    assert check_plan(problem, Plan(np.array([8, 5])), complete=True) == []
    assert "starts at 4, before now (5)" in check_plan(problem, Plan(np.array([8, 4])))[0]
    assert "3 processors are in use at 7" in check_plan(problem, Plan(np.array([7, NEVER])))[0]
    unplanned = Plan(np.array([8, NEVER]))
    assert check_plan(problem, unplanned) == []
    assert check_plan(problem, unplanned, complete=True) == ["job 1 has no start"]
    assert check_plan(problem, Plan(np.array([8]))) == ["the plan has 1 starts for 2 jobs"]
