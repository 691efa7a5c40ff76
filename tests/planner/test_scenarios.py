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
from planbatch.experiments.replay.replay import compiled_form, replay
from planbatch.experiments.rounds.compare import compare_rounds
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives import OBJECTIVES, over_scenarios, weighted_sum
from planbatch.planner.budget import Budget
from planbatch.planner.kernels.evaluate import decoded_cost, mean_of_worst, soonest_cost
from planbatch.planner.kernels.futures import new_futures
from planbatch.planner.kernels.profile import room_for
from planbatch.planner.model import NEVER
from planbatch.planner.objective import Objective, UnsupportedObjectiveError
from planbatch.planner.optimizers import OPTIMIZERS, make_optimizer
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.optimizers.search import OrderSearch
from planbatch.planner.round import Round
from planbatch.planner.scenarios import rounded_off, set_future
from planbatch.planner.solve import solve
from tests.builders import random_round, rounds_with_resources, small_rounds
from tests.oracles import Scene, Waiting, decode_oracle

#: Optimizers that evaluate orders.
SEARCHES = [name for name in OPTIMIZERS if make_optimizer(name).supports(over_scenarios("wait"))]


def plain_cost(start, jobs, now):
    """Waits and ends, weighted by processors, in plain Python: sees starts, walltimes and the time."""
    ends = (start - jobs.submit) * jobs.procs + 3 * (start + jobs.walltime - now)
    return float(ends.sum()) / 7


PLAIN = Objective("plain", plain_cost)


def in_scenarios(objective, problem, rows, risk=0.0):
    """Return an objective judged in scenarios that are given: ends of the running jobs, then run times."""
    arrays = problem.arrays
    futures = new_futures(arrays, len(rows), room_for(arrays, 0), risk)
    for k, row in enumerate(rows):
        set_future(futures, k, arrays, np.array(row, dtype=np.int64))
    return replace(over_scenarios(objective, len(rows), risk), futures=futures)


def requests(problem):
    """Return the scenario in which all run times are the requested ones."""
    return [*problem.running.end.tolist(), *problem.jobs.walltime.tolist()]


def costs_of(problem, objective, most=24):
    """Return the first orders, the cost of each, and the starts by walltimes that it decodes to."""
    arrays, classes = problem.arrays, objective.classes(problem.arrays)
    found = []
    for order in islice(permutations(range(len(problem))), most):
        start = np.empty(len(problem), dtype=np.int64)
        cost = decoded_cost(arrays, classes, objective.cost, np.array(order), start)
        found.append((order, cost, start.tolist()))
    return found


@settings(max_examples=100)
@given(
    st.one_of(small_rounds(most_jobs=5), rounds_with_resources(most_jobs=4)),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.5, 0.9]),
)
def test_requests_as_scenarios_give_the_ordinary_cost(problem, count, risk):
    """Whatever the order, the objective and the risk, on machines with resources and windows too."""
    if not len(problem):
        return
    for objective in (PLAIN, OBJECTIVES["squared-wait"], OBJECTIVES["makespan"]):
        judged = in_scenarios(objective, problem, [requests(problem)] * count, risk)
        plain = costs_of(problem, objective)
        for (_, cost, start), (_, found, other) in zip(
            plain, costs_of(problem, judged), strict=True
        ):
            assert found == pytest.approx(cost)
            assert other == start


@given(st.integers(1, 10**7), st.integers(0, 10**7))
def test_drawn_times_are_rounded_off(seconds, more):
    """By at most a sixteenth, to four binary digits, and never beyond the request, which stays as it is."""
    found = rounded_off(seconds, seconds + more)
    assert abs(found - seconds) <= seconds / 16
    assert len(bin(found)[2:].rstrip("0")) <= 4 or found == seconds + more
    assert rounded_off(seconds, seconds) == seconds


@st.composite
def rounds_with_scenarios(draw):
    """Draw a small round, and scenarios: nothing takes longer than expected."""
    problem = draw(small_rounds(most_jobs=4))
    ends = [[draw(st.integers(problem.now + 1, end)) for end in problem.running.end] for _ in "123"]
    runs = [[draw(st.integers(1, most)) for most in problem.jobs.walltime] for _ in "123"]
    return problem, [[*end, *run] for end, run in zip(ends, runs, strict=True)]


def oracle(problem, order, row):
    """Decode an order by walltimes, then again in a scenario, second by second; return the starts there."""
    m = len(problem.running.end)
    waiting = [
        Waiting(i, int(submit), int(procs), int(walltime))
        for i, (submit, procs, walltime) in enumerate(
            zip(problem.jobs.submit, problem.jobs.procs, problem.jobs.walltime, strict=True)
        )
    ]
    sizes = problem.running.procs.tolist()
    running = list(zip(sizes, problem.running.end.tolist(), strict=True))
    now = problem.now
    planned = decode_oracle(Scene(now, problem.capacity, running, waiting, {}, False), order)
    drawn = [job._replace(walltime=row[m + i]) for i, job in enumerate(waiting)]
    scene = Scene(now, problem.capacity, list(zip(sizes, row, strict=False)), drawn, {}, False)
    order = [i for i in order if planned[i] == now] + [i for i in order if planned[i] != now]
    found = decode_oracle(scene, order)
    return [found[i] for i in range(len(waiting))]


@settings(max_examples=150)
@given(rounds_with_scenarios(), st.sampled_from([0.0, 0.4, 0.9]))
def test_against_plain_python(drawn, risk):
    """The mean of the largest costs; that of a set in which all jobs take what it says."""
    problem, rows = drawn
    if not len(problem):
        return
    judged = in_scenarios(PLAIN, problem, rows, risk)
    m = len(problem.running.end)
    for order, found, _ in costs_of(problem, judged):
        costs = []
        for row in rows:
            start = np.array(oracle(problem, order, row))
            jobs = problem.jobs._replace(walltime=np.array(row[m:]))
            costs.append(plain_cost(start, jobs, problem.now))
        costs.sort(reverse=True)
        shares = [min(1.0, max(0.0, (1 - risk) * len(costs) - i)) for i in range(len(costs))]
        expected = sum(s * c for s, c in zip(shares, costs, strict=True)) / sum(shares)
        assert found == pytest.approx(expected)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), st.floats(0, 0.99))
def test_the_mean_of_the_worst(costs, risk):
    """The mean if the risk is 0, more with more risk, and never more than the largest."""
    values = [mean_of_worst(np.array(costs), level) for level in (0.0, risk / 2, risk)]
    assert values[0] == pytest.approx(np.mean(costs), abs=1e-6)
    assert values[0] <= values[1] + 1e-6 <= values[2] + 2e-6 <= max(costs) + 3e-6


def test_the_last_of_the_worst_counts_in_part():
    """The worst three eighths of 1, 2, 3, 4: 4 and half of 3."""
    assert mean_of_worst(np.array([3.0, 1.0, 4.0, 2.0]), 0.625) == pytest.approx(5.5 / 1.5)


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
    expected = in_scenarios("wait", problem, [[10, 10, 150]])
    rng = np.random.default_rng(0)
    plans = [
        Annealing().optimize(problem, objective, Budget(evaluations=10), rng)
        for objective in (OBJECTIVES["wait"], expected)
    ]
    assert [plan.cost for plan in plans] == [100.0, 15.0]
    assert [plan.plan.start.tolist() for plan in plans] == [[200, 0], [100, 110]]


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize(
    "objective", [OBJECTIVES["squared-wait"], PLAIN], ids=["compiled", "plain"]
)
def test_every_search_judges_plans_in_the_same_scenarios(name, objective):
    """The cost of the result is that of its permutation, no more than that of the best first plan, and reproducible."""
    problem = random_round(12)
    rng = np.random.default_rng(5)
    longest = np.append(problem.running.end - problem.now, problem.jobs.walltime)
    present = np.append(np.full(len(problem.running.end), problem.now), np.zeros(len(problem), int))
    runs = [present + rng.integers(1, longest + 1) for _ in range(3)]
    judged = in_scenarios(objective, problem, runs, 0.5)
    results = [
        make_optimizer(name).optimize(
            problem, judged, Budget(evaluations=60), np.random.default_rng(1)
        )
        for _ in range(2)
    ]
    start = np.empty(len(problem), dtype=np.int64)
    cost = decoded_cost(
        problem.arrays, judged.classes(problem.arrays), judged.cost, results[0].permutation, start
    )
    assert results[0].cost == pytest.approx(cost)
    assert start.tolist() == results[0].plan.start.tolist()
    assert results[0].cost <= results[0].seed_cost
    assert results[0].plan.start.tolist() == results[1].plan.start.tolist()


def test_the_front_of_a_long_queue_is_judged_in_the_same_scenarios():
    """Of 70 jobs the first 50 are annealed first; scenarios that are the requests change nothing."""
    problem = random_round(70)
    judged = in_scenarios("squared-wait", problem, [requests(problem)] * 2)
    results = [
        Annealing().optimize(problem, objective, Budget(evaluations=250), np.random.default_rng(2))
        for objective in (OBJECTIVES["squared-wait"], judged)
    ]
    assert results[0].plan.start.tolist() == results[1].plan.start.tolist()
    assert results[0].cost == pytest.approx(results[1].cost)


def test_no_plan_costs_less_than_starting_at_once():
    """The floor of temperatures is over the scenarios too: with other run times, makespans are other ones."""
    problem = Round.of(4, 0, [(2, 100)], [(0, 4, 10), (0, 2, 200)])
    judged = in_scenarios("makespan", problem, [[10, 10, 150], [20, 5, 50]])
    assert OrderSearch(problem, judged, Budget(evaluations=1)).floor() == pytest.approx(100.0)
    classes = judged.classes(problem.arrays)
    assert soonest_cost(problem.arrays, classes, judged.cost) == pytest.approx(100.0)


@pytest.fixture(scope="module")
def unreliable():
    """Jobs of three users: one uses a tenth of the requests, one half, one all."""
    workload = synthetic_workload(jobs=250, load=0.9, seed=3)
    user = np.arange(len(workload)) % 3
    runtime = np.maximum(workload.walltime * np.array([0.1, 0.5, 1.0])[user], 1).astype(np.int64)
    return replace(workload, user=user, runtime=runtime)


@pytest.mark.parametrize(
    "name", ["plan-squared-wait:scenarios=3", "plan-wait:scenarios=4,risk=0.6"]
)
def test_replays_are_reproducible_compiled_or_not(unreliable, name):
    """The same seed gives the same starts and costs, another one others; requests alone give others."""
    policy = make_policy(f"{name},evaluations=20")
    if compiled_form(policy) is None:
        pytest.skip("kernels are not compiled in this process")
    fast, again, slow = (
        replay(unreliable, policy, seed=7, compiled=compiled) for compiled in (True, True, False)
    )
    assert fast.start.tolist() == again.start.tolist() == slow.start.tolist()
    np.testing.assert_array_equal(fast.rounds.cost, slow.rounds.cost)
    assert replay(unreliable, policy, seed=8).start.tolist() != fast.start.tolist()
    alone = make_policy(name.partition(":")[0] + ":evaluations=20")
    assert replay(unreliable, alone, seed=7).start.tolist() != fast.start.tolist()


def test_promises_are_kept_by_walltimes(unreliable):
    """Scenarios judge plans; what is promised is promised by requests."""
    trace = replay(
        unreliable, make_policy("plan-wait:scenarios=3,evaluations=20,promise=1x"), seed=1
    )
    assert (trace.promise < NEVER).all()
    assert (trace.start <= trace.promise).all()


def test_other_optimizers_take_them_too(unreliable):
    """An optimizer without a kernel, and a portfolio whose members meet the same scenarios."""
    workload = unreliable.take(slice(0, 60))
    for optimizer in ("local-search", "portfolio"):
        policy = PlanBased(over_scenarios("wait", 2), optimizer, 12)
        found = [replay(workload, policy, seed=seed).start.tolist() for seed in (1, 1)]
        assert found[0] == found[1]


def test_names_and_parameters():
    """As in tables, and in results."""
    policy = make_policy("plan-squared-wait:scenarios=8,risk=0.9")
    assert policy.name == "plan-squared-wait:scenarios=8,risk=0.9"
    assert traits_of(policy).parameters["scenarios"] == 8
    assert traits_of(policy).parameters["risk"] == 0.9
    assert "scenarios" not in traits_of(make_policy("plan-squared-wait")).parameters
    assert PlanBased(over_scenarios("wait", 4)).name == "plan-wait:scenarios=4"
    assert make_policy("plan:aged-wait,scenarios=2").name == "plan-aged-wait:scenarios=2"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plan-wait:scenarios=-1", "scenarios: -1 is not a number from 1 to 1,000"),
        ("plan-wait:scenarios=8,risk=1", "risk: 1 is not from 0 to below 1, such as 0.9"),
        ("plan-wait:risk=0.9", "risk: 0.9 is one of scenarios; give their number"),
    ],
)
def test_parameters_out_of_range(name, message):
    """The message names the parameter."""
    with pytest.raises(ValueError, match=message):
        make_policy(name)


@pytest.mark.parametrize("name", ["exhaustive", "cp-sat", "lns:repair=cp-sat"])
def test_optimizers_that_need_terms_refuse(name):
    """Costs over scenarios are no sum of terms of starts."""
    with pytest.raises(UnsupportedObjectiveError, match="costs over scenarios have none"):
        PlanBased(over_scenarios("wait"), name)


def test_scenarios_are_drawn_before_a_search():
    """Searches do not draw them, so that members of a portfolio meet the same; the front door does."""
    problem = random_round(5)
    with pytest.raises(ValueError, match=r"draw the round's scenarios .* objective.drawn"):
        Annealing().optimize(
            problem, over_scenarios("wait"), Budget(evaluations=5), np.random.default_rng(0)
        )
    result = solve(problem, over_scenarios("wait"), "annealing", 200)
    plain = solve(problem, "wait", "annealing", 200)
    assert result.cost == pytest.approx(plain.cost)  # a round has no past: all take their walltimes
    assert np.isnan(result.lower_bound)


def test_what_cannot_be_compared_or_combined():
    """Costs over scenarios are those of one seed, and parts of an objective have no scenarios of their own."""
    judged = over_scenarios("wait")
    with pytest.raises(ValueError, match="costs over scenarios differ with the seed"):
        compare_rounds([random_round(5)], ["annealing"], [judged], 10)
    with pytest.raises(ValueError, match="wait:scenarios=8 cannot be a part of another objective"):
        weighted_sum((1.0, judged))


def test_an_objective_of_ones_own_by_name(tmp_path, unreliable):
    """A function in a file, compiled, with parameters behind it."""
    file = tmp_path / "mine.py"
    file.write_text(
        "def cost(start, jobs, now):\n"
        "    total = 0.0\n"
        "    for i in range(len(start)):\n"
        "        total += float(start[i] - jobs.submit[i]) ** 2\n"
        "    return total / max(len(start), 1)\n"
    )
    mine, ours = (
        make_policy(f"plan:{name},scenarios=2,evaluations=5")
        for name in (f"{file}:cost", "squared-wait")
    )
    workload = unreliable.take(slice(0, 100))
    assert replay(workload, mine).start.tolist() == replay(workload, ours).start.tolist()
