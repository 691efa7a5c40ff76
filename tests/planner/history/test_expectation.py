"""Expected run times: what ended jobs say of those that wait, and the plans made with them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.checker import check_trace
from planbatch.experiments.replay.replay import replay, rounds_at
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives import WAIT, make_objective, over_scenarios
from planbatch.planner.history.expectation import EXPECTED_RUN_TIMES, RUN_TIMES, Expected, expected_run
from planbatch.planner.history.job_history import UNKNOWN, JobColumn
from planbatch.planner.model import NEVER
from planbatch.planner.optimizers import make_optimizer
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.optimizers.first_plan import EXPECTED_PLANS, FIRST_PLANS, KNOWN_PLANS
from planbatch.planner.orders.catalogue import order_by
from planbatch.planner.round import Round
from tests.builders import machines_with_jobs, workload_of
from tests.examples import examples

#: So many jobs of a user are remembered; so many have to have ended before they count alone.
OWN, FEW = 64, 5


def workload_of_two(machine, random):
    """Give the jobs of a machine to two users, most of them to the first."""
    capacity, jobs = machine
    return replace(workload_of(capacity, jobs), user=np.array([random.choice([1, 1, 1, 2]) for _ in jobs]))


def expected_by_hand(
    problem: Round, ended: Sequence[tuple[int, float]], users: Sequence[int]
) -> list[tuple[float, float]]:
    """Give E[run] and E[1 / max(run, 10)] of the waiting jobs, by the (user, quotient) of all ended jobs."""
    results = []
    for i, number in enumerate(problem.ids):
        own = [quotient for user, quotient in ended if user == users[number - 1]]
        quotients = own if len(own) >= FEW else [quotient for _, quotient in ended] or [1.0]
        runs = np.array(quotients) * problem.jobs.walltime[i]
        results.append((float(runs.mean()), float((1 / np.maximum(runs, 10)).mean())))
    return results


@settings(max_examples=examples(60))
@given(machines_with_jobs(most_jobs=40), st.randoms(use_true_random=False))
def test_columns_are_those_of_the_jobs_that_have_ended(machine, random):
    """In every round of a replay, for users with many and with few ended jobs."""
    jobs, workload = machine[1], workload_of_two(machine, random)
    users = workload.user.tolist()
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


# First plans by the expected run times of each user's jobs, named like the other first plans.


EXPECTED = "plan:wait,evaluations=0,optimizer=(annealing:first_plans=(expected-area))"


def test_their_names_stand_behind_those_of_the_others():
    """No search starts from them unless it is told to: they need a history."""
    assert EXPECTED_PLANS == ("expected-area", "expected-slowdown")
    assert KNOWN_PLANS == FIRST_PLANS + EXPECTED_PLANS
    assert Annealing().history is None
    assert make_optimizer("annealing:first_plans=(submit,expected-area)").history is EXPECTED_RUN_TIMES


THREE = Round.of(4, 0, waiting=[(0, 4, 10), (0, 1, 10), (0, 2, 15)])


def order_of(problem, name):
    """Give the order of one first plan."""
    search = WAIT.search(problem)
    assert search.try_first_plans(np.array([KNOWN_PLANS.index(name)]))
    return search.order.tolist()


def test_a_round_without_a_past_is_ordered_by_requests():
    """Three jobs of areas 40, 10 and 30."""
    assert order_of(THREE, "expected-area") == [1, 2, 0]
    assert order_of(THREE, "expected-area") == order_of(THREE, "smallest-area")


def test_the_past_of_the_user_counts():
    """The first job asks for most, and is expected to take least: areas of 4, 10, 30; by slowdown 40, 100, 450."""
    past = np.zeros((3, 4))
    past[:, Expected.RUN] = 1.0, 10.0, 15.0
    past[:, Expected.RATE] = 0.1, 0.1, 1 / 15
    problem = replace(THREE, jobs=THREE.jobs._replace(past=past))
    assert order_of(problem, "expected-area") == [0, 1, 2]
    assert order_of(problem, "expected-slowdown") == [0, 1, 2]
    past[:, Expected.RATE] = 0.004, 0.1, 1 / 15  # 4 / 0.004 = 1,000
    problem = replace(THREE, jobs=THREE.jobs._replace(past=past))
    assert order_of(problem, "expected-slowdown") == [1, 2, 0]


def test_a_replay_keeps_the_past_that_first_plans_ask_for():
    """Other starts than by requested areas, since users overestimate unevenly."""
    workload = synthetic_workload(jobs=300, capacity=64, seed=3, load=1.2)
    user = np.arange(300) % 4
    workload = replace(workload, user=user, walltime=workload.runtime * (1 + 3 * user) + 1)
    policy = make_policy(EXPECTED)
    assert policy.history is EXPECTED_RUN_TIMES
    trace = replay(workload, policy)
    assert check_trace(trace) == []
    by_request = replay(workload, make_policy(EXPECTED.replace("expected", "smallest")))
    assert by_request.start.tolist() != trace.start.tolist()


def test_a_replay_keeps_one_history():
    """An objective that asks for the users' shares leaves no room for their run times."""
    with pytest.raises(ValueError, match="another history than the first plans of annealing"):
        make_policy("plan-weighted-wait:share=1,optimizer=(annealing:first_plans=(expected-area))")
    both = make_policy("plan-expected-slowdown:optimizer=(annealing:first_plans=(previous,expected-slowdown))")
    assert both.history == EXPECTED_RUN_TIMES


# Distributions of run times and the job history: what a replay shows of the past, and nothing of the future.


#: The quantiles of a user's quotients.
QUANTILES = 16
#: The column of the first quantile.
FIRST_QUANTILE = 1 + RUN_TIMES.columns - QUANTILES
#: How many ends there are before everybody's quantiles are taken anew.
REFRESH = 16
POLICY = "plan-wait:scenarios=1,evaluations=0"


@settings(max_examples=examples(40))
@given(machines_with_jobs(most_jobs=40), st.randoms(use_true_random=False))
def test_quantiles_and_ledger_of_every_round(machine, random):
    """The quantiles of users with enough ended jobs; of every job its row, with what is known of it by then."""
    jobs, workload = machine[1], workload_of_two(machine, random)
    users = workload.user.tolist()
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
        one = over_scenarios(makespan, 1).for_round(problem, np.random.default_rng(seed))
        search = one.search(problem)
        results.append(search.evaluate(np.arange(len(problem))))
    return problem, np.array(results)


def test_drawn_run_times_are_those_of_the_user():
    """Half of her jobs took a quarter, half three quarters of 320 s: so does the next, now and then in between."""
    jobs = [(400 * i, 1, 320, (80, 240)[i % 2]) for i in range(20)]
    problem, runs = drawn_runs([*jobs, (8000, 1, 320, 320)], [1] * 21)
    assert problem.jobs.walltime.tolist() == [320]
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
    problem, ends = drawn_runs_with_running(jobs)
    assert problem.now == 8160
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
        over_scenarios("makespan", 1)
        .for_round(problem, np.random.default_rng(seed))
        .search(problem)
        .evaluate(np.arange(1))
        for seed in range(100)
    ]
    return problem, np.array(result)
