"""Budgets and clocks."""

import pytest

from planbatch.planner import budget as module
from planbatch.planner.budget import Budget


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"seconds": -1.0},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"evaluations": -1},
        {"evaluations": 1.5},
        {"seconds": 1.0, "evaluations": -3},
    ],
)
def test_wrong_budgets_are_refused(wrong):
    with pytest.raises(ValueError, match=r"^(budget|seconds|evaluations): "):
        Budget(**wrong)


def test_zero_is_a_budget():
    """It asks for the best seed."""
    assert Budget(evaluations=0).start().portion(1e-5) == 0
    assert Budget(seconds=0.0).start().portion(1e-5) == 0


@pytest.fixture
def time(monkeypatch):
    """Give a clock that is set by hand."""
    hands = [100.0]
    monkeypatch.setattr(module, "perf_counter", lambda: hands[0])
    return hands


def test_a_clock_counts_from_its_start(time):
    """Not from the first look at it."""
    clock = Budget(seconds=10.0).start()
    time[0] = 104.0
    assert clock.elapsed == 4.0
    assert clock.remaining == 6.0


def test_a_budget_can_be_used_twice(time):
    """Its clock runs in the call, not in the budget."""
    limit = Budget(seconds=10.0)
    limit.start()
    time[0] = 150.0
    assert limit.start().remaining == 10.0


def test_portions_halve_the_time_that_is_left(time):
    """So that the clock is looked at often enough, and not too often."""
    clock = Budget(seconds=10.0).start()
    assert clock.portion(0.001) == 5000
    time[0] = 109.0
    assert clock.portion(0.001) == 500
    assert clock.portion(0.001, most=16) == 16
    assert clock.portion(0.9, least=3) == 3
    time[0] = 109.9995
    assert clock.portion(0.001) == 0
    time[0] = 200.0
    assert clock.portion(0.0) == 0


def test_portions_of_evaluations_add_up(time):
    """The last portion is what is left."""
    clock = Budget(evaluations=100).start()
    assert clock.remaining == float("inf")
    done = []
    while portion := clock.portion(1e-5, most=30):
        done.append(portion)
        clock.evaluations += portion
    assert done == [30, 30, 30, 10]
