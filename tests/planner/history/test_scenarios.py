"""Costs over scenarios: against plain Python, against the ordinary cost, and under every optimizer."""

from dataclasses import replace
from itertools import islice, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.plan_based import PlanBased
from planbatch.baselines.policy import traits_of
from planbatch.experiments.replay.checker import recorded_replay
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.rounds.compare import compare_rounds
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives import OBJECTIVES, over_scenarios, weighted_sum
from planbatch.planner.budget import Budget
from planbatch.planner.history.expectation import RUN_TIMES
from planbatch.planner.history.job_history import UNKNOWN, JobColumn, JobHistory
from planbatch.planner.model import NEVER
from planbatch.planner.objective import Objective, UnsupportedObjectiveError
from planbatch.planner.optimizers import OPTIMIZERS, make_optimizer
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.optimizers.search import OrderSearch
from planbatch.planner.round import Round
from planbatch.planner.solve import solve
from tests.builders import assert_same, random_round, rounds_with_resources, small_rounds
from tests.examples import examples
from tests.oracles import Scene, Waiting, decode_oracle

#: Optimizers that evaluate orders.
SEARCHES = [name for name in OPTIMIZERS if make_optimizer(name).supports(over_scenarios("wait"))]


def plain_cost(start, jobs, now):
    """Waits and ends, weighted by processors, in plain Python: sees starts, walltimes and the time."""
    ends = (start - jobs.submit) * jobs.procs + 3 * (start + jobs.walltime - now)
    return float(ends.sum()) / 7


PLAIN = Objective("plain", plain_cost)
#: Columns of a job's past, and the quantiles behind the others.
COLUMNS, QUANTILES = 1 + RUN_TIMES.columns, 16


@st.composite
def rounds_with_a_past(draw):
    """Draw a small round whose jobs and users have a past: quantiles of the part of her request that each takes."""
    problem = draw(small_rounds(most_jobs=4))
    n, m, now = len(problem), len(problem.running.end), problem.now
    rows, past = [], []
    for end in problem.running.end.tolist():
        walltime = draw(st.integers(end - now + 1, end - now + 9))
        rows.append([end - walltime, 1, walltime, 0, end - walltime, UNKNOWN])
        past.append(draw(quantiles()))
    columns = np.array([draw(quantiles()) for _ in range(n)]).reshape(n, COLUMNS)
    jobs = problem.jobs._replace(past=columns if n else np.zeros((0, COLUMNS)))
    job_history = JobHistory(
        np.array(rows, dtype=np.int64).reshape(m, len(JobColumn)), np.array(past).reshape(m, COLUMNS), np.arange(m)
    )
    return replace(problem, jobs=jobs, job_history=job_history)


def quantiles():
    """Draw the columns of one job's past; half of the users take the same part of every request."""
    part = st.floats(0.02, 1.0)
    many = st.lists(part, min_size=QUANTILES, max_size=QUANTILES).map(sorted)
    return st.one_of(part.map(lambda one: [one] * QUANTILES), many).map(lambda found: [0.0, 1.0, 1.0, 9.0, *found])


class Watched:
    """A cost in plain Python that notes for which starts and run times it was asked."""

    def __init__(self):
        self.queries = []

    def __call__(self, start, jobs, now):
        self.queries.append((start.tolist(), jobs.walltime.tolist()))
        return plain_cost(start, jobs, now)


def scene(problem, walltime, ends):
    """Give the round to the reference, with these times."""
    columns = problem.jobs.submit, problem.jobs.procs, walltime
    waiting = [Waiting(i, *map(int, values)) for i, values in enumerate(zip(*columns, strict=True))]
    running = list(zip(problem.running.procs.tolist(), ends, strict=True))
    return Scene(problem.now, problem.capacity, running, waiting, {}, False)


@settings(max_examples=examples(150))
@given(rounds_with_a_past(), st.sampled_from([0.0, 0.4, 0.9]), st.integers(0, 99))
def test_against_plain_python(problem, risk, seed):
    """The mean of the largest costs; each is that of a scenario in which the jobs take what it says.

    Without running jobs, whose drawn ends nobody sees, every scenario is decoded again second by second: first what
    the plan starts now, then the others in their order. Nothing takes longer than its request, and times have four
    binary digits.
    """
    if not len(problem):
        return
    watched = Watched()
    judged = over_scenarios(Objective("watched", watched), 3, risk)
    search = judged.for_round(problem, np.random.default_rng(seed)).search(problem)
    samples = None
    for order in islice(permutations(range(len(problem))), 6):
        watched.queries.clear()
        result = search.evaluate(np.array(order))
        runs = [run for _, run in watched.queries]
        assert samples in (None, runs)  # the same for all orders
        samples = runs
        planned = decode_oracle(scene(problem, problem.jobs.walltime, problem.running.end), order)
        assert search.trial.tolist() == [planned[i] for i in range(len(problem))]
        first = [i for i in order if planned[i] == problem.now]
        rest = [i for i in order if planned[i] != problem.now]
        costs = []
        for start, run in watched.queries:
            assert all(1 <= r <= most for r, most in zip(run, problem.jobs.walltime, strict=True))
            assert all(start[i] == problem.now for i in first)
            if not len(problem.running.end):
                again = decode_oracle(scene(problem, run, []), [*first, *rest])
                assert start == [again[i] for i in range(len(problem))]
            jobs = problem.jobs._replace(walltime=np.array(run))
            costs.append(plain_cost(np.array(start), jobs, problem.now))
        costs.sort(reverse=True)
        shares = [min(1.0, max(0.0, (1 - risk) * len(costs) - i)) for i in range(len(costs))]
        expected = sum(s * c for s, c in zip(shares, costs, strict=True)) / sum(shares)
        assert result == pytest.approx(expected)


@settings(max_examples=examples(100))
@given(
    st.one_of(small_rounds(most_jobs=5), rounds_with_resources(most_jobs=4)),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.5, 0.9]),
)
def test_without_a_past_scenarios_give_the_ordinary_cost(problem, count, risk):
    """All jobs take what they asked for: whatever the order, the objective, the risk, the resources and windows."""
    if not len(problem):
        return
    for objective in (PLAIN, OBJECTIVES["squared-wait"], OBJECTIVES["makespan"]):
        plain = objective.search(problem)
        judged = over_scenarios(objective, count, risk).for_round(problem, np.random.default_rng(0))
        search = judged.search(problem)
        for order in islice(permutations(range(len(problem))), 24):
            cost = plain.evaluate(np.array(order))
            assert search.evaluate(np.array(order)) == pytest.approx(cost)
            assert search.trial.tolist() == plain.trial.tolist()


def with_past(problem, waiting, running):
    """Give a round whose jobs take these parts of what they asked for, whatever is drawn."""
    now, m = problem.now, len(problem.running.end)
    quantiles = [[0.0, 1.0, 1.0, 9.0, *[part] * QUANTILES] for part in (*waiting, *running)]
    queries = [[now, 1, end - now, 0, now, UNKNOWN] for end in problem.running.end.tolist()]
    table = np.array(quantiles)
    job_history = JobHistory(np.array(queries).reshape(m, len(JobColumn)), table[len(waiting) :], np.arange(m))
    return replace(problem, jobs=problem.jobs._replace(past=table[: len(waiting)]), job_history=job_history)


def judged_in(problem, objective, count=1, risk=0.0):
    """Give the objective over the scenarios of a round."""
    return over_scenarios(objective, count, risk).for_round(problem, np.random.default_rng(0))


def test_a_long_job_waits_if_what_runs_is_expected_to_end_soon():
    """R asked for 100 s and is expected to take 10; H needs the machine, B half of it for 200 s, of which it takes 150.

    ::

        by requests: B first    H first           expected: B first    H first
        4 | RRRRRRR     HH      RRRRRRRHH         R         HH         RHH
        3 | RRRRRRR     HH      RRRRRRRHH         R         HH         RHH
        2 | BBBBBBBBBBBBHH             HHBBBBBB   BBBBBBBBBBHH          HHBBBBBB
        1 | BBBBBBBBBBBBHH             HHBBBBBB   BBBBBBBBBBHH          HHBBBBBB
            0      100  200     0      100 110    0        150         010 20

    By requests, the waits are 0 + 200 or 110 + 100: B starts. Expected are 0 + 150 or 20 + 10: B waits.
    """
    problem = Round.of(4, 0, [(2, 100)], [(0, 4, 10), (0, 2, 200)])
    problem = with_past(problem, [1.0, 0.75], [0.1])
    expected = judged_in(problem, "wait")
    rng = np.random.default_rng(0)
    plans = [
        Annealing().optimize(problem, objective, Budget(evaluations=10), rng)
        for objective in (OBJECTIVES["wait"], expected)
    ]
    assert [plan.cost for plan in plans] == [100.0, 15.0]
    assert [plan.plan.start.tolist() for plan in plans] == [[200, 0], [100, 110]]


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_judges_plans_in_the_same_scenarios(name):
    """The cost of the result is that of its permutation, no more than that of the best first plan, and reproducible."""
    parts = np.random.default_rng(5).random(30)
    problem = random_round(12)
    problem = with_past(problem, parts[:12], parts[12 : 12 + len(problem.running.end)])
    for objective in (OBJECTIVES["squared-wait"], PLAIN):
        judged = judged_in(problem, objective, 3, 0.5)
        first, second = (
            make_optimizer(name).optimize(problem, judged, Budget(evaluations=60), np.random.default_rng(1))
            for _ in range(2)
        )
        search = judged.search(problem)
        assert first.cost == pytest.approx(search.evaluate(first.permutation))
        assert search.trial.tolist() == first.plan.start.tolist()
        assert first.cost <= first.seed_cost
        assert first.plan.start.tolist() == second.plan.start.tolist()


def test_the_front_of_a_long_queue_is_judged_in_the_same_scenarios():
    """Of 70 jobs the first 50 are annealed first; scenarios that are the requests change nothing."""
    problem = random_round(70)
    results = [
        Annealing().optimize(problem, objective, Budget(evaluations=250), np.random.default_rng(2))
        for objective in (OBJECTIVES["squared-wait"], judged_in(problem, "squared-wait", 2))
    ]
    assert results[0].plan.start.tolist() == results[1].plan.start.tolist()
    assert results[0].cost == pytest.approx(results[1].cost)


def test_no_plan_costs_less_than_starting_at_once():
    """The floor of temperatures is over the scenarios too: with other run times, makespans are other ones."""
    problem = Round.of(4, 0, [(2, 100)], [(0, 4, 10), (0, 2, 200)])
    judged = judged_in(with_past(problem, [1.0, 0.48], [0.1]), "makespan", 2)
    assert OrderSearch(problem, judged, Budget(evaluations=1)).floor() == pytest.approx(96.0)


@pytest.mark.parametrize("other", ["another time", "fewer jobs", "fewer running", "a smaller machine"])
def test_scenarios_of_another_round_are_refused(other):
    """They say how long the jobs of one round take, at its time."""
    arguments = {"capacity": 8, "now": 10, "running": [(2, 30), (1, 40)], "waiting": [(0, 2, 9), (0, 6, 5)]}
    samples = judged_in(Round.of(**arguments), "wait")
    changes = {
        "another time": {"now": 30, "running": [(2, 31), (1, 40)]},
        "fewer jobs": {"waiting": [(0, 2, 9)]},
        "fewer running": {"running": [(3, 30)]},
        "a smaller machine": {"running": [(3, 30), (1, 40)]},
    }
    with pytest.raises(ValueError, match="scenarios: drawn for another round"):
        samples.search(Round.of(**arguments | changes[other]))


@pytest.fixture(scope="module")
def unreliable():
    """Jobs of three users: one uses a tenth of the requests, one half, one all."""
    workload = synthetic_workload(jobs=250, load=0.9, seed=3)
    user = np.arange(len(workload)) % 3
    runtime = np.maximum(workload.walltime * np.array([0.1, 0.5, 1.0])[user], 1).astype(np.int64)
    return replace(workload, user=user, runtime=runtime)


@pytest.mark.parametrize("name", ["plan-squared-wait:scenarios=3", "plan-wait:scenarios=4,risk=0.6"])
def test_replays_are_reproducible_stepped_or_not(unreliable, name):
    """The same seed gives the same starts and costs, another one others; requests alone give others."""
    policy = make_policy(f"{name},evaluations=20")
    trace = replay(unreliable, policy, seed=7)
    assert_same(trace, replay(unreliable, policy, seed=7))
    assert_same(trace, recorded_replay(unreliable, policy, seed=7)[0])
    assert replay(unreliable, policy, seed=8).start.tolist() != trace.start.tolist()
    alone = make_policy(name.partition(":")[0] + ":evaluations=20")
    assert replay(unreliable, alone, seed=7).start.tolist() != trace.start.tolist()


def test_promises_are_kept_by_walltimes(unreliable):
    """Scenarios judge plans; what is promised is promised by requests."""
    trace = replay(unreliable, make_policy("plan-wait:scenarios=3,evaluations=20,promise=1x"), seed=1)
    assert (trace.promise < NEVER).all()
    assert (trace.start <= trace.promise).all()


def test_other_optimizers_take_them_too(unreliable):
    """An optimizer in plain Python, and a portfolio whose members meet the same scenarios."""
    workload = unreliable.take(slice(0, 60))
    for optimizer in ("local-search", "portfolio"):
        policy = PlanBased(over_scenarios("wait", 2), optimizer, evaluations=12)
        result = [replay(workload, policy, seed=seed).start.tolist() for seed in (1, 1)]
        assert result[0] == result[1]


def test_names_and_parameters():
    policy = make_policy("plan-squared-wait:scenarios=8,risk=0.9")
    assert policy.name == "plan-squared-wait:scenarios=8,risk=0.9"
    assert traits_of(policy).parameters["scenarios"] == 8
    assert traits_of(policy).parameters["risk"] == 0.9
    assert "scenarios" not in traits_of(make_policy("plan-squared-wait")).parameters
    assert PlanBased(over_scenarios("wait", 4)).name == "plan-wait:scenarios=4"
    assert make_policy("plan:aged-wait,scenarios=2").name == "plan-aged-wait:scenarios=2"


@pytest.mark.parametrize("name", ["exhaustive", "cp-sat", "lns:repair=cp-sat"])
def test_optimizers_that_need_terms_refuse(name):
    """Costs over scenarios are no sum of terms of starts."""
    with pytest.raises(UnsupportedObjectiveError, match="costs over scenarios have none"):
        PlanBased(over_scenarios("wait"), name)


def test_scenarios_are_drawn_before_a_search():
    """Searches do not draw them, so that members of a portfolio meet the same; the front door does."""
    problem = random_round(5)
    with pytest.raises(ValueError, match=r"draw the round's scenarios .* objective.for_round"):
        Annealing().optimize(problem, over_scenarios("wait"), Budget(evaluations=5), np.random.default_rng(0))
    result = solve(problem, over_scenarios("wait"), "annealing", evaluations=200)
    plain = solve(problem, "wait", "annealing", evaluations=200)
    assert result.cost == pytest.approx(plain.cost)  # a round has no past: all take their walltimes
    assert np.isnan(result.lower_bound)


def test_what_cannot_be_compared_or_combined():
    """Costs over scenarios are those of one seed, and parts of an objective have no scenarios of their own."""
    judged = over_scenarios("wait")
    with pytest.raises(ValueError, match="costs over scenarios differ with the seed"):
        compare_rounds([random_round(5)], ["annealing"], [judged], evaluations=10)
    with pytest.raises(ValueError, match="wait:scenarios=8 cannot be a part of another objective"):
        weighted_sum((1.0, judged))


def test_an_objective_of_ones_own_by_name(tmp_path, unreliable):
    file = tmp_path / "mine.py"
    file.write_text(
        "def cost(start, jobs, now):\n"
        "    total = 0.0\n"
        "    for i in range(len(start)):\n"
        "        total += float(start[i] - jobs.submit[i]) ** 2\n"
        "    return total / max(len(start), 1)\n"
    )
    mine, ours = (make_policy(f"plan:{name},scenarios=2,evaluations=5") for name in (f"{file}:cost", "squared-wait"))
    workload = unreliable.take(slice(0, 100))
    assert replay(workload, mine).start.tolist() == replay(workload, ours).start.tolist()
