"""The availability profile, against a list with one entry a second; and the faults of plans."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan, check_plan
from planbatch.planner.profile import Profile
from planbatch.planner.round import Round

HORIZON = 120


def profile_of(capacity, running, now=0):
    """Give the profile of (processors, end) pairs."""
    return Profile(Round.of(capacity, now, running))


def test_a_profile_steps_up_at_expected_ends():
    """Jobs that end together make one step.

    ::

        10 |          ______
         7 |    _____|
         4 |___|
           +---------------
           0   3     8
    """
    profile = profile_of(10, [(2, 8), (3, 3), (1, 8)])
    assert list(profile) == [(0, 4), (3, 7), (8, 10)]
    assert profile.times.tolist() == [0, 3, 8]
    assert profile.free.tolist() == [4, 7, 10]


def test_an_idle_machine_has_one_step():
    """Everything is free for ever."""
    assert list(profile_of(5, [], now=9)) == [(9, 5)]
    assert profile_of(5, [], now=9).earliest(5, 10**9) == 9


def test_earliest_skips_holes_that_are_too_short():
    """Two processors are free at 3, but only for three seconds."""
    profile = profile_of(4, [(3, 3)])
    profile.reserve(3, 6, 4)
    assert list(profile) == [(0, 1), (3, 4), (6, 1), (10, 4)]
    assert profile.earliest(2, 3) == 3
    assert profile.earliest(2, 4) == 10
    assert profile.earliest(1, 100) == 0
    assert profile.earliest(2, 3, after=4) == 10
    assert profile.earliest(2, 2, after=4) == 4
    assert profile.earliest(4, 1, after=50) == 50


def test_release_gives_back_what_reserve_took():
    """The free processors are those of before."""
    profile = profile_of(4, [(3, 3)])
    profile.reserve(2, 5, 10)
    assert not profile.fits(3, 5, 6)
    profile.release(2, 5, 10)
    assert profile.fits(4, 3, 100)


def test_what_is_not_free_cannot_be_reserved():
    profile = profile_of(4, [(3, 3)], now=0)
    with pytest.raises(ValueError, match="demand: not free from 0 to 1"):
        profile.reserve(2, 0, 1)
    with pytest.raises(ValueError, match="start: -1 lies before the profile, which begins at 0"):
        profile.reserve(1, -1, 1)
    for procs in (0, 5):
        with pytest.raises(ValueError, match=rf"demand: \[{procs}\] is outside 1 … \[4\]"):
            profile.earliest(procs, 1)
    assert list(profile) == [(0, 1), (3, 4)]


def test_the_columns_of_a_profile_are_copies():
    """What was looked at stays as it was, and cannot be written to."""
    profile = profile_of(2, [(1, 5)])
    times = profile.times
    profile.reserve(1, 1, 2)
    assert times.tolist() == [0, 5]
    with pytest.raises(ValueError, match="read-only"):
        times[0] = 99
    assert list(profile) == [(0, 1), (1, 0), (3, 1), (5, 2)]


@pytest.mark.parametrize(("walltime", "start"), [(0, 0), (-1, 0), (2**60 + 1, 0), (1, -1)])
def test_what_no_profile_holds_is_refused(walltime, start):
    """Times before its beginning, and walltimes that are none; nothing is taken."""
    profile = profile_of(4, [(3, 3)])
    for change in (profile.reserve, profile.release):
        with pytest.raises(ValueError, match="walltime|start"):
            change(1, start, walltime)
    assert list(profile) == [(0, 1), (3, 4)]


def test_no_more_is_released_than_the_machine_has():
    """The profile stays as it was."""
    profile = profile_of(4, [(3, 3)])
    with pytest.raises(ValueError, match="more would be free"):
        profile.release(1, 2, 5)
    assert list(profile) == [(0, 1), (3, 4)]


class ProfileMachine(RuleBasedStateMachine):
    """Reserve, release and ask, in any sequence, on a profile and on a list of seconds."""

    @initialize(data=st.data(), capacity=st.integers(1, 7), now=st.integers(-5, 5))
    def begin(self, data, capacity, now):
        self.capacity, self.now = capacity, now
        self.free = [capacity] * HORIZON
        self.taken = []
        running = []
        for _ in range(data.draw(st.integers(0, 3))):
            procs, length = data.draw(st.integers(1, capacity)), data.draw(st.integers(1, 15))
            if self.free[0] >= procs:
                running.append((procs, now + length))
                self.change(now, length, -procs)
        self.profile = profile_of(capacity, running, now)

    def change(self, start, length, amount):
        for second in range(start - self.now, start - self.now + length):
            self.free[second] += amount

    def fits(self, start, procs, length):
        return min(self.free[start - self.now : start - self.now + length]) >= procs

    @rule(data=st.data(), length=st.integers(1, 9), late=st.integers(0, 20))
    def reserve(self, data, length, late):
        procs = data.draw(st.integers(1, self.capacity))
        start = self.now + late
        if self.fits(start, procs, length):
            self.profile.reserve(procs, start, length)
            self.change(start, length, -procs)
            self.taken.append((procs, start, length))
        else:
            with pytest.raises(ValueError, match="not free"):
                self.profile.reserve(procs, start, length)

    @rule(data=st.data())
    def release(self, data):
        if self.taken:
            which = data.draw(st.integers(0, len(self.taken) - 1))
            procs, start, length = self.taken.pop(which)
            self.profile.release(procs, start, length)
            self.change(start, length, procs)

    @rule(data=st.data(), length=st.integers(1, 9), late=st.none() | st.integers(-3, 30))
    def earliest(self, data, length, late):
        procs = data.draw(st.integers(1, self.capacity))
        after = None if late is None else self.now + late
        start = self.now if after is None else max(self.now, after)
        while not self.fits(start, procs, length):
            start += 1
        assert self.profile.earliest(procs, length, after) == start

    @invariant()
    def profile_is_the_list(self):
        if not hasattr(self, "profile"):
            return
        times, free = self.profile.times, self.profile.free
        assert (np.diff(times) > 0).all()
        seconds = np.arange(self.now, self.now + HORIZON)
        assert free[np.searchsorted(times, seconds, side="right") - 1].tolist() == self.free


TestProfileMachine = ProfileMachine.TestCase


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 20)), max_size=6))
def test_the_order_of_running_jobs_does_not_matter(running):
    forward, backward = profile_of(20, running), profile_of(20, running[::-1])
    assert list(forward) == list(backward)


# Plans, and the check that finds each kind of fault.


PROBLEM = Round.of(4, 10, [(2, 15)], [(0, 2, 5), (0, 3, 4), (0, 1, 2)])


def faults(start, problem=PROBLEM, complete=False):
    return check_plan(problem, Plan(np.array(start, dtype=np.int64)), complete)


def test_a_valid_plan_has_no_faults():
    """Two jobs beside the running one, the third when both have ended."""
    assert faults([10, 15, 15], complete=True) == []
    assert faults([10, NEVER, NEVER]) == []


def test_starts_before_now_are_faults():
    assert faults([9, NEVER, NEVER]) == ["job 0 starts at 9, before now (10)"]


def test_too_many_processors_are_faults():
    """Also where only running jobs are in the way, and where a job starts later inside another."""
    message = "{} processors are in use at {}, above the capacity of 4"
    assert faults([NEVER, 10, NEVER]) == [message.format(5, 10)]
    assert faults([10, 14, NEVER]) == [message.format(7, 14)]
    assert faults([10, 15, 10]) == [message.format(5, 10)]
    assert faults([20, 17, 20]) == [message.format(6, 20)]


def test_a_job_may_start_at_the_instant_another_ends():
    """Ends come before starts."""
    assert faults([10, 15, NEVER]) == []


def test_missing_starts_are_faults_of_complete_plans():
    """Queue-based policies leave jobs unplanned; optimizers may not."""
    assert faults([10, NEVER, 15], complete=True) == ["job 1 has no start"]


def test_broken_promises_are_faults():
    """A job that was promised a start gets it, or an earlier one."""
    latest = np.array([NEVER, 16, NEVER])
    promised = Round(10, 4, PROBLEM.running, PROBLEM.jobs._replace(latest=latest))
    assert faults([10, 16, 20], promised) == []
    assert faults([10, 17, 10 + 11], promised) == ["job 1 starts at 17, after its promise (16)"]


def test_a_plan_of_another_round_is_a_fault():
    assert faults([10, 15]) == ["the plan has 2 starts for 3 jobs"]


def test_faults_name_jobs_by_their_numbers():
    """People know jobs by their ids."""
    named = Round(10, 4, PROBLEM.running, PROBLEM.jobs, ids=np.array([70, 71, 72]))
    assert faults([9, NEVER, NEVER], named) == ["job 70 starts at 9, before now (10)"]


def test_what_a_plan_starts_now_and_its_order():
    """Ties keep the order of the round."""
    plan = Plan([10, 30, 10, 20])
    assert plan.startable(10).tolist() == [0, 2]
    assert plan.startable(11).tolist() == []
    assert plan.order().tolist() == [0, 2, 3, 1]


def test_starts_are_whole_numbers():
    with pytest.raises(ValueError, match=r"start\[1\]: 2\.5 is not a whole number"):
        Plan([1, 2.5])
    with pytest.raises(ValueError, match="read-only"):
        Plan([1]).start[0] = 2
