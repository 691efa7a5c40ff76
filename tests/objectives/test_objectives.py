"""Objectives against their formulas, and how cost functions are wrapped."""

import numpy as np
import pytest

from planbatch.objectives import AGED_WAIT, MAKESPAN, OBJECTIVES, SQUARED_WAIT, WAIT, make_objective
from planbatch.objectives.aged import aged_wait
from planbatch.planner.decoder import decode
from planbatch.planner.names import did_you_mean
from planbatch.planner.objective import CheckedCost, ObjectiveError
from planbatch.planner.registry.objective import as_objective
from planbatch.planner.round import Round
from planbatch.planner.terms import terms_cost
from tests.builders import random_round

#: submit, procs, walltime
PROBLEM = Round.of(10, 100, [], [(90, 1, 50), (40, 2, 10), (100, 3, 200)])
START = np.array([100, 150, 110])


@pytest.mark.parametrize(
    ("objective", "cost"), [(WAIT, (10 + 110 + 10) / 3), (SQUARED_WAIT, (100 + 12100 + 100) / 3), (MAKESPAN, 210.0)]
)
def test_costs_of_a_plan_by_hand(objective, cost):
    """Waits of 10, 110 and 10 s; ends at 150, 160 and 310, 210 s from now."""
    assert objective.cost(START, PROBLEM.jobs, PROBLEM.now) == pytest.approx(cost, rel=1e-15)


def test_costs_equal_their_formulas():
    """On 300 jobs, against numpy."""
    problem = random_round(300)
    start = problem.now + np.random.default_rng(0).integers(0, 10**6, 300)
    wait = (start - problem.jobs.submit).astype(float)
    costs = {name: o.cost(start, problem.jobs, problem.now) for name, o in OBJECTIVES.items()}
    assert costs["wait"] == pytest.approx(wait.mean(), rel=1e-12)
    assert costs["squared-wait"] == pytest.approx((wait**2).mean(), rel=1e-12)
    assert costs["makespan"] == (start + problem.jobs.walltime).max() - problem.now


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


def test_old_jobs_are_urgent_however_large():
    """One processor, a large job and a small one: the small one first, until the large one has aged.

    With n = 2 the areas are A = 1 and A = 100; Smith's rule compares area / urgency.
    """
    for age, first in ((0, 1), (86400, 1), (10 * 86400, 0)):
        problem = Round.of(1, age, [], [(0, 1, 100), (age, 1, 1)])
        plans = [decode(problem, order) for order in ([0, 1], [1, 0])]
        costs = [AGED_WAIT.cost(plan.start, problem.jobs, problem.now) for plan in plans]
        assert int(np.argmin(costs)) == first


@pytest.mark.parametrize("text", ["", "soon", "0h", "-1d", "12"])
def test_other_scales_are_refused(text):
    with pytest.raises(ValueError, match=r"^aged-wait: "):
        make_objective(f"aged-wait:{text}")


def test_objectives_are_known_by_their_names():
    """The catalogue's keys are the objectives' own names."""
    assert all(objective.name == name for name, objective in OBJECTIVES.items())
    assert {"wait", "squared-wait", "makespan"} <= set(OBJECTIVES)


def total_wait(start, jobs, now):
    """A cost function of one's own."""
    return float((start - jobs.submit).sum())


def test_a_function_becomes_an_objective():
    """Its name is the function's; an objective stays what it is."""
    mine = as_objective(total_wait)
    assert (mine.name, mine.compiled) == ("total-wait", True)
    assert as_objective(WAIT) is WAIT
    with pytest.raises(ValueError, match="objective: 3 is neither an Objective nor a function"):
        as_objective(3)


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


def test_near_names_are_suggested():
    """Or all names, where none is near."""
    assert did_you_mean("eassy", ["easy", "fcfs"]) == "did you mean easy?"
    assert did_you_mean("zzz", ["easy", "fcfs"]) == "choose one of easy, fcfs"
