"""Orders of waiting jobs, and how they are written."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.planner.model import NEVER
from planbatch.planner.orders.catalogue import ORDERS, as_orders, order_by, order_text
from planbatch.planner.orders.text import OrderText
from planbatch.planner.round import Round, job_table
from tests.builders import small_rounds

#: submit, procs, walltime, deadline; areas 40, 40, 30, 90
JOBS = Round.of(10, 50, [], [(0, 4, 10, 99), (1, 2, 20, NEVER), (2, 1, 30, 70), (3, 9, 10, 70)]).jobs


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
        # w / r = 5, 49/20, 48/30, 47/10
        ("lxf", [0, 3, 1, 2]),
        # the same × n = 20, 4.9, 1.6, 42.3
        ("wfp1", [3, 0, 1, 2]),
        # (w / r)³ · n = 500, 29, 4, 934
        ("wfp3", [3, 0, 1, 2]),
        # w / (log2(n) · r) = 5/2, 2.45/1, 1.6/1e-9, 4.7/3.17
        ("unicef", [2, 0, 1, 3]),
        # w / r · n³ = 320, 19.6, 1.6, 3426
        ("fat", [3, 0, 1, 2]),
        # r / n = 2.5, 10, 30, 1.1
        ("srf", [3, 0, 1, 2]),
        # s = 0, 1, 2, 3: log10 = -1, 0, 0.301, 0.477
        ("f1", [0, 1, 2, 3]),
        ("f2", [0, 1, 2, 3]),
        ("f3", [0, 1, 2, 3]),
        ("f4", [0, 1, 2, 3]),
        ("fcfs", [0, 1, 2, 3]),
        ("sjf", [0, 3, 1, 2]),
        ("saf", [2, 0, 1, 3]),
        # w = 50, 49, 48, 47
        ("saf@48s", [0, 1, 2, 3]),
        ("saf@49s", [0, 2, 1, 3]),
        ("longest@1h", [2, 1, 0, 3]),
    ],
)
def test_orders_of_four_jobs(name, order):
    """Equal keys keep FCFS order; no deadline comes last."""
    assert order_by(name, JOBS, 50).tolist() == order


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("f1", 3 * 10 + 870 * 4, 2 * 1 + 870 * math.log10(20000)),
        ("f2", math.sqrt(1000) * 10 + 25600 * 4, math.sqrt(100) + 25600 * math.log10(20000)),
        ("f3", 1000 * 10 + 6.86e6 * 4, 100 * 1 + 6.86e6 * math.log10(20000)),
        ("f4", 1000 * math.sqrt(10) + 530000 * 4, 100 * 1 + 530000 * math.log10(20000)),
    ],
)
def test_fitted_orders_by_their_formulas(name, first, second):
    """Two jobs: submitted at 10,000 and 20,000 s, 10 and 1 processors, for 1,000 and 100 s."""
    jobs = Round.of(10, 30_000, [], [(10_000, 10, 1000), (20_000, 1, 100)]).jobs
    assert ORDERS[name](jobs, 30_000) == pytest.approx([first, second], rel=1e-14)


def test_times_that_are_not_positive_count_as_a_tenth_of_a_second():
    """log10(0.1) = −1, so that a submission at 0 comes before one at 1."""
    jobs = Round.of(10, 0, [], [(-5, 1, 10), (0, 1, 10)]).jobs
    assert ORDERS["f1"](jobs, 0).tolist() == [1 - 870, 1 - 870]


@given(small_rounds(), st.sampled_from(["longest", "saf", "wfp3"]), st.sampled_from([0, 4]))
def test_a_threshold_brings_the_longest_waiting_to_the_front(problem, name, seconds):
    """Whoever waited longer comes first, in FCFS order; the others keep their order."""
    waited = problem.now - problem.jobs.submit
    old = np.flatnonzero(waited > seconds)
    rest = [i for i in order_by(name, problem.jobs, problem.now) if waited[i] <= seconds]
    result = order_by(f"{name}@{seconds}s", problem.jobs, problem.now)
    assert result.tolist() == [*old.tolist(), *rest]


def test_two_orders_are_no_order():
    """Only policies that backfill take them."""
    assert as_orders("fcfs/sjf")(JOBS, 50).tolist() == [0, 1, 2, 3, 10, 20, 30, 10]
    assert as_orders("saf")(JOBS, 50).tolist() == [40, 40, 30, 90]


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


def test_an_order_of_ones_own():
    """A plain function of the jobs and the time."""
    longest_wait = order_by(lambda jobs, now: (jobs.submit - now).astype(float), JOBS, 50)
    assert longest_wait.tolist() == [0, 1, 2, 3]


# The grammar of orders.


@pytest.mark.parametrize(
    ("text", "primary", "backfilling", "threshold", "plain"),
    [
        ("saf", "saf", None, None, "saf"),
        ("saf@20h", "saf", None, 72000, "saf@20h"),
        ("fcfs/sjf", "fcfs", "sjf", None, "fcfs/sjf"),
        ("fcfs/sjf@1.5d", "fcfs", "sjf", 129600, "fcfs/sjf@1.5d"),
        ("my.py:slow", "my.py:slow", None, None, "slow"),
        ("a/b/my.py:slow@90min", "a/b/my.py:slow", None, 5400, "slow@90min"),
        ("me@host/my.py:slow", "me@host/my.py:slow", None, None, "slow"),
        ("/a/my.py:slow/fcfs", "/a/my.py:slow", "fcfs", None, "slow/fcfs"),
        ("fcfs//a/my.py:slow", "fcfs", "/a/my.py:slow", None, "fcfs/slow"),
        ("a/my.py:one/b/my.py:two", "a/my.py:one", "b/my.py:two", None, "one/two"),
        ("./fcfs/my.py:slow", "./fcfs/my.py:slow", None, None, "slow"),
        ("my.py:slow:power=2/sjf@1d", "my.py:slow:power=2", "sjf", 86400, "slow:power=2/sjf@1d"),
        ("(my.py:slow:a=1,b=2)/(my.py:fast:a=1,b=2)@9s", "my.py:slow:a=1,b=2", "my.py:fast:a=1,b=2",
         9, "slow:a=1,b=2/fast:a=1,b=2@9s"),
        ("pack.age:slow/sjf", "pack.age:slow", "sjf", None, "slow/sjf"),
        ("fcsf/sjf", "fcsf", "sjf", None, "fcsf/sjf"),
    ],
)  # fmt: skip
def test_an_order_is_taken_apart(text, primary, backfilling, threshold, plain):
    """A slash behind an order parts two; any other belongs to a path."""
    assert order_text(text) == OrderText(primary, backfilling, threshold, plain)


@given(st.sampled_from(["saf", "x/y.py:z", "lxf"]), st.sampled_from(["", "sjf", "q.py:w"]))
def test_parts_come_back(primary, backfilling):
    result = order_text(f"{primary}/{backfilling}" if backfilling else primary)
    assert (result.primary, result.backfilling) == (primary, backfilling or None)
