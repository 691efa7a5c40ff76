"""Objectives against their formulas, and how cost functions are wrapped."""

import numpy as np
import pytest

from planbatch.objectives import (
    AGED_WAIT,
    MAKESPAN,
    OBJECTIVES,
    SQUARED_WAIT,
    WAIT,
    lexicographic,
    make_objective,
    weighted_sum,
)
from planbatch.objectives.aged import aged_wait
from planbatch.planner.decoder import decode
from planbatch.planner.objective import CheckedCost, Objective, ObjectiveError
from planbatch.planner.round import Round
from planbatch.planner.terms import terms_cost
from tests.brute_force import random_round

#: submit, procs, walltime
PROBLEM = Round.of(10, 100, [], [(90, 1, 50), (40, 2, 10), (100, 3, 200)])
START = np.array([100, 150, 110])


@pytest.mark.parametrize(
    ("objective", "cost"), [(WAIT, (10 + 110 + 10) / 3), (SQUARED_WAIT, (100 + 12100 + 100) / 3), (MAKESPAN, 210.0)]
)
def test_costs_of_a_plan_by_hand(objective, cost):
    """Waits of 10, 110 and 10 s; ends at 150, 160 and 310, 210 s from now."""
    assert objective.cost(START, PROBLEM.jobs, PROBLEM.now) == pytest.approx(cost, rel=1e-15)


def test_squares_of_long_waits_do_not_wrap():
    """Waits of 2⁴⁰ s: their squares exceed 64 bits."""
    problem = Round.of(1, 2**40, [], [(0, 1, 1)])
    start = np.array([2**40])
    assert SQUARED_WAIT.cost(start, problem.jobs, problem.now) == 2.0**80


def test_an_empty_round_costs_nothing():
    """Not a number divided by zero."""
    problem = Round.of(1, 7)
    for objective in (WAIT, SQUARED_WAIT, MAKESPAN):
        assert objective.cost(np.zeros(0, dtype=np.int64), problem.jobs, 7) == 0.0


def test_urgency_by_hand():
    """Areas 100, 200 and 600, their mean 300; ages of 1, 2 and 0 days.

    1 + 1/3 · 1² = 4/3, 1 + 2/3 · 2² = 11/3, 1 + 2 · 0² = 1; with a scale of two days, 13/12, 5/3 and 1.
    """
    day = 86400
    problem = Round.of(10, 2 * day, [], [(day, 2, 50), (0, 4, 50), (2 * day, 6, 100)])
    start = problem.now + np.array([0, 10, 20])
    waits = np.array([day, 2 * day + 10, 20])
    for objective, weights in (
        (AGED_WAIT, (4 / 3, 11 / 3, 1)),
        (aged_wait(day), (4 / 3, 11 / 3, 1)),
        (make_objective("aged-wait:2d"), (13 / 12, 5 / 3, 1)),
        (make_objective("aged-wait:48h"), (13 / 12, 5 / 3, 1)),
    ):
        cost = objective.cost(start, problem.jobs, problem.now)
        assert cost == pytest.approx((weights * waits).sum() / 3, rel=1e-14)
        assert terms_cost(objective.terms(problem.jobs, problem.now), start) == pytest.approx(cost)
    assert make_objective("aged-wait:48h").name == "aged-wait:48h"


@pytest.mark.parametrize("name", [name for name, objective in OBJECTIVES.items() if objective.terms is not None])
def test_the_terms_add_up_to_the_cost(name):
    """Of random plans, whatever the objective asks of the past."""
    rng, objective = np.random.default_rng(3), OBJECTIVES[name]
    for _ in range(5):
        problem = random_round(rng)
        start = problem.now + rng.integers(0, 30, len(problem))
        cost = objective.cost(start, problem.jobs, problem.now)
        assert terms_cost(objective.terms(problem.jobs, problem.now), start) == pytest.approx(cost, rel=1e-12)


def test_old_jobs_are_urgent_however_large():
    """One processor, a large job and a small one: the small one first, until the large one has aged.

    With n = 2 the areas are A = 1 and A = 100; Smith's rule compares area / urgency.
    """
    for age, first in ((0, 1), (86400, 1), (10 * 86400, 0)):
        problem = Round.of(1, age, [], [(0, 1, 100), (age, 1, 1)])
        plans = [decode(problem, order) for order in ([0, 1], [1, 0])]
        costs = [AGED_WAIT.cost(plan.start, problem.jobs, problem.now) for plan in plans]
        assert int(np.argmin(costs)) == first


def test_objectives_are_known_by_their_names():
    """The catalogue's keys are the objectives' own names."""
    assert all(objective.name == name for name, objective in OBJECTIVES.items())
    assert {"wait", "squared-wait", "makespan"} <= set(OBJECTIVES)


def test_checked_costs_are_floats():
    """Numpy's numbers and Python's integers will do."""
    for number in (3, 3.0, np.float32(3.0), np.int64(3)):
        cost = CheckedCost("three", lambda start, jobs, now, x=number: x)
        value = cost(START, PROBLEM.jobs, 100)
        assert type(value) is float
        assert value == 3.0


def test_checked_costs_report_what_goes_wrong():
    """With the name of the objective and the time of the round; the cause is kept."""
    with pytest.raises(ObjectiveError, match=r"^objective odd returned bool, not a number, in the round at 100$"):
        CheckedCost("odd", lambda start, jobs, now: True)(START, PROBLEM.jobs, 100)
    with pytest.raises(ObjectiveError, match=r"^objective odd raised KeyError in the round at 100: 'x'$") as error:
        CheckedCost("odd", lambda start, jobs, now: {}["x"])(START, PROBLEM.jobs, 100)
    assert isinstance(error.value.__cause__, KeyError)


def test_objectives_are_combined_by_names():
    """The combination of names is that of the objects; functions have names, too."""
    assert weighted_sum((1, "wait"), (2, "makespan")) is weighted_sum((1, WAIT), (2, MAKESPAN))
    assert lexicographic("makespan", "wait", 60) is lexicographic(MAKESPAN, WAIT, 60)
    named = Objective("total-wait", lambda start, jobs, now: float((start - jobs.submit).sum()))
    assert weighted_sum((1, named)).name == "1*total-wait"
    assert weighted_sum((2, "wait"), (1, named)).cost(START, PROBLEM.jobs, PROBLEM.now) == pytest.approx(
        2 * (10 + 110 + 10) / 3 + 130
    )


def test_an_objective_that_is_0_without_deadlines_says_so():
    """A combination does if all of its parts do."""
    due = {name for name, objective in OBJECTIVES.items() if objective.needs_deadlines}
    assert due == {"tardiness", "maximum-tardiness", "missed-deadlines"}
    assert weighted_sum((1, "tardiness"), (2, "missed-deadlines")).needs_deadlines
    assert not lexicographic("tardiness", "wait").needs_deadlines
