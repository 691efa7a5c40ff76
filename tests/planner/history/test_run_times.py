"""Distributions of run times and the job history: what a replay shows of the past, and nothing of the future."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay, rounds_at
from planbatch.objectives import make_objective, over_scenarios
from planbatch.planner.history.expectation import RUN_TIMES, expected_run
from planbatch.planner.history.job_history import UNKNOWN, JobColumn
from planbatch.planner.model import NEVER
from tests.builders import machines_with_jobs, workload_of
from tests.examples import examples

#: Jobs of a user that have to have ended before they count alone, and the quantiles of their quotients.
FEW, QUANTILES = 5, 16
#: The column of the first quantile.
FIRST_QUANTILE = 1 + RUN_TIMES.columns - QUANTILES
#: How many ends there are before everybody's quantiles are taken anew.
REFRESH = 16
POLICY = "plan-wait:scenarios=1,evaluations=0"


@settings(max_examples=examples(40))
@given(machines_with_jobs(most_jobs=40), st.randoms(use_true_random=False))
def test_quantiles_and_ledger_of_every_round(machine, random):
    """The quantiles of users with enough ended jobs; of every job its row, with what is known of it by then."""
    capacity, jobs = machine
    users = [random.choice([1, 1, 1, 2]) for _ in jobs]
    workload = replace(workload_of(capacity, jobs), user=np.array(users))
    policy = make_policy(POLICY)
    trace = replay(workload, policy)
    for problem in rounds_at(workload, policy, range(len(trace.rounds))):
        now, rows = problem.now, problem.job_history.rows
        assert len(rows) == (workload.submit <= now).sum()
        for i, row in enumerate(rows.tolist()):
            assert row[: JobColumn.START] == [*jobs[i][:3], users[i]]
            assert row[JobColumn.START] == (trace.start[i] if trace.start[i] < now else NEVER)
            assert row[JobColumn.RUNTIME] == (jobs[i][3] if trace.end[i] <= now else UNKNOWN)
        running = rows[problem.job_history.running]
        assert (running[:, JobColumn.START] + running[:, JobColumn.WALLTIME]).tolist() == (problem.running.end.tolist())
        for i, number in enumerate(problem.ids):
            own = [
                jobs[k][3] / jobs[k][2]
                for k in range(len(rows))
                if users[k] == users[number - 1] and trace.end[k] <= now
            ]
            if len(own) >= FEW:
                places = ((np.arange(QUANTILES) + 0.5) * len(own) / QUANTILES).astype(int)
                result = problem.jobs.past[i, FIRST_QUANTILE:]
                assert result == pytest.approx(np.sort(own)[places])
                mean = np.mean(own) * problem.jobs.walltime[i]
                assert expected_run(problem.jobs, i) == pytest.approx(mean)
                assert problem.job_history.past[number - 1, FIRST_QUANTILE:].shape == result.shape


def test_everybody_counts_for_who_has_ended_little():
    """Of a new user's job, the quotients of all that have ended: here each took half of its request."""
    jobs = [(10 * i, 1, 8, 4) for i in range(2 * REFRESH)]
    users = np.array([*[1] * (len(jobs) - 1), 2])
    workload = replace(workload_of(1, jobs), user=users)
    policy = make_policy(POLICY)
    last = len(replay(workload, policy).rounds) - 1
    (problem,) = rounds_at(workload, policy, [last])
    assert problem.jobs.past[0, FIRST_QUANTILE:] == pytest.approx(np.full(QUANTILES, 0.5))


def drawn_runs(jobs, users, count=200):
    """Give what the waiting job of the last round takes in many scenarios: no machine is shared, so it ends alone."""
    workload = replace(workload_of(1, jobs), user=np.array(users))
    policy = make_policy(POLICY)
    last = len(replay(workload, policy).rounds) - 1
    (problem,) = rounds_at(workload, policy, [last])
    makespan = make_objective("makespan")
    results = []
    for seed in range(count):
        one = over_scenarios(makespan, 1).drawn(problem, np.random.default_rng(seed))
        search = one.search(problem)
        results.append(search.evaluate(np.arange(len(problem))))
    return problem, np.array(results)


def test_drawn_run_times_are_those_of_the_user():
    """Half of her jobs took a quarter, half three quarters of 320 s: so does the next, now and then in between."""
    jobs = [(400 * i, 1, 320, (80, 240)[i % 2]) for i in range(20)]
    seen, runs = drawn_runs([*jobs, (8000, 1, 320, 320)], [1] * 21)
    assert seen.jobs.walltime.tolist() == [320]
    assert ((runs >= 80) & (runs <= 240)).all()
    assert 0.3 < (runs == 80).mean() < 0.6
    assert 0.3 < (runs == 240).mean() < 0.6


def test_who_is_not_known_is_taken_by_her_word():
    """Without an ended job of anybody, a job takes its request."""
    _, runs = drawn_runs([(0, 1, 320, 320)], [1], count=5)
    assert runs.tolist() == [320.0] * 5


def test_a_job_that_has_run_for_long_goes_through_what_is_left():
    """R has run for 160 of 320 s; her jobs took a quarter, or three quarters, which is what is left of them.

    W waits for R, and takes its request, 10 s, as R's user's jobs are no events of it.
    """
    jobs = [(400 * i, 1, 320, (80, 240)[i % 2]) for i in range(20)]
    jobs += [(8000, 1, 320, 320), (8160, 1, 10, 10)]
    seen, ends = drawn_runs_with_running(jobs)
    assert seen.now == 8160
    left = ends - 10
    assert (left > 0).all()
    assert (left <= 160).all()
    assert (left == 80).mean() > 0.8


def drawn_runs_with_running(jobs):
    """Give the round at the last submission, and the makespans in many scenarios; the last job is a user's of five.

    Her own five jobs, which fill gaps, took what they asked for.
    """
    gaps = [(400 * i + 350, 1, 10, 10) for i in range(5)]
    everything = sorted([*((*job, 1) for job in jobs[:-1]), *((*gap, 2) for gap in gaps), (*jobs[-1], 2)])
    workload = workload_of(1, [job[:4] for job in everything])
    workload = replace(workload, user=np.array([job[4] for job in everything]))
    policy = make_policy(POLICY)
    trace = replay(workload, policy)
    number = int(np.flatnonzero(trace.rounds.time == jobs[-1][0])[0])
    (problem,) = rounds_at(workload, policy, [number])
    result = [
        over_scenarios("makespan", 1).drawn(problem, np.random.default_rng(seed)).search(problem).evaluate(np.arange(1))
        for seed in range(100)
    ]
    return problem, np.array(result)
