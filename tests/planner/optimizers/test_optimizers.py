"""The contract of optimizers, kept by every optimizer of the catalogue."""

import pickle

import numpy as np
import pytest

from planbatch.planner.budget import Budget
from planbatch.planner.objective import Objective, UnsupportedObjectiveError
from planbatch.planner.optimizer import Result, Status
from planbatch.planner.optimizers import OPTIMIZERS, make_optimizer
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round
from tests.contracts.optimizer_contract import FamilyContract, OptimizerContract

#: One of each family: in the core, in plain Python, branch and bound, a solver, and several in one.
FAMILIES = ("annealing", "hybrid", "tabu", "exhaustive", "cp-sat", "portfolio")


class TestFamilies(FamilyContract):
    """An optimizer of each family."""

    @pytest.fixture(params=FAMILIES)
    def optimizer(self, request):
        return make_optimizer(request.param)


class TestOthers(OptimizerContract):
    """The other optimizers that the command knows."""

    @pytest.fixture(params=[name for name in OPTIMIZERS if name not in FAMILIES])
    def optimizer(self, request):
        return make_optimizer(request.param)


class TestAnnealingWithOddParameters(OptimizerContract):
    """One seed, a tiny window, cycles that grow, no heat to speak of."""

    @pytest.fixture
    def optimizer(self):
        return Annealing(
            hottest=1e-6, coldest=1e-7, moves=3, growth=1.5, front_jobs=4, first_plans=("previous", "shortest")
        )


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_hold_parameters_only(name):
    """Two of a name are equal, and can be sent to other processes."""
    optimizer = make_optimizer(name)
    assert optimizer == make_optimizer(name)
    assert pickle.loads(pickle.dumps(optimizer)) == optimizer
    assert optimizer.name == name


@pytest.mark.parametrize("name", ["exhaustive", "cp-sat", "lns:repair=cp-sat"])
def test_searches_that_need_terms_refuse_a_bare_cost(name):
    """Before anything is computed, by the name of the objective."""
    bare = Objective("mine", lambda start, jobs, now: 1.0)
    search = make_optimizer(name)
    assert not search.supports(bare)
    with pytest.raises(UnsupportedObjectiveError, match="mine"):
        search.optimize(Round.of(1, 0, [], [(0, 1, 1)]), bare, Budget(evaluations=1), None)


@pytest.mark.parametrize(
    ("cost", "bound", "gap"), [(10.0, 8.0, 0.2), (10.0, 10.0, 0.0), (0.0, 0.0, 0.0), (-10.0, -12.0, 0.2)]
)
def test_the_gap_is_relative_to_the_cost(cost, bound, gap):
    """(cost − bound) / |cost|."""
    result = Result(Plan([]), np.arange(0), cost, cost, 0, 0.0, True, Status.FINISHED, bound)
    assert result.gap == pytest.approx(gap)


def test_without_a_bound_there_is_no_gap():
    """NaN says that nothing is proven."""
    result = Result(Plan([]), np.arange(0), 1.0, 1.0, 0, 0.0, True)
    assert np.isnan(result.gap)


def test_the_preset_of_the_paper():
    """(T0, Tth, N, r) = (1, 0.0001, 100, 0.9): 88 temperatures."""
    paper = Annealing.paper()
    assert (paper.hottest, paper.coldest, paper.moves, paper.cooling) == (1.0, 1e-4, 100, 0.9)
    assert paper.first_plans == ("submit",)
    temperature, stages = 1.0, 0
    while temperature > 1e-4:
        temperature, stages = temperature * 0.9, stages + 1
    assert stages == 88
    assert Budget(evaluations=stages * paper.moves).evaluations == 8800
