"""Orders of waiting jobs."""

import numpy as np
import pytest

from planbatch.planner.model import NEVER
from planbatch.planner.orders import ORDERS, order_by
from planbatch.planner.round import Round, job_table

#: submit, procs, walltime, deadline; areas 40, 40, 30, 90
JOBS = Round.of(
    10, 50, [], [(0, 4, 10, 99), (1, 2, 20, NEVER), (2, 1, 30, 70), (3, 9, 10, 70)]
).jobs


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("submit", [0, 1, 2, 3]),
        ("shortest", [0, 3, 1, 2]),
        ("longest", [2, 1, 0, 3]),
        ("smallest", [2, 1, 0, 3]),
        ("largest", [3, 0, 1, 2]),
        ("smallest-area", [2, 0, 1, 3]),
        ("largest-area", [3, 0, 1, 2]),
        ("earliest-deadline", [2, 3, 0, 1]),
    ],
)
def test_orders_of_four_jobs(name, order):
    """Equal keys keep FCFS order; no deadline comes last."""
    assert order_by(ORDERS[name], JOBS, 50).tolist() == order


def test_the_order_of_deadline_based_backfilling():
    """Urgent jobs, then those without a deadline, then the others; each in FCFS order.

    Σ procs · walltime / largest = (10 + 30 + 20 + 20) / 4 = 20 s: latest starts before 20 are urgent.
    """
    times = np.array([10, 30, 10, 5])
    deadlines = np.array([50, NEVER, 29, NEVER])
    jobs = job_table(np.arange(4), np.array([1, 1, 2, 4]), times, deadlines)
    assert order_by(ORDERS["regular-first"], jobs, 0).tolist() == [2, 1, 3, 0]
    assert order_by(ORDERS["regular-first"], jobs, 30).tolist() == [0, 2, 1, 3]


def test_large_areas_do_not_wrap():
    """Products are taken in floating point."""
    jobs = Round.of(2**40, 0, [], [(0, 2**40, 2**40), (0, 1, 5)]).jobs
    assert order_by(ORDERS["smallest-area"], jobs, 0).tolist() == [1, 0]


def one_number(jobs, now):
    """Forget the jobs."""
    return np.zeros(1)


def nan_keys(jobs, now):
    """Compute nothing."""
    return np.full(len(jobs.submit), np.nan)


@pytest.mark.parametrize("keys", [one_number, nan_keys])
def test_keys_that_do_not_order_are_refused(keys):
    """The message names the order."""
    with pytest.raises(
        ValueError, match=f"order {keys.__name__}: expected one number for each of 4"
    ):
        order_by(keys, JOBS, 0)


def test_an_order_of_ones_own():
    """A plain function of the jobs and the time."""
    longest_wait = order_by(lambda jobs, now: (jobs.submit - now).astype(float), JOBS, 50)
    assert longest_wait.tolist() == [0, 1, 2, 3]
