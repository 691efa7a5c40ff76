"""Weighted powers of waits: by hand, against numpy, and as terms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.objectives import make_objective
from planbatch.objectives.weighted import WEIGHTED_WAIT, weighted_powers, weighted_wait
from planbatch.planner.round import Round
from planbatch.planner.terms import terms_cost
from tests.builders import random_round

#: submit, procs, walltime; at 100 s the ages are 10, 60 and 0 s.
PROBLEM = Round.of(10, 100, [], [(90, 1, 50), (40, 2, 10), (100, 3, 200)])
#: Waits of 10, 110 and 10 s.
START = np.array([100, 150, 110])


@pytest.mark.parametrize(
    ("name", "cost"),
    [
        ("weighted-wait", (100 / 50 + 12100 / 20 + 100 / 600) / 3),
        ("weighted-wait:power=1,area=0", (10 + 110 + 10) / 3),
        ("weighted-wait:power=1,area=0,size=2", (10 + 4 * 110 + 9 * 10) / 3),
        ("weighted-wait:power=1,area=0,length=-1", (10 / 50 + 110 / 10 + 10 / 200) / 3),
        ("weighted-wait:power=3,area=0", (1000 + 1331000 + 1000) / 3),
        ("weighted-wait:power=1,area=0,age=1", (10 * 10 + 60 * 110 + 1 * 10) / 3),
    ],
)
def test_costs_by_hand(name, cost):
    """Areas of 50, 20 and 600; an age of 0 s counts as 1."""
    made = make_objective(name)
    assert made.cost(START, PROBLEM.jobs, PROBLEM.now) == pytest.approx(cost, rel=1e-14)
    if made.terms is not None:
        assert terms_cost(made.terms(PROBLEM.jobs, PROBLEM.now), START) == pytest.approx(cost)


exponents = st.floats(-4, 4)


@given(st.floats(0.1, 8), exponents, exponents, exponents, exponents, st.integers(0, 40))
@settings(max_examples=200, deadline=None)
def test_costs_equal_their_formula(power, area, size, length, age, n):
    """On random rounds, against numpy."""
    problem = random_round(n)
    jobs, now = problem.jobs, problem.now
    start = now + np.random.default_rng(n).integers(0, 10**5, n)
    procs, walltime = jobs.procs.astype(float), jobs.walltime.astype(float)
    old = np.maximum(now - jobs.submit, 1).astype(float)
    weight = (procs * walltime) ** area * procs**size * walltime**length * old**age
    wait = (start - jobs.submit).astype(float)
    expected = (weight * wait**power).sum() / max(n, 1)
    found = weighted_powers(start, jobs, now, power, area, size, length, age)
    assert found == pytest.approx(expected, rel=1e-9)


def test_only_powers_of_one_and_two_have_terms():
    """Terms know no other powers, so no bound is claimed for them."""
    assert weighted_wait(power=1.0).terms is not None
    assert WEIGHTED_WAIT.terms is not None
    assert weighted_wait(power=1.5).terms is None


def test_the_name_makes_the_same_objective_again():
    """Names travel in keys and tables."""
    made = weighted_wait(power=1.5, area=-0.5, age=1.0)
    again = make_objective(made.name)
    assert again.name == made.name == "weighted-wait:power=1.5,area=-0.5,size=0,length=0,age=1"
    assert make_objective("weighted-wait").cost is WEIGHTED_WAIT.cost


@pytest.mark.parametrize("text", ["power=0", "power=9", "power=nan", "area=5", "age=-4.5"])
def test_exponents_out_of_range_are_refused(text):
    """The message names the exponent."""
    with pytest.raises(ValueError, match=f"{text.partition('=')[0]}:? "):
        make_objective(f"weighted-wait:{text}")
