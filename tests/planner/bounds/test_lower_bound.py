"""Lower bounds against exact optima: never above, often equal, and better with more iterations."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.objectives import MAKESPAN, SQUARED_WAIT, TARDINESS, WAIT
from planbatch.planner.bounds import bounded, lower_bound, prove_terms, terms_bound
from planbatch.planner.bounds.staircase import without_windows
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.model import NEVER
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Status
from planbatch.planner.optimizers import make_optimizer
from planbatch.planner.resources import Resource
from planbatch.planner.round import Round
from planbatch.planner.solve import solve
from planbatch.planner.soundness import plan_faults
from planbatch.planner.terms import Terms, terms_cost
from tests.brute_force import least_cost, many_terms, random_round, with_promises, with_resources
from tests.builders import round_with_few_due
from tests.examples import examples

KINDS = list(many_terms(random_round(np.random.default_rng(0)), np.random.default_rng(0)))


@pytest.mark.integration
@pytest.mark.parametrize("kind", KINDS)
def test_never_above_the_optimum_in_thousands_of_rounds(kind):
    """No bound of any kind of terms is above the brute-force optimum, whatever the iterations and the target."""
    rng = np.random.default_rng(KINDS.index(kind))
    tight = 0
    for case in range(examples(500)):
        problem = random_round(rng, most_jobs=5 if case % 10 else 6)
        terms = many_terms(problem, rng)[kind]
        optimum = least_cost(problem, terms)
        upper = (None, optimum, 2 * optimum + 1, 0.3 * optimum)[case // 4 % 4]
        bound = terms_bound(problem, terms, upper, iterations=(0, 60, 1060, 2010)[case % 4])
        assert 0 <= bound <= optimum, (problem, terms)
        tight += bound == pytest.approx(optimum)
    assert tight >= examples(500) / 5


@pytest.mark.integration
@pytest.mark.parametrize("kind", KINDS)
def test_never_above_the_optimum_with_several_resources(kind):
    """The same where jobs also take memory and licences, or none, and some are promised starts.

    Plans proven optimal are plans, cost that, and keep the promises.
    """
    rng = np.random.default_rng(100 + KINDS.index(kind))
    for case in range(examples(200)):
        problem = with_resources(random_round(rng, most_jobs=5), rng)
        if case % 2:
            problem = with_promises(problem, rng)
        terms = many_terms(problem, rng)[kind]
        optimum = least_cost(problem, terms)
        upper = (None, optimum, 2 * optimum + 1, 0.3 * optimum)[case // 4 % 4]
        proof = prove_terms(problem, terms, upper, iterations=(0, 60, 1060, 2010)[case % 4])
        assert 0 <= proof.bound <= optimum, (problem, terms)
        if proof.optimal and (upper is None or upper >= optimum):
            assert proof.start is None or not plan_faults(problem, proof.start)
            cost = upper if proof.start is None else terms_cost(terms, proof.start)
            assert cost == pytest.approx(optimum), (problem, terms)


@pytest.mark.parametrize("kind", KINDS)
def test_small_rounds_are_proven(kind):
    """By default the bound is the brute-force optimum, with several resources, too: branch and bound closes the gap."""
    rng = np.random.default_rng(200 + KINDS.index(kind))
    for case in range(examples(40)):
        problem = random_round(rng, most_jobs=5)
        if case % 2:
            problem = with_resources(problem, rng)
        problem = without_windows(problem)
        terms = many_terms(problem, rng)[kind]
        optimum = least_cost(problem, terms)
        assert optimum * (1 - 1e-6) - 1e-6 <= terms_bound(problem, terms) <= optimum


@settings(max_examples=examples(300))
@given(st.data())
def test_never_above_the_optimum(data):
    """The bounds of wait, squared wait and makespan hold on whatever round hypothesis comes up with."""
    capacity = data.draw(st.integers(1, 9))
    now = data.draw(st.integers(-5, 5))
    size = st.integers(1, capacity)
    running = data.draw(st.lists(st.tuples(size, st.integers(now + 1, now + 20)), max_size=3))
    while sum(procs for procs, _ in running) > capacity:
        running.pop()
    job = st.tuples(st.integers(now - 20, now), size, st.integers(1, 20))
    waiting = sorted(data.draw(st.lists(job, min_size=1, max_size=5)))
    problem = Round.of(capacity, now, running, waiting)
    for objective in (WAIT, SQUARED_WAIT, MAKESPAN):
        optimum = least_cost(problem, objective.terms(problem.jobs, now))
        assert lower_bound(problem, objective, iterations=1100) <= optimum


@pytest.mark.parametrize("objective", [WAIT, SQUARED_WAIT])
def test_monotone_in_iterations(objective):
    """For one target, more iterations never give a smaller bound, and on larger rounds a much better one."""
    rng = np.random.default_rng(5)
    for _ in range(examples(20)):
        problem = random_round(rng, most_jobs=20, horizon=500, capacity=32)
        bounds = [lower_bound(problem, objective, 1e4, k) for k in (0, 5, 30, 200, 1000, 1005, 1200, 2001, 2003, 2010)]
        assert bounds == sorted(bounds)


def test_close_on_crowded_rounds():
    """On rounds of 60 mixed jobs the proven gap of a decoded plan is a few per cent."""
    rng = np.random.default_rng(6)
    gaps = []
    for _ in range(5):
        n = 60
        procs = np.minimum(2 ** rng.integers(0, 6, size=n), 48)
        waiting = [(0, int(q), int(p)) for q, p in zip(procs, rng.integers(60, 9000, size=n), strict=True)]
        problem = Round.of(64, 0, [(20, 500), (30, 3000)], waiting)
        area = problem.jobs.procs * problem.jobs.walltime
        plan = decode(problem, np.argsort(area, kind="stable"))
        cost = WAIT.cost(plan.start, problem.jobs, 0)
        gaps.append(1 - lower_bound(problem, WAIT, cost) / cost)
    assert min(gaps) >= 0
    assert np.median(gaps) < 0.12


def test_identical_jobs_in_a_row():
    """
    Four jobs of the whole machine, 10 s each, on an empty machine: starts 0, 10, 20, 30, mean wait 15.

        |aaaa|bbbb|cccc|dddd|
        0    10   20   30   40
    """
    problem = Round.of(8, 0, [], [(0, 8, 10)] * 4)
    assert lower_bound(problem, WAIT) == 15
    assert lower_bound(problem, MAKESPAN) == 40
    result = make_optimizer("greedy").optimize(problem, WAIT, Budget(evaluations=0), np.random.default_rng(0))
    assert bounded(result, problem, WAIT).status is Status.OPTIMAL
    better = bounded(replace(result, cost=16.0), problem, WAIT)
    assert (better.cost, better.status) == (15.0, Status.OPTIMAL)
    interrupted = replace(result, status=Status.INTERRUPTED)
    assert bounded(interrupted, problem, WAIT).status is Status.INTERRUPTED


def test_shortest_first_on_one_processor():
    """Jobs of 3, 1, 2 s one after the other: the shortest first, starts 3, 0, 1, and Σ start² = 10."""
    problem = Round.of(1, 0, [], [(0, 1, 3), (0, 1, 1), (0, 1, 2)])
    assert lower_bound(problem, WAIT) == pytest.approx(4 / 3)
    assert 0.9 * 10 / 3 <= lower_bound(problem, SQUARED_WAIT) <= 10 / 3


def test_running_jobs_delay_each_job():
    """A job of 6 waits for the running job of 5 until 100; a job of 3 is not held up: mean wait 50."""
    problem = Round.of(8, 0, [(5, 100)], [(0, 6, 10), (0, 3, 20)])
    assert lower_bound(problem, WAIT) == 50
    assert lower_bound(problem, MAKESPAN) == 110


def test_time_waited_so_far_counts():
    """A job that was submitted 30 s ago and can start now has waited 30 s, squared 900."""
    problem = Round.of(4, 100, [], [(70, 2, 10)])
    assert lower_bound(problem, WAIT) == 30
    assert lower_bound(problem, SQUARED_WAIT) == 900


def test_wide_jobs_exclude_one_another():
    """
    Three jobs of 6 of 10 processors never run side by side, although their area would allow it.

        |aaa|bbb|ccc|   4 of 10 processors stay empty
        0   10  20  30
    """
    problem = Round.of(10, 0, [], [(0, 6, 10)] * 3)
    assert lower_bound(problem, MAKESPAN) == 30
    assert lower_bound(problem, WAIT) == 10


def test_sizes_that_do_not_add_up():
    """Of jobs of 4 processors, only two fit on 11: six of them take three steps of 10 s."""
    problem = Round.of(11, 0, [], [(0, 4, 10)] * 6)
    assert lower_bound(problem, MAKESPAN) == 30
    assert lower_bound(problem, WAIT) == 10


def test_resources_together_prove_more_than_each():
    """
    A takes all four processors, B and C one and the only licence: one after the other, mean wait 10.

    Processors or licences alone delay one job by 10 s, both together every job by 5 s.

        AAAA
            B
             C
    """
    waiting, demands = [(0, 4, 10), (0, 1, 10), (0, 1, 10)], [[0], [1], [1]]
    problem = Round.of(4, 0, [], waiting, resources=[Resource("licences", 1)], demands=demands)
    assert 4.9 < lower_bound(problem, WAIT) <= 10


def test_tardiness():
    """Two jobs of 10 s on one processor, due at 10 and 12: one is late by 8 at least."""
    problem = Round.of(1, 0, [], [(0, 1, 10, 10), (0, 1, 10, 12)])
    late = problem.jobs.deadline - problem.jobs.walltime
    assert 4 < terms_bound(problem, Terms(np.ones(2), late)) <= 8
    assert terms_bound(problem, Terms(np.ones(2), late, largest=True)) == 8


def test_jobs_without_a_deadline_cost_nothing():
    """A job that is due never has no tardiness, but its work is there."""
    problem = Round.of(1, 0, [], [(0, 1, 10), (0, 1, 10, 5)])
    origin = np.where(problem.jobs.deadline == NEVER, NEVER, problem.jobs.deadline - 10)
    assert terms_bound(problem, Terms(np.ones(2), origin)) == 5
    assert terms_bound(problem, Terms(np.ones(2), origin, largest=True)) == 5


def test_of_many_jobs_the_few_that_are_due_are_proven():
    """Of 80 jobs six have a deadline: the bound is the optimum of those (brute force), and solve finds it."""
    rng = np.random.default_rng(7)
    for _ in range(examples(10)):
        problem, part = round_with_few_due(rng, jobs=80, due=6, deadline=60)
        optimum = least_cost(part, TARDINESS.terms_of(part))
        result = solve(problem, TARDINESS, evaluations=10)
        assert optimum == result.cost == result.lower_bound > 0
        assert not plan_faults(problem, result.plan.start)


def test_huge_machine_and_long_times():
    """Capacities and times near the limits stay valid and finite."""
    problem = Round.of(2**40, 0, [], [(0, 2**40 - 1, 2**40), (0, 2**39 + 1, 2**41)])
    optimum = least_cost(problem, WAIT.terms(problem.jobs, 0))
    assert 0.9 * optimum <= lower_bound(problem, WAIT) <= optimum


def test_empty_round():
    """A round without waiting jobs costs nothing."""
    problem = Round.of(4, 0, [(2, 10)], [])
    assert lower_bound(problem, WAIT) == 0
    assert lower_bound(problem, MAKESPAN) == 0


def test_unknown_objective_has_no_bound():
    """Where an objective declares nothing about itself, the bound is NaN; its own bound is asked first."""
    problem = Round.of(4, 0, [], [(0, 2, 10)])
    bare = Objective("mine", lambda start, jobs, now: 1.0)
    assert math.isnan(lower_bound(problem, bare))
    own = Objective("mine", bare.cost, bound=lambda problem, upper, iterations: 0.5)
    assert lower_bound(problem, own) == 0.5


@pytest.mark.parametrize(
    ("terms", "word"),
    [
        (Terms(np.ones(2), np.zeros(2, dtype=np.int64)), "2"),
        (Terms(-np.ones(1), np.zeros(1, dtype=np.int64)), "weight"),
        (Terms(np.ones(1), np.zeros(1, dtype=np.int64), power=3), "power"),
        (Terms(np.ones(1), np.zeros(1, dtype=np.int64), divisor=0), "divisor"),
    ],
)
def test_wrong_terms(terms, word):
    with pytest.raises(ValueError, match=word):
        terms_bound(Round.of(4, 0, [], [(0, 2, 10)]), terms)
