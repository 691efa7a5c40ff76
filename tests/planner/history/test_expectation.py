"""Expected run times: what the quotients of ended jobs say of those that wait."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay, rounds_at
from planbatch.planner.orders.catalogue import order_by
from planbatch.planner.round import Round
from tests.builders import machines_with_jobs, workload_of
from tests.examples import examples

#: So many jobs of a user are remembered; so many have to have ended before they count alone.
OWN, FEW = 64, 5


def expected_by_hand(
    seen: Round, ended: Sequence[tuple[int, float]], users: Sequence[int]
) -> list[tuple[float, float]]:
    """Give E[run] and E[1 / max(run, 10)] of the waiting jobs, by the (user, quotient) of all ended jobs."""
    results = []
    for i, number in enumerate(seen.ids):
        own = [quotient for user, quotient in ended if user == users[number - 1]]
        quotients = own if len(own) >= FEW else [quotient for _, quotient in ended] or [1.0]
        runs = np.array(quotients) * seen.jobs.walltime[i]
        results.append((float(runs.mean()), float((1 / np.maximum(runs, 10)).mean())))
    return results


@settings(max_examples=examples(60))
@given(machines_with_jobs(most_jobs=40), st.randoms(use_true_random=False))
def test_columns_are_those_of_the_jobs_that_have_ended(machine, random):
    """In every round of a replay, for users with many and with few ended jobs."""
    capacity, jobs = machine
    users = [random.choice([1, 1, 1, 2]) for _ in jobs]
    workload = replace(workload_of(capacity, jobs), user=np.array(users))
    policy = make_policy("easy:expected-slowdown")
    trace = replay(workload, policy)
    for problem in rounds_at(workload, policy, range(len(trace.rounds))):
        ended = [(users[i], jobs[i][3] / jobs[i][2]) for i in range(len(jobs)) if trace.end[i] <= problem.now]
        expected = expected_by_hand(problem, ended, users)
        assert problem.jobs.past[:, 1:3] == pytest.approx(np.array(expected).reshape(-1, 2))


def test_the_oldest_quotient_is_forgotten():
    """Sixty-four are remembered of a user: of 1, 2, …, 66 hundredths the first two are gone."""
    jobs = [(100 * i, 1, 100, i + 1) for i in range(OWN + 2)]
    workload = workload_of(1, [*jobs, (100 * len(jobs), 1, 100, 100)])
    workload = replace(workload, user=np.ones(len(workload), dtype=np.int64))
    policy = make_policy("easy:expected-slowdown")
    last = len(replay(workload, policy).rounds) - 1
    (problem,) = rounds_at(workload, policy, [last])
    runs = np.arange(3, OWN + 3)
    expected = [runs.mean(), (1 / np.maximum(runs, 10)).mean()]
    assert problem.jobs.past[0, 1:3] == pytest.approx(np.array(expected))


def test_orders_by_expectation():
    """Two processors; A's user takes all of her requests, B's a tenth, and C, D are short of ten seconds.

    n · E[run]: A 100, B 40 → B first. n · E[run] / E[1 / max(run, 10)]: those of C and D count as 10 s.
    """
    problem = Round.of(4, 0, [], [(0, 1, 100), (0, 2, 200), (0, 1, 5), (0, 3, 2)])
    past = np.array([[0, 100, 1 / 100, 1], [1, 20, 1 / 20, 1], [0, 5, 1 / 10, 1], [1, 2, 1 / 10, 1]])
    jobs = problem.jobs._replace(past=past)
    assert order_by("expected-area", jobs, 0).tolist() == [2, 3, 1, 0]
    assert order_by("expected-slowdown", jobs, 0).tolist() == [2, 3, 1, 0]
    far = jobs._replace(past=past * [1, 1, 0.1, 1])
    assert order_by("expected-slowdown", far, 0).tolist() == [2, 3, 1, 0]


def test_without_a_history_requests_are_expected():
    """As in a round file: the orders are those of smallest area, and of area times max(request, 10 s)."""
    jobs = Round.of(4, 0, [], [(0, 1, 90), (0, 3, 20), (0, 4, 11)]).jobs
    assert order_by("expected-area", jobs, 0).tolist() == [2, 1, 0]
    assert order_by("expected-slowdown", jobs, 0).tolist() == [2, 1, 0]
