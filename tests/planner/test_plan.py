"""Plans, and the check that finds each kind of fault."""

import numpy as np
import pytest

from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan, check_plan
from planbatch.planner.round import Round

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
    told = "{} processors are in use at {}, above the capacity of 4"
    assert faults([NEVER, 10, NEVER]) == [told.format(5, 10)]
    assert faults([10, 14, NEVER]) == [told.format(7, 14)]
    assert faults([10, 15, 10]) == [told.format(5, 10)]
    assert faults([20, 17, 20]) == [told.format(6, 20)]


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
