"""Large neighbourhoods whose windows CP-SAT solves."""

import numpy as np
import pytest

from planbatch.objectives import MAKESPAN, SQUARED_WAIT, WAIT
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.optimizers.cpsat.window import frame_of, repair
from planbatch.planner.optimizers.lns import LargeNeighbourhood
from planbatch.planner.plan import Plan, check_plan
from planbatch.planner.round import Round
from planbatch.planner.terms import check_terms, terms_cost
from tests.brute_force import least_cost, random_round
from tests.builders import random_round as long_round
from tests.contracts.optimizer_contract import OptimizerContract


class TestWindowsOfCpSat(OptimizerContract):
    """Windows of five jobs."""

    @pytest.fixture
    def optimizer(self):
        return LargeNeighbourhood(5, "cp-sat")


@pytest.mark.parametrize("objective", [WAIT, SQUARED_WAIT, MAKESPAN], ids=lambda o: o.name)
def test_a_window_of_all_jobs_is_the_optimum(objective):
    """Against brute force; ``lns`` finds it with its first window."""
    rng = np.random.default_rng(3)
    for _ in range(8):
        problem = random_round(rng, most_jobs=6)
        optimum = least_cost(problem, check_terms(objective.terms(problem.jobs, problem.now), len(problem)))
        result = LargeNeighbourhood(6, "cp-sat").optimize(
            problem, objective, Budget(evaluations=300), np.random.default_rng(0)
        )
        assert result.cost == pytest.approx(optimum, rel=1e-9)


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


def test_what_is_refused():
    """A repair of another name, windows too wide for it."""
    with pytest.raises(ValueError, match="repair: 'magic' is none of enumerate, cp-sat"):
        LargeNeighbourhood(4, "magic")
    with pytest.raises(ValueError, match="window: 7 is outside 2 … 6"):
        LargeNeighbourhood(7)
    with pytest.raises(ValueError, match="window: 31 is outside 2 … 30"):
        LargeNeighbourhood(31, "cp-sat")
    assert [LargeNeighbourhood(2).window, LargeNeighbourhood(6).window] == [2, 6]
