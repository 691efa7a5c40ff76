"""Rounds with several resources, and with windows in which a part of the machine is not there."""

import re
from functools import cache
from itertools import cycle, permutations

import numpy as np
import pytest
from hypothesis import given, settings

from planbatch.baselines.catalogue import make_policy
from planbatch.objectives import OBJECTIVES, WAIT
from planbatch.planner.bounds import lower_bound
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.model import NEVER
from planbatch.planner.optimizer import Status
from planbatch.planner.optimizers import OPTIMIZERS, make_optimizer
from planbatch.planner.plan import Plan, check_plan
from planbatch.planner.profile import Profile
from planbatch.planner.resources import Resource, Window
from planbatch.planner.round import Round
from tests.builders import left_by_seconds, rounds_with_resources
from tests.examples import examples

MEMORY = Resource("memory", 10, "GB")
#: Every optimizer with one of three objectives.
PAIRS = list(zip(OPTIMIZERS, cycle(["wait", "squared-wait", "makespan"]), strict=False))


def decoded_by_seconds(problem, order):
    """Decode an order second by second, on a list of what is left in each second."""
    left = left_by_seconds(problem)
    start = np.zeros(len(problem), dtype=np.int64)
    for job in order:
        length = problem.jobs.walltime[job]
        when = 0
        while (left[when : when + length] < problem.demands[job]).any():
            when += 1
        left[when : when + length] -= problem.demands[job]
        start[job] = problem.now + when
    return start


def test_a_job_starts_where_all_its_demands_fit():
    """B fits beside A by its processors, but not by its memory; C fits by both.

    Four processors, 10 GB; A takes 6 GB, B 5 GB, C 4 GB::

        4 |. . . B B
        3 |C C . B B
        2 |A A A B B
        1 |A A A . .
          +---------
           0 1 2 3 4
    """
    problem = Round.of(4, 0, [], [(0, 2, 3), (0, 2, 2), (0, 1, 2)], resources=[MEMORY], demands=[[6], [5], [4]])
    assert decode(problem, np.arange(3)).start.tolist() == [0, 3, 0]


def test_jobs_are_planned_around_a_window():
    """From 2 to 5, two of three processors are away: A would run into that, B is done before, C needs only one.

    ::

        3 |B B x x x A A A A
        2 |B B x x x A A A A
        1 |. . C C C C C C .
          +-----------------
           0 1 2 3 4 5 6 7 8
    """
    waiting = [(0, 2, 4), (0, 2, 2), (0, 1, 8)]
    problem = Round.of(3, 0, [], waiting, windows=[(2, 5, 2)])
    assert decode(problem, np.arange(3)).start.tolist() == [5, 0, 0]


def test_running_jobs_keep_what_they_have():
    """A job runs into a window that takes all: nothing is free meanwhile, and not less than that."""
    problem = Round.of(2, 0, [(1, 9)], [(0, 1, 1)], windows=[(3, 6, 2)])
    assert list(Profile(problem)) == [(0, 1), (3, 0), (6, 1), (9, 2)]


@given(rounds_with_resources())
def test_the_decoder_agrees_with_counting_seconds(problem):
    """So do searches, with one, two (whose code is their own) or three resources; the order of starts delays nothing.

    That is what yesterday's plan and promises rest on.
    """
    n = len(problem)
    for order in (np.arange(n), np.arange(n)[::-1].copy()):
        plan = decode(problem, order)
        assert plan.start.tolist() == decoded_by_seconds(problem, order).tolist()
        assert check_plan(problem, plan, complete=True) == []
        assert (decode(problem, plan.order()).start <= plan.start).all()
        if n:
            search = WAIT.search(problem)
            search.evaluate(order)
            assert search.trial.tolist() == plan.start.tolist()


@given(rounds_with_resources(4))
@settings(max_examples=examples(60))
def test_bounds_and_exhaustive_search_against_all_orders(problem):
    """No order is below the lower bound; the exhaustive search finds the best of all."""
    n = len(problem)
    plans = [decode(problem, np.array(order)) for order in permutations(range(n))]
    for name in ("wait", "squared-wait", "makespan", "maximum-tardiness"):
        objective = OBJECTIVES[name]
        best = min(float(objective.cost(plan.start, problem.jobs, problem.now)) for plan in plans)
        assert lower_bound(problem, objective) <= best * (1 + 1e-9)
        search = make_optimizer("exhaustive")
        result = search.optimize(problem, objective, Budget(evaluations=10**6), np.random.default_rng(0))
        assert result.status is Status.OPTIMAL
        assert result.cost == pytest.approx(best)


def scarce_round(n=14, seed=2):
    """Give jobs that need processors or memory, and a window."""
    rng = np.random.default_rng(seed)
    waiting = [(-int(rng.integers(0, 99)), int(rng.integers(1, 9)), int(rng.integers(1, 60))) for _ in range(n)]
    waiting.sort()
    demands = rng.integers(0, 11, (n, 1)).tolist()
    return Round.of(
        16, 0, [(4, 20)], waiting, resources=[MEMORY], demands=demands, in_use=[[3]], windows=[(40, 70, 8, 5)]
    )


@pytest.mark.parametrize(("name", "objective"), PAIRS)
def test_every_optimizer_knows_resources(name, objective):
    """A valid plan, never worse than the best seed; the bound is below."""
    objective = OBJECTIVES[objective]
    problem = scarce_round(8 if name == "exhaustive" else 14)
    search = make_optimizer(name)
    result = search.optimize(problem, objective, Budget(evaluations=300), np.random.default_rng(1))
    assert check_plan(problem, result.plan, complete=True) == []
    assert result.cost <= result.seed_cost
    assert result.cost == pytest.approx(float(objective.cost(result.plan.start, problem.jobs, problem.now)))
    assert bound_of(len(problem), objective) <= result.cost * (1 + 1e-9)


@cache
def bound_of(n, objective):
    """Bound a scarce round."""
    return lower_bound(scarce_round(n), objective)


def test_resources_that_nobody_takes_change_nothing():
    """A search with a second resource that is never short finds what the search without it finds."""
    waiting = [(-9, 3, 9), (-7, 9, 4), (-3, 5, 30), (-2, 16, 5), (0, 1, 50), (0, 8, 8), (0, 2, 2)]
    plain = Round.of(16, 0, [(4, 20)], waiting)
    more = Round.of(16, 0, [(4, 20)], waiting, resources=[MEMORY])
    for name in ("annealing", "tabu", "local-search"):
        search = make_optimizer(name)
        one, other = (
            search.optimize(problem, WAIT, Budget(evaluations=200), np.random.default_rng(3))
            for problem in (plain, more)
        )
        assert one.plan.start.tolist() == other.plan.start.tolist()
        assert one.cost == other.cost


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"demands": [[11]]}, r"waiting memory\[0\]: 11 is above the capacity of 10"),
        ({"in_use": [[6], [6]], "running": [(1, 5), (1, 6)]}, "running memory: 12 in use, above the capacity of 10"),
        ({"demands": [[-1]]}, r"waiting memory\[0\]: -1 is below"),
        ({"windows": [(5, 5, 1, 0)]}, "window 0: it begins at 5 and ends at 5, which is never left"),
        ({"windows": [(5, NEVER, 1, 0)]}, "which is never left; give an end after its start"),
        ({"windows": [(5, 6, 0, 0)]}, "window 0: it takes nothing of any resource"),
        ({"windows": [(5, 6, 5, 0)]}, r"window processors\[0\]: 5 is above the capacity of 4"),
    ],
)
def test_bad_rounds_are_refused(changes, message):
    arguments = {"running": (), "waiting": [(0, 1, 1)], "resources": [MEMORY], "demands": [[1]], **changes}
    with pytest.raises(ValueError, match=message):
        Round.of(4, 0, **arguments)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "procs", "capacity": 1}, "'procs' is no text, empty, or means the processors"),
        ({"name": "gpus", "capacity": 0}, "resource gpus: capacity: 0 is not a positive whole"),
        ({"name": "gpus", "capacity": 1.5}, "resource gpus: capacity: 1.5 is not a positive whole"),
    ],
)
def test_bad_resources_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        Resource(**changes)


@pytest.mark.parametrize(
    ("window", "message"),
    [
        ((10, 5, {"processors": 1}), "window: it begins at 10 and ends at 5, which is never left"),
        ((0, 2**60, {"processors": 1}), "window end: 1152921504606846976 is too large"),
        ((0.5, 10, {"processors": 1}), "window start: 0.5 is not a whole number"),
        ((0, 10, 1), "window amounts: 1 is no mapping such as {'processors': 64}"),
        ((0, 10, {"processors": -1}), "window processors: -1 is not a whole number, 0 or more"),
        ((0, 10, {"processors": 0}), "window: it takes nothing"),
        ((0, 10, {"processors": 1}, "0"), "window known: '0' is not a whole number"),
    ],
)
def test_bad_windows_are_refused(window, message):
    """Where they are made, before any workload has them."""
    with pytest.raises(ValueError, match=re.escape(message)):
        Window(*window)


def test_a_window_is_known_at_its_start_at_the_latest():
    """A failure is not announced; maintenance is."""
    assert Window(5, 9, {"processors": 1}).announced == 5
    assert Window(5, 9, {"processors": 1}, known=2).announced == 2
    assert Window(5, 9, {"processors": 1}, known=7).announced == 5


def decided(policy, problem):
    return (make_policy(policy)(problem, np.random.default_rng(0)).start == problem.now).tolist()


def test_plan_of_a_queue_counts_memory_as_well():
    """The head takes all that is left of memory, though processors are there: FCFS stops, best fit goes on."""
    problem = Round.of(
        8, 0, [(2, 5)], [(0, 1, 3), (0, 1, 9), (0, 1, 3)], resources=[MEMORY], demands=[[5], [4], [1]], in_use=[[3]]
    )
    assert decided("fcfs", problem) == [True, False, False]
    assert decided("best-fit", problem) == [True, False, True]
    assert check_plan(problem, Plan(np.array([0, 5, 0]))) == []
    assert check_plan(problem, Plan(np.array([0, 0, 0]))) == ["13 memory are in use at 0, above the capacity of 10"]
