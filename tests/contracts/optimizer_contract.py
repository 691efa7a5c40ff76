"""What every optimizer keeps; an optimizer's tests inherit from :class:`OptimizerContract`.

An optimizer says what it cannot do: by ``supports(objective)``; by an attribute ``replayable = False``, if a search
stopped by the clock cannot be repeated by a number of evaluations (searches of a solver that is not ours).
"""

import numpy as np
import pytest
from numba import njit

from planbatch.objectives import MAKESPAN, OBJECTIVES, SQUARED_WAIT, WAIT
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.kernels.first_plans import (
    FIRST_PLANS,
    FIRST_PLANS_OF_LONG_QUEUES,
    LONG_QUEUE,
    first_keys,
)
from planbatch.planner.model import NEVER
from planbatch.planner.objective import Objective, ObjectiveError
from planbatch.planner.optimizer import Status
from planbatch.planner.orders import ORDERS, order_by
from planbatch.planner.plan import check_plan
from planbatch.planner.round import Round
from tests.builders import random_round

SIZES = (0, 1, 2, 5, 40, 150)


def plain_squared_wait(start, jobs, now):
    """Mean squared wait in plain Python, added up in the order of the compiled formula."""
    total = 0.0
    for s, r in zip(start.tolist(), jobs.submit.tolist(), strict=True):
        total += float(s - r) * float(s - r)
    return total / max(len(start), 1)


def search(optimizer, problem, objective, budget, seed=0):
    """Run an optimizer; skip the test if it says that it does not support the objective."""
    if not optimizer.supports(objective):
        pytest.skip(f"{optimizer.name} does not support the objective {objective.name}")
    return optimizer.optimize(problem, objective, budget, np.random.default_rng(seed))


def best_first_cost(optimizer, problem, objective):
    """Decode the seeds one by one; return the cost of the best."""
    names = getattr(optimizer, "first_plans", FIRST_PLANS)
    if len(problem) > LONG_QUEUE:
        names = names[:FIRST_PLANS_OF_LONG_QUEUES]
    costs = []
    for name in names:
        order = np.argsort(first_keys(problem.arrays, FIRST_PLANS.index(name)), kind="stable")
        plan = decode(problem, order)
        if (plan.start <= problem.jobs.latest).all():
            costs.append(objective.cost(plan.start, problem.jobs, problem.now))
    return min(costs)


def same(one, other):
    """Whether two results are the same search."""
    return (
        one.plan.start.tolist() == other.plan.start.tolist()
        and one.permutation.tolist() == other.permutation.tolist()
        and one.cost == other.cost
        and one.seed_cost == other.seed_cost
        and one.evaluations == other.evaluations
    )


class OptimizerContract:
    """Give a fixture ``optimizer``, and inherit the contract."""

    @pytest.fixture
    def optimizer(self):
        """Return the optimizer."""
        raise NotImplementedError

    @pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
    @pytest.mark.parametrize("n", SIZES)
    def test_plans_are_valid_and_no_worse_than_the_best_seed(self, optimizer, objective, n):
        """The plan is complete, the permutation decodes to it, the cost is its cost."""
        problem = random_round(n, seed=n)
        result = search(optimizer, problem, objective, Budget(evaluations=150))
        assert check_plan(problem, result.plan, complete=True) == []
        decoded = decode(problem, result.permutation)
        assert decoded.start.tolist() == result.plan.start.tolist()
        assert result.evaluations <= 150
        assert result.seconds >= 0
        assert result.cost <= result.seed_cost
        if n:
            assert result.cost == objective.cost(result.plan.start, problem.jobs, problem.now)
            assert result.seed_cost <= best_first_cost(optimizer, problem, objective)
            assert not result.lower_bound > result.cost

    def test_a_round_without_jobs(self, optimizer):
        """There is nothing to plan, and nothing to evaluate."""
        result = search(optimizer, random_round(0), WAIT, Budget(evaluations=100))
        assert result.plan.start.tolist() == []
        assert (result.cost, result.evaluations) == (0.0, 0)

    def test_a_single_job_starts_as_early_as_possible(self, optimizer):
        """Behind the running job of 7 processors."""
        problem = Round.of(10, 100, [(7, 130), (2, 110)], [(90, 8, 60)])
        result = search(optimizer, problem, WAIT, Budget(evaluations=100))
        assert result.plan.start.tolist() == [130]
        assert result.cost == 40.0

    def test_two_jobs_are_solved(self, optimizer):
        """Smith's rule: the short one first, though it came second."""
        problem = Round.of(1, 0, [], [(0, 1, 100), (0, 1, 10)])
        result = search(optimizer, problem, WAIT, Budget(evaluations=100))
        assert result.plan.start.tolist() == [10, 0]
        assert result.cost == 5.0

    def test_no_evaluations_give_the_best_seed(self, optimizer):
        """A budget of zero is not an error."""
        for n in (1, 2, 40):
            problem = random_round(n, seed=5)
            result = search(optimizer, problem, SQUARED_WAIT, Budget(evaluations=0))
            assert result.evaluations == 0
            assert (
                result.cost == result.seed_cost == best_first_cost(optimizer, problem, SQUARED_WAIT)
            )

    def test_no_seconds_give_the_best_seed(self, optimizer):
        """Neither is a budget of no time at all."""
        problem = random_round(40, seed=5)
        result = search(optimizer, problem, SQUARED_WAIT, Budget(seconds=0.0))
        assert result.cost <= result.seed_cost
        assert check_plan(problem, result.plan, complete=True) == []

    @pytest.mark.parametrize("n", [5, 40, 150])
    def test_a_seed_gives_the_same_search_again(self, optimizer, n):
        """Equal seeds, equal results; the optimizer holds no state."""
        problem = random_round(n)
        runs = [
            search(optimizer, problem, SQUARED_WAIT, Budget(evaluations=200), 7) for _ in range(2)
        ]
        assert same(*runs)

    @pytest.mark.parametrize("n", [10, 40, 300])
    def test_time_only_ends_a_search(self, optimizer, n):
        """A search that the clock stopped after k evaluations is the search of k evaluations."""
        if not getattr(optimizer, "replayable", True):
            pytest.skip(f"{optimizer.name} says that its searches cannot be repeated")
        problem = random_round(n, seed=2)
        timed = search(optimizer, problem, SQUARED_WAIT, Budget(seconds=0.02), seed=3)
        counted = search(
            optimizer, problem, SQUARED_WAIT, Budget(evaluations=timed.evaluations), seed=3
        )
        assert same(timed, counted)

    def test_whichever_limit_comes_first(self, optimizer):
        """With both limits, evaluations end a search that has an hour."""
        result = search(optimizer, random_round(30), WAIT, Budget(seconds=3600.0, evaluations=60))
        assert result.evaluations <= 60

    def test_a_longer_search_is_no_worse(self, optimizer):
        """A longer search with the same seed begins as the shorter one."""
        problem = random_round(60, seed=8)
        if not getattr(optimizer, "replayable", True):
            pytest.skip(f"{optimizer.name} says that its searches cannot be repeated")
        costs = [
            search(optimizer, problem, SQUARED_WAIT, Budget(evaluations=k), 1).cost
            for k in (0, 10, 100, 1000)
        ]
        assert costs == sorted(costs, reverse=True)

    def test_a_thousand_jobs(self, optimizer):
        """Long queues are planned, too."""
        problem = random_round(1000, seed=1, capacity=512)
        result = search(optimizer, problem, WAIT, Budget(evaluations=30))
        assert check_plan(problem, result.plan, complete=True) == []
        assert result.seed_cost <= best_first_cost(optimizer, problem, WAIT)
        assert result.cost <= result.seed_cost

    @pytest.mark.parametrize("n", [5, 40, 120])
    def test_plain_and_compiled_objectives_agree_bit_for_bit(self, optimizer, n):
        """The same formula in plain Python and under njit gives the same search."""
        problem = random_round(n, seed=n)
        plain = Objective("mine", plain_squared_wait)
        slow = search(optimizer, problem, plain, Budget(evaluations=130), 5)
        fast = search(optimizer, problem, SQUARED_WAIT, Budget(evaluations=130), 5)
        assert same(slow, fast)
        assert slow.native is False
        assert fast.native is kernels_are_compiled()

    @pytest.mark.parametrize("call", [1, 2, 3, 11, 30, 90])
    def test_an_interrupt_returns_the_best_so_far(self, optimizer, call):
        """Ctrl-C at any evaluation, of a seed or of a neighbour, leaves a valid plan with its cost."""
        problem = random_round(30, seed=9)
        calls = []

        def interrupted(start, jobs, now):
            calls.append(plain_squared_wait(start, jobs, now))
            if len(calls) == call:
                raise KeyboardInterrupt
            return calls[-1]

        result = search(optimizer, problem, Objective("mine", interrupted), Budget(evaluations=150))
        assert check_plan(problem, result.plan, complete=True) == []
        assert decode(problem, result.permutation).start.tolist() == result.plan.start.tolist()
        if len(calls) < call:
            assert result.status is Status.FINISHED  # an optimizer that evaluates its seeds only
            return
        assert result.status is Status.INTERRUPTED
        if call > len(FIRST_PLANS):
            assert result.cost == plain_squared_wait(result.plan.start, problem.jobs, problem.now)
            assert result.cost <= result.seed_cost

    @pytest.mark.parametrize("n", [1, 4, 40])
    @pytest.mark.parametrize(
        ("wrong", "told"),
        [
            (lambda start, jobs, now: float("nan"), "not a finite number"),
            (lambda start, jobs, now: float("inf"), "not a finite number"),
            (lambda start, jobs, now: 1 / 0, "raised ZeroDivisionError"),
            (lambda start, jobs, now: "cheap", "returned str"),
            (lambda start, jobs, now: None, "returned NoneType"),
            (lambda start, jobs, now: start, "returned ndarray"),
            (lambda start: 0.0, "raised TypeError"),
        ],
    )
    def test_a_wrong_objective_is_named_with_its_round(self, optimizer, wrong, told, n):
        """Whatever goes wrong in an objective, the error says in which and when."""
        with pytest.raises(ObjectiveError, match=f"(?s)objective faulty .*{told}") as error:
            search(optimizer, random_round(n), Objective("faulty", wrong), Budget(evaluations=50))
        assert "round at 100000" in str(error.value)

    @pytest.mark.parametrize("after", [0, 40])
    def test_an_objective_that_goes_wrong_late_is_named_as_well(self, optimizer, after):
        """Some plans have a cost, others have none."""
        calls = []

        def sometimes(start, jobs, now):
            calls.append(now)
            return plain_squared_wait(start, jobs, now) if len(calls) <= after else float("nan")

        moody = Objective("moody", sometimes)
        if after and optimizer.name == "greedy":
            assert search(optimizer, random_round(40), moody, FEW).evaluations == 0
            return
        with pytest.raises(ObjectiveError, match=r"objective moody .*round at 100000"):
            search(optimizer, random_round(40), moody, Budget(evaluations=60))

    def test_a_wrong_compiled_objective_is_named_with_its_round(self, optimizer):
        """Compiled objectives that return NaN or raise are reported in the same way."""
        for wrong in (compiled_nan, compiled_raise):
            with pytest.raises(ObjectiveError, match=r"objective faulty .*round at 100000"):
                search(
                    optimizer, random_round(20), Objective("faulty", wrong), Budget(evaluations=30)
                )

    @pytest.mark.parametrize("n", [4, 40, 120])
    def test_promises_are_kept(self, optimizer, n):
        """No job starts after its promised latest start, even if that would be cheaper."""
        problem = random_round(n, seed=4, planned=False)
        plan = decode(problem, order_by(ORDERS["largest-area"], problem.jobs, problem.now))
        latest = np.where(np.arange(n) % 3 == 0, plan.start, NEVER)
        promised = Round(
            problem.now,
            problem.capacity,
            problem.running,
            problem.jobs._replace(latest=latest),
            plan.start,
        )
        result = search(optimizer, promised, WAIT, Budget(evaluations=200))
        assert (result.plan.start <= latest).all()
        assert check_plan(promised, result.plan, complete=True) == []

    def test_costs_may_be_zero_or_negative(self, optimizer):
        """Objectives are minimised, whatever their sign."""
        problem = random_round(20, seed=6)
        zero = search(optimizer, problem, Objective("zero", lambda start, jobs, now: 0.0), FEW)
        assert zero.cost == zero.seed_cost == 0.0
        less = Objective(
            "less", lambda start, jobs, now: plain_squared_wait(start, jobs, now) - 1e12
        )
        result = search(optimizer, problem, less, FEW)
        assert result.cost <= result.seed_cost < 0

    def test_neither_the_round_nor_the_objective_is_changed(self, optimizer):
        """An optimizer reads the round, and writes nothing into it."""
        problem = random_round(40, seed=3)
        before = [column.tolist() for column in (*problem.jobs, *problem.running, problem.planned)]
        search(optimizer, problem, MAKESPAN, Budget(evaluations=50))
        after = [column.tolist() for column in (*problem.jobs, *problem.running, problem.planned)]
        assert before == after


FEW = Budget(evaluations=40)


def kernels_are_compiled():
    """Whether kernels are compiled in this process at all (not with NUMBA_DISABLE_JIT)."""
    return SQUARED_WAIT.compiled


@njit
def compiled_nan(start, jobs, now):
    """Return no number."""
    return np.nan


@njit
def compiled_raise(start, jobs, now):
    """Raise."""
    if len(start) > 0:
        raise ValueError("no")
    return 0.0
