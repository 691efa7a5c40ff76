"""Planning round after round: plans that have every job, promises, and what one tick hands on to the next."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.baselines import PlanBased, make_policy
from planbatch.experiments.live.planning import Guard, plan_round
from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan, check_plan
from planbatch.planner.round import Round
from tests.builders import random_round
from tests.examples import examples


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


#: Four processors, two of them busy until 10; a wide job came first, then three small ones.
BLOCKED = Round.of(4, 0, [(2, 10)], [(0, 4, 10), (0, 2, 8), (0, 1, 20), (0, 1, 5)])


def test_jobs_that_a_policy_leaves_for_later_get_a_start_all_the_same():
    """EASY starts the second job beside the running one; the others it leaves, and they follow in FCFS order.

    4 |        |    0    | 2 |
      |--------|         |---|
    2 | 1      |         | 3 |
      0        10        20
    """
    plan = plan_round(BLOCKED, "abcd", make_policy("easy"), {}, rng())
    assert plan.start.tolist() == [10, 0, 20, 20]
    assert plan.acted_on[1]
    assert check_plan(BLOCKED, Plan(plan.start), complete=True) == []


@pytest.mark.parametrize("name", ["fcfs", "easy", "conservative", "replanned", "plan-wait", "plan-makespan"])
@given(st.integers(0, 10_000))
@settings(max_examples=examples(15))
def test_every_policy_gives_a_whole_plan(name, seed):
    """For any round, also for a second one whose machine is smaller and whose running jobs overran."""
    problem = random_round(12, seed=seed)
    policy = make_policy(name, evaluations=10) if name.startswith("plan") else make_policy(name)
    keys = problem.ids.tolist()
    plan = plan_round(problem, keys, policy, {}, rng())
    assert check_plan(problem, Plan(plan.start), complete=True) == []
    late = replace(problem, now=problem.now + 7, running=problem.running._replace(end=problem.running.end + 9),
                   planned=None, policy_state=None)  # fmt: skip
    again = plan_round(late, keys, policy, plan.memory, rng())
    assert check_plan(late, Plan(again.start), complete=True) == []
    assert (again.problem.planned >= late.now).all()


def test_a_search_goes_on_when_nothing_can_start():
    """On a full machine a replay keeps its plan, but people want to know when; so the shortest job goes first."""
    full = Round.of(2, 0, [(2, 10)], [(0, 2, 100), (0, 2, 5)])
    plan = plan_round(full, "ab", PlanBased("wait"), {}, rng())
    assert plan.start.tolist() == [15, 10]


def test_promises_are_made_once_and_kept():
    """The first plan promises its start and an hour; in later ticks the promise stays, and every plan keeps it.

    The machine is full until 3000. Three short jobs arrive in every tick, and would all go before the long one; only
    six of them do.
    """
    policy = PlanBased("wait", "annealing", evaluations=200, promise="1h")
    memory, starts = {}, []
    for tick in range(6):
        now, count = 400 * tick, 1 + 3 * tick
        jobs = [(0, 2, 5000), *((now, 2, 590) for _ in range(count - 1))]
        problem = Round.of(2, now, [(2, 3000)], jobs)
        plan = plan_round(problem, list(range(count)), policy, memory, rng())
        memory = plan.memory
        starts.append(int(plan.start[0]))
        assert (plan.start <= plan.problem.jobs.latest).all()
        assert plan.problem.jobs.latest[0] == 6600
    assert starts == [3000, 4770, 6540, 6540, 6540, 6540]


def test_without_a_promise_there_is_none():
    """``NEVER`` stays, and the long job does wait for all short ones."""
    plan = plan_round(Round.of(2, 0, [], [(0, 2, 5000), (0, 2, 5)]), "ab", PlanBased("wait"), {}, rng())
    assert (plan.problem.jobs.latest == NEVER).all()
    assert plan.start.tolist() == [5, 0]


def test_the_plan_before_is_decoded_again_on_a_machine_that_changed():
    """Two jobs were planned side by side; half of the machine is gone, so they follow one another."""
    before = Round.of(4, 0, [(4, 10)], [(0, 2, 50), (0, 2, 50)])
    plan = plan_round(before, "ab", make_policy("replanned"), {}, rng())
    assert plan.start.tolist() == [10, 10]
    after = Round.of(2, 5, [(2, 10)], [(0, 2, 50), (0, 2, 50)])
    again = plan_round(after, "ab", make_policy("conservative"), plan.memory, rng())
    assert again.problem.planned.tolist() == [10, 60]
    assert again.start.tolist() == [10, 60]


def test_a_round_without_jobs_is_an_empty_plan():
    plan = plan_round(Round.of(4), [], make_policy("plan-wait"), {}, rng())
    assert (len(plan.start), plan.memory) == (0, {})


def test_a_policy_without_a_plan_is_reported():
    """A user's function that returns nothing."""
    with pytest.raises(ValueError, match="the policy gave no plan of the 4 waiting jobs"):
        plan_round(BLOCKED, "abcd", lambda problem, rng: None, {}, rng())


@pytest.mark.parametrize("name", ["easy:multifactor", "wdbf", "recorded"])
def test_a_policy_that_needs_more_than_a_round_is_reported(name):
    """The past of users, the time zone of a log, its waits: those are for replays."""
    with pytest.raises(ValueError, match="replay a journal with it"):
        plan_round(BLOCKED, "abcd", make_policy(name), {}, rng())


def test_policies_that_check_a_workload_decide_rounds_as_well():
    """Working time with a time zone of its own, and los, which fills the two free of four processors."""
    filled = Round.of(4, 0, [(2, 50)], [(0, 4, 10), (0, 1, 20), (0, 2, 30)])
    result = plan_round(filled, "abc", make_policy("los"), {}, rng())
    assert result.start.tolist()[2] == 0
    assert result.start.tolist()[0] == 50
    wdbf = make_policy("wdbf", calendar="9-17:Europe/Berlin")
    plan_round(BLOCKED, "abcd", wdbf, {}, rng())


def test_the_job_that_has_waited_longest_is_overtaken_for_the_slack_and_no_longer():
    """Two nodes, one busy for 60 s; a job of both nodes is first, ten small ones of 60 s come behind it.

    Without a guard, the small ones go first. With one of six seconds, it starts at 66 s at the latest: a small one may
    go first at 5 s, none after that.
    """
    small = [(0, 1, 60)] * 10
    policy = make_policy("plan-wait")

    def planned(now, memory, guard):
        problem = Round.of(2, now, [(1, 60)], [(0, 2, 60), *small])
        heads = np.arange(len(problem)) == 0
        return plan_round(problem, range(11), policy, memory, np.random.default_rng(0), heads=heads, guard=guard)

    guard = Guard.parse("6s")
    assert planned(0, {}, None).start[0] > 66
    first = planned(0, {}, guard)
    assert (first.start[0], first.problem.jobs.latest[0], first.protected[0]) == (60, 66, False)
    then = planned(5, first.memory, guard)
    assert (then.start[0], then.problem.jobs.latest[0], then.protected[0]) == (65, 66, False)
    last = planned(6, then.memory, guard)
    assert (last.start[0], last.problem.jobs.latest[0], last.protected[0]) == (60, 60, True)


def test_a_guard_counts_limits_and_waits():
    """100 s after its submission, a job of 60 s: 5 + 0.1 × 60 + 2 × 100."""
    problem = Round.of(2, 100, [(1, 160)], [(0, 2, 60)])
    assert Guard.parse("5s+0.1x+2w").limits(problem.jobs, np.array([100])).tolist() == [211]
    assert Guard.parse("none") is None
    with pytest.raises(ValueError, match="guard: cannot read 'within:3h'"):
        Guard.parse("within:3h")
