"""Distributions of run times and the ledger: what a replay shows of the past, and nothing of the future."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.replay.revisit import rounds_at
from planbatch.planner.expectation import FEW, QUANTILES, expected_run
from planbatch.planner.ledger import UNKNOWN, Entry
from planbatch.planner.model import NEVER
from planbatch.planner.run_times import (
    FIRST_QUANTILE,
    REFRESH,
    level_of,
    quotient_at,
    run_time_at,
)
from tests.builders import machines_with_jobs, workload_of

POLICY = "rollouts:submit,samples=1,evaluations=0"


@settings(max_examples=40)
@given(machines_with_jobs(most_jobs=40), st.randoms(use_true_random=False))
def test_quantiles_and_ledger_of_every_round(machine, random):
    """The quantiles of users with enough ended jobs; of every job its row, with what is known of it by then."""
    capacity, jobs = machine
    users = [random.choice([1, 1, 1, 2]) for _ in jobs]
    workload = replace(workload_of(capacity, jobs), user=np.array(users))
    policy = make_policy(POLICY)
    trace = replay(workload, policy)
    for seen in rounds_at(workload, policy, range(len(trace.rounds))):
        now, rows = seen.now, seen.ledger.rows
        assert len(rows) == (workload.submit <= now).sum()
        for i, row in enumerate(rows.tolist()):
            assert row[: Entry.START] == [*jobs[i][:3], users[i]]
            assert row[Entry.START] == (trace.start[i] if trace.start[i] < now else NEVER)
            assert row[Entry.RUNTIME] == (jobs[i][3] if trace.end[i] <= now else UNKNOWN)
        running = rows[seen.ledger.running]
        assert (running[:, Entry.START] + running[:, Entry.WALLTIME]).tolist() == (
            seen.running.end.tolist()
        )
        for i, number in enumerate(seen.ids):
            own = [
                jobs[k][3] / jobs[k][2]
                for k in range(len(rows))
                if users[k] == users[number - 1] and trace.end[k] <= now
            ]
            if len(own) >= FEW:
                places = ((np.arange(QUANTILES) + 0.5) * len(own) / QUANTILES).astype(int)
                found = seen.jobs.past[i, FIRST_QUANTILE:]
                assert found == pytest.approx(np.sort(own)[places])
                mean = np.mean(own) * seen.jobs.walltime[i]
                assert expected_run(seen.jobs, i) == pytest.approx(mean)
                assert seen.ledger.past[number - 1, FIRST_QUANTILE:].shape == found.shape


def test_everybody_counts_for_who_has_ended_little():
    """Of a new user's job, the quotients of all that have ended: here each took half of its request."""
    jobs = [(10 * i, 1, 8, 4) for i in range(2 * REFRESH)]
    users = np.array([*[1] * (len(jobs) - 1), 2])
    workload = replace(workload_of(1, jobs), user=users)
    policy = make_policy(POLICY)
    last = len(replay(workload, policy).rounds) - 1
    (seen,) = rounds_at(workload, policy, [last])
    assert seen.jobs.past[0, FIRST_QUANTILE:] == pytest.approx(np.full(QUANTILES, 0.5))


def past_with(quantiles: np.ndarray) -> np.ndarray:
    """Return the columns of a job with these quantiles."""
    return np.concatenate([np.zeros(FIRST_QUANTILE), quantiles])


ASCENDING = st.lists(st.floats(0.01, 1.0), min_size=QUANTILES, max_size=QUANTILES, unique=True).map(
    lambda values: np.sort(np.array(values))
)


@given(ASCENDING, st.floats(0, 1), st.floats(0, 1))
def test_quotients_rise_with_levels_and_levels_with_quotients(quantiles, one, other):
    """Each is the inverse of the other between the first and the last quantile."""
    past = past_with(quantiles)
    low, high = sorted((one, other))
    assert quotient_at(past, low) <= quotient_at(past, high)
    inner = 0.5 / QUANTILES + one * (1 - 1 / QUANTILES)
    if inner < 1 - 0.5 / QUANTILES - 1e-9 and np.diff(quantiles).min() > 1e-6:
        assert level_of(past, quotient_at(past, inner)) == pytest.approx(inner, abs=1e-6)


@given(ASCENDING, st.floats(0, 1, exclude_max=True), st.integers(1, 10**6), st.floats(0, 1))
def test_run_times_lie_between_what_has_passed_and_the_request(quantiles, level, walltime, share):
    """Also of jobs that have outlived every quantile."""
    elapsed = int(share * (walltime - 1))
    run = run_time_at(past_with(quantiles), walltime, level, elapsed)
    assert elapsed < run <= walltime


def test_a_job_that_has_run_for_long_goes_through_what_is_left():
    """Quotients 1/32, 3/32, …, 31/32 of a request of 320 s: after 160 s, level ½ stands at three quarters."""
    past = past_with((2 * np.arange(QUANTILES) + 1) / (2 * QUANTILES))
    assert run_time_at(past, 320, 0.5, 0) == 160
    assert run_time_at(past, 320, 0.5, 160) == 240
    assert run_time_at(np.zeros(0), 320, 0.5, 160) == 320
