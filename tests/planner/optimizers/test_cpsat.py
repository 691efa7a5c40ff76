"""CP-SAT and large neighbourhoods: equal to brute force on small rounds, never worse than the seed."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from ortools.sat.python import cp_model

from planbatch.objectives import MAKESPAN, SQUARED_WAIT, WAIT
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Status
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.optimizers.cpsat import CpSat
from planbatch.planner.optimizers.cpsat.model import RoundModel, finest_unit, latest_starts, scale
from planbatch.planner.optimizers.cpsat.window import Repair, frame_of, repair
from planbatch.planner.optimizers.first_plan import first_plan
from planbatch.planner.optimizers.lns import LargeNeighbourhood
from planbatch.planner.plan import Plan, check_plan
from planbatch.planner.resources import Windows
from planbatch.planner.round import Round
from planbatch.planner.terms import check_terms, terms_cost
from tests.brute_force import least_cost, many_terms, objective_of, random_round
from tests.builders import random_round as long_round
from tests.contracts.optimizer_contract import OptimizerContract
from tests.examples import examples

KINDS = list(many_terms(random_round(np.random.default_rng(0)), np.random.default_rng(0)))
PLENTY = Budget(evaluations=20_000)


def solve(problem: Round, objective: Objective, budget: Budget = PLENTY, **parameters):
    """Run CP-SAT with a fixed seed."""
    return CpSat(**parameters).optimize(problem, objective, budget, np.random.default_rng(0))


@pytest.mark.parametrize("kind", KINDS)
def test_finds_the_optimum(kind):
    """For every kind of terms, the result is the brute-force optimum, and the bound is not above it."""
    rng = np.random.default_rng(50 + KINDS.index(kind))
    proven = 0
    for _ in range(6):
        problem = random_round(rng, most_jobs=5)
        terms = many_terms(problem, rng)[kind]
        optimum = least_cost(problem, terms)
        result = solve(problem, objective_of(terms))
        assert result.cost == pytest.approx(optimum, rel=1e-9)
        assert result.lower_bound <= optimum * (1 + 1e-12)
        assert result.cost <= result.seed_cost
        assert check_plan(problem, result.plan, complete=True) == []
        assert decode(problem, result.permutation).start.tolist() == result.plan.start.tolist()
        proven += result.status is Status.OPTIMAL
    assert proven >= 3


@pytest.mark.parametrize("objective", [WAIT, SQUARED_WAIT, MAKESPAN])
def test_coarse_time(objective):
    """With durations up to hours and few units of time, plans are exact to the second all the same."""
    rng = np.random.default_rng(9)
    for _ in range(2):
        problem = random_round(rng, most_jobs=12, horizon=20_000)
        result = solve(problem, objective, Budget(evaluations=200), units=20)
        assert check_plan(problem, result.plan, complete=True) == []
        assert result.lower_bound <= result.cost <= result.seed_cost
        cost = objective.cost(result.plan.start, problem.jobs, problem.now)
        assert cost == result.cost


def test_coarse_plans_are_feasible_in_seconds():
    """Durations and ends are rounded up, hence starts in units, times the unit, are a valid plan, windows or not."""
    rng = np.random.default_rng(10)
    for _ in range(examples(200)):
        problem = random_round(rng, horizon=100)
        begin = problem.now + int(rng.integers(0, 100))
        windows = Windows(
            *(np.array([each]) for each in (begin, begin + int(rng.integers(1, 50)))), problem.capacities[None]
        )
        problem = problem if begin < problem.running.end.max(initial=begin) else replace(problem, windows=windows)
        unit = int(rng.integers(1, 30))
        coarse = scale(problem, None, unit).problem
        start = decode(coarse, rng.permutation(len(problem))).start
        assert check_plan(problem, Plan(problem.now + unit * start)) == []


def test_coarse_times_by_hand():
    """In units of 10 s from now: limits are rounded down, lengths and the ends of what is taken up."""
    problem = Round.of(4, 100, [(1, 111)], [(85, 2, 11)])
    windows = Windows(np.array([109]), np.array([121]), np.array([[1]]))
    jobs = problem.jobs._replace(deadline=np.array([128]), latest=np.array([119]))
    coarse = scale(replace(problem, jobs=jobs, windows=windows), None, 10).problem
    assert coarse.now == 0
    assert [column.tolist() for column in (coarse.jobs.submit, coarse.jobs.walltime)] == [[-2], [2]]
    assert [column.tolist() for column in (coarse.jobs.deadline, coarse.jobs.latest)] == [[2], [1]]
    assert coarse.running.end.tolist() == [2]
    assert [coarse.windows.start.tolist(), coarse.windows.end.tolist()] == [[0], [3]]


def test_latest_starts_keep_every_better_plan():
    """In no plan that is as good as the given one does a job start after its latest start."""
    rng = np.random.default_rng(11)
    cut, rounds = 0, examples(300)
    for _ in range(rounds):
        problem = random_round(rng)
        kinds = many_terms(problem, rng)
        terms = kinds[str(rng.choice(KINDS))]
        n = len(problem)
        best = min(
            (decode(problem, rng.permutation(n)).start for _ in range(5)), key=lambda start: terms_cost(terms, start)
        )
        latest = latest_starts(problem, terms, best)
        for _ in range(30):
            start = decode(problem, rng.permutation(n)).start
            if terms_cost(terms, start) <= terms_cost(terms, best):
                assert (start <= latest).all()
            else:
                cut += bool((start > latest).any())
    assert cut > 3 * rounds


def test_no_budget_returns_the_seed():
    """Neither no evaluations nor no seconds run the solver; a bound is there where the clock does not forbid it."""
    problem = random_round(np.random.default_rng(8), most_jobs=40, horizon=500, capacity=32)
    for budget in (Budget(evaluations=0), Budget(seconds=0)):
        result = solve(problem, WAIT, budget)
        assert result.cost == result.seed_cost
        assert budget.seconds == 0 or 0 < result.lower_bound <= result.cost
    empty = solve(Round.of(4, 0, [(2, 10)], []), WAIT)
    assert (empty.cost, empty.status) == (0, Status.OPTIMAL)


@pytest.mark.parametrize("objective", [WAIT, SQUARED_WAIT])
def test_a_model_that_does_not_fit_is_not_begun(objective, monkeypatch):
    """In 20 ms there is no room for a model of a hundred jobs; what is there is annealed."""
    problem = random_round(np.random.default_rng(8), most_jobs=100, horizon=5000, capacity=32)

    def model(*_: object) -> None:
        raise AssertionError("a model was built")

    monkeypatch.setattr("planbatch.planner.optimizers.cpsat.optimizer.RoundModel", model)
    for _ in range(20):  # loading kernels, or a busy machine, may take longer than the budget
        result = solve(problem, objective, Budget(seconds=0.02))
        if result.evaluations:
            break
    assert result.evaluations > 0
    assert result.cost <= result.seed_cost
    assert check_plan(problem, result.plan, complete=True) == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_hint_is_a_plan(kind):
    """With all variables at their hints the model is solved: by the hinted plan, equal jobs in their order."""
    rng = np.random.default_rng(40 + KINDS.index(kind))
    for _ in range(10):
        problem = random_round(rng)
        terms = many_terms(problem, rng)[kind]
        start = decode(problem, rng.permutation(len(problem))).start
        model = RoundModel(scale(problem, terms, 1), objective_of(terms), problem, start - problem.now)
        solver = cp_model.CpSolver()
        solver.parameters.fix_variables_to_their_hinted_value = True
        assert solver.solve(model.model) == cp_model.OPTIMAL
        assert [solver.value(variable) for variable in model.starts] == model.hint.tolist()
        assert terms_cost(terms, problem.now + model.hint) <= terms_cost(terms, start)


def test_annealing_comes_first():
    """Half of the evaluations are annealed; unless a model is all that is wanted."""
    problem = random_round(np.random.default_rng(8), most_jobs=60, horizon=5000, capacity=32)
    seeded = replace(problem, planned=first_plan(problem, SQUARED_WAIT).start)
    half = Annealing().optimize(seeded, SQUARED_WAIT, Budget(evaluations=500), np.random.default_rng(0))
    assert solve(problem, SQUARED_WAIT, Budget(evaluations=1000)).cost <= half.cost
    alone = solve(problem, SQUARED_WAIT, Budget(evaluations=1000), annealed=0.0)
    assert alone.cost <= alone.seed_cost


def test_extreme_rounds_do_not_overflow():
    """Squares of times near the limit are modelled in a coarser unit of time."""
    problem = Round.of(4, 0, [], [(0, 3, 2**40), (0, 2, 2**41), (0, 2, 2**39)])
    terms = SQUARED_WAIT.terms(problem.jobs, 0)
    assert finest_unit(problem, terms) > 1
    result = solve(problem, SQUARED_WAIT, Budget(evaluations=1_000))
    assert result.cost == pytest.approx(least_cost(problem, terms))


def test_own_statement_of_the_cost():
    """An objective that is no terms states its cost to CP-SAT itself: here, the first job as late as the others."""

    def cost(start, jobs, now):
        return float(start.sum() + 5 * start[0])

    def cp_cost(model, starts, jobs, now):
        return sum(starts) + 5 * starts[0]

    problem = Round.of(1, 10, [], [(0, 1, 9), (0, 1, 2), (0, 1, 3)])
    result = solve(problem, Objective("first", cost, cp_cost=cp_cost))
    assert result.plan.start.tolist() == [10, 19, 21]
    assert np.isnan(result.lower_bound)


@pytest.mark.integration
def test_importing_is_cheap():
    """OR-Tools is imported when a model is built, not before."""
    code = "import sys, planbatch.planner.optimizers.cpsat.optimizer; sys.exit('ortools' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Large neighbourhoods whose windows CP-SAT solves.


class TestWindowsOfCpSat(OptimizerContract):
    """Windows of five jobs."""

    EVALUATIONS = 40

    @pytest.fixture
    def optimizer(self):
        return LargeNeighbourhood(5, "cp-sat")


@pytest.mark.parametrize("objective", [WAIT, SQUARED_WAIT, MAKESPAN], ids=lambda o: o.name)
def test_a_window_of_all_jobs_is_the_optimum(objective):
    """Against brute force; ``lns`` finds it with its first window."""
    rng = np.random.default_rng(3)
    for _ in range(3):
        problem = random_round(rng, most_jobs=6)
        optimum = least_cost(problem, check_terms(objective.terms(problem.jobs, problem.now), len(problem)))
        result = LargeNeighbourhood(6, "cp-sat").optimize(
            problem, objective, Budget(evaluations=60), np.random.default_rng(0)
        )
        assert result.cost == pytest.approx(optimum, rel=1e-9)


def test_windows_follow_each_other_while_there_is_time(monkeypatch):
    """With a solver that takes no time, the seconds last for many windows."""
    windows = []

    def repair_at_once(problem, objective, terms, start, window, *_, **__):
        windows.append(window)
        return Repair(start, 0.0)

    monkeypatch.setattr("planbatch.planner.optimizers.lns.repair", repair_at_once)
    LargeNeighbourhood(5, "cp-sat").optimize(long_round(30), WAIT, Budget(seconds=0.2), np.random.default_rng(0))
    assert len(windows) > 1


@pytest.mark.parametrize("seed", range(12))
def test_a_repaired_window_is_feasible_and_no_dearer(seed):
    """Whatever the window: the others keep their starts, the plan is valid, the cost does not rise."""
    rng = np.random.default_rng(seed)
    problem = long_round(30, seed=seed)
    start = decode(problem, rng.permutation(30)).start
    terms = check_terms(SQUARED_WAIT.terms(problem.jobs, problem.now), 30)
    window = np.sort(rng.choice(30, size=6, replace=False))
    repaired = repair(problem, SQUARED_WAIT, terms, start, window, 0, deterministic_time=0.05)
    others = np.setdiff1d(np.arange(30), window)
    assert repaired.start[others].tolist() == start[others].tolist()
    assert check_plan(problem, Plan(repaired.start), complete=True) == []
    assert terms_cost(terms, repaired.start) <= terms_cost(terms, start) * (1 + 1e-12)


def test_the_frame_by_hand():
    """Four processors; one runs until 3, job 2 stays; jobs 0 and 1 are free.

    ::

        3 |0 0 0 0 . . 1 1         taken: two processors until 6, in two steps
        2 |0 0 0 0 . . 1 1         the window ends at 8, its shortest job takes 2: no start after 6
        1 |2 2 2 2 2 2
        0 |r r r 3 3 3
    """
    problem = Round.of(4, 0, [(1, 3)], [(0, 2, 4), (0, 2, 2), (0, 1, 6), (0, 1, 3)])
    frame = frame_of(problem, np.array([0, 6, 0, 3]), np.array([0, 1]))
    assert frame.begin.tolist() == [0, 3]
    assert frame.length.tolist() == [3, 3]
    assert frame.taken.tolist() == [[2], [2]]
    assert frame.horizon == 6
