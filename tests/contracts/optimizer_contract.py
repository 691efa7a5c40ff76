"""What every optimizer keeps; an optimizer's tests inherit from :class:`OptimizerContract`.

An optimizer says what it cannot do: by ``supports(objective)``; by an attribute ``replayable = False``, if a search
stopped by the clock cannot be repeated by a number of evaluations (searches of a solver that is not ours).
"""

from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest

from planbatch.objectives import MAKESPAN, OBJECTIVES, SQUARED_WAIT, WAIT
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.model import NEVER
from planbatch.planner.objective import Objective, ObjectiveError
from planbatch.planner.optimizer import Status
from planbatch.planner.optimizers.first_plan import FIRST_PLANS
from planbatch.planner.orders.catalogue import order_by
from planbatch.planner.plan import check_plan
from planbatch.planner.registry.compiling import can_compile
from planbatch.planner.registry.objective import as_objective
from planbatch.planner.round import Round
from planbatch.planner.soundness import checked_search
from tests.builders import random_round
from tests.first_plans import first_plans

SIZES = ((1, 2, 5), (40,), (150,))
FEW = Budget(evaluations=40)


def plain_squared_wait(start, jobs, now):
    """Mean squared wait in plain Python, added up in the order of the compiled formula."""
    total = 0.0
    for i in range(len(start)):
        total += float(start[i] - jobs.submit[i]) * float(start[i] - jobs.submit[i])
    return total / max(len(start), 1)


def search(optimizer, problem, objective, budget, seed=0):
    """Run an optimizer; skip the test if it says that it does not support the objective."""
    if not optimizer.supports(objective):
        pytest.skip(f"{optimizer.name} does not support the objective {objective.name}")
    return optimizer.optimize(problem, objective, budget, np.random.default_rng(seed))


def best_first_cost(optimizer, problem, objective):
    """Decode the first plans one by one; return the cost of the best."""
    plans = first_plans(problem, getattr(optimizer, "first_plans", FIRST_PLANS))
    return min(
        objective.cost(plan.start, problem.jobs, problem.now)
        for plan in plans
        if (plan.start <= problem.jobs.latest).all()
    )


def chosen(optimizer, part):
    """Choose a third of the objectives that an optimizer works on; each optimizer begins with another one."""
    supported = [objective for objective in OBJECTIVES.values() if optimizer.supports(objective)]
    return supported[(crc32(optimizer.name.encode()) + part) % 3 :: 3]


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

    #: Evaluations of the longest searches.
    EVALUATIONS = 150

    @pytest.fixture
    def optimizer(self):
        raise NotImplementedError

    @pytest.mark.parametrize("part", range(len(SIZES)), ids=["few", "40", "150"])
    def test_plans_are_valid_and_no_worse_than_the_best_first_plan(self, optimizer, part):
        """The plan is complete, the permutation decodes to it, the cost is its cost; with every third objective."""
        for n in SIZES[part]:
            problem = random_round(n, seed=n)
            for objective in chosen(optimizer, part):
                result = search(optimizer, problem, objective, Budget(evaluations=self.EVALUATIONS))
                assert check_plan(problem, result.plan, complete=True) == []
                decoded = decode(problem, result.permutation)
                assert decoded.start.tolist() == result.plan.start.tolist()
                assert result.evaluations <= self.EVALUATIONS
                assert result.cost <= result.seed_cost
                assert result.cost == objective.cost(result.plan.start, problem.jobs, problem.now)
                assert result.seed_cost <= best_first_cost(optimizer, problem, objective)
                assert not result.lower_bound > result.cost

    def test_rounds_of_no_job_of_one_and_of_two(self, optimizer):
        """The single job starts behind the running one of 7 processors; of two, the short one goes first."""
        budget = Budget(evaluations=100)
        empty = search(optimizer, random_round(0), WAIT, budget)
        assert (empty.plan.start.tolist(), empty.cost, empty.evaluations) == ([], 0.0, 0)
        alone = search(optimizer, Round.of(10, 100, [(7, 130), (2, 110)], [(90, 8, 60)]), WAIT, budget)
        assert (alone.plan.start.tolist(), alone.cost) == ([130], 40.0)
        both = search(optimizer, Round.of(1, 0, [], [(0, 1, 100), (0, 1, 10)]), WAIT, budget)
        assert (both.plan.start.tolist(), both.cost) == ([10, 0], 5.0)

    def test_without_a_budget_the_result_is_the_best_first_plan(self, optimizer):
        """No evaluations and no time at all are no errors."""
        for n in (1, 2, 40):
            problem = random_round(n, seed=5)
            result = search(optimizer, problem, SQUARED_WAIT, Budget(evaluations=0))
            assert result.evaluations == 0
            least = best_first_cost(optimizer, problem, SQUARED_WAIT)
            assert result.cost == result.seed_cost == least
        result = search(optimizer, problem, SQUARED_WAIT, Budget(seconds=0.0))
        assert result.cost <= result.seed_cost
        assert check_plan(problem, result.plan, complete=True) == []

    def test_a_seed_gives_the_same_search_again(self, optimizer):
        """Equal seeds, equal results; the optimizer holds no state."""
        for n in (5, 60):
            problem = random_round(n)
            first, *_ = results = [
                search(optimizer, problem, SQUARED_WAIT, Budget(evaluations=self.EVALUATIONS), seed)
                for seed in (7, 8, 7)
            ]
            assert same(first, results[-1])

    def test_a_budget_only_ends_a_search(self, optimizer):
        """Stopped after k evaluations, by their number or by the clock, it is the beginning of a longer one."""
        if not getattr(optimizer, "replayable", True):
            pytest.skip(f"{optimizer.name} says that its searches cannot be repeated")
        for n in (10, 300):
            problem = random_round(n, seed=2)
            timed = search(optimizer, problem, SQUARED_WAIT, Budget(seconds=0.02), seed=3)
            counted = Budget(seconds=3600.0, evaluations=timed.evaluations)
            assert same(timed, search(optimizer, problem, SQUARED_WAIT, counted, seed=3))
        problem = random_round(60, seed=8)
        costs = [search(optimizer, problem, SQUARED_WAIT, Budget(evaluations=k), 1).cost for k in (0, 10, 100, 1000)]
        assert costs == sorted(costs, reverse=True)

    def test_an_interrupt_returns_the_best_so_far(self, optimizer):
        """Ctrl-C at any evaluation, of a first plan or of a neighbour, leaves a valid plan with its cost."""
        problem = random_round(30, seed=9)
        for call in (1, 3, 11, 30, 90):
            calls = []

            def interrupted(start, jobs, now, calls=calls, call=call):
                calls.append(plain_squared_wait(start, jobs, now))
                if len(calls) == call:
                    raise KeyboardInterrupt
                return calls[-1]

            mine = Objective("mine", interrupted)
            result = search(optimizer, problem, mine, Budget(evaluations=150))
            assert check_plan(problem, result.plan, complete=True) == []
            decoded = decode(problem, result.permutation)
            assert decoded.start.tolist() == result.plan.start.tolist()
            if len(calls) < call:
                assert result.status is Status.FINISHED  # it evaluates its first plans only
                continue
            assert result.status is Status.INTERRUPTED
            if call > len(FIRST_PLANS):
                cost = plain_squared_wait(result.plan.start, problem.jobs, problem.now)
                assert result.cost == cost
                assert result.cost <= result.seed_cost

    def test_promises_are_kept(self, optimizer):
        """No job starts after its promised latest start: not if that is cheaper, nor if no previous plan keeps it."""
        for n in (4, 40, 120):
            problem = random_round(n, seed=4, planned=False)
            plan = decode(problem, order_by("largest-area", problem.jobs, problem.now))
            latest = np.where(np.arange(n) % 3 == 0, plan.start, NEVER)
            jobs = problem.jobs._replace(latest=latest)
            promised = replace(problem, jobs=jobs, planned=plan.start)
            for evaluations in (50, 200):
                result = search(optimizer, promised, WAIT, Budget(evaluations=evaluations))
                assert (result.plan.start <= latest).all()
                assert check_plan(promised, result.plan, complete=True) == []
            unplanned = replace(problem, jobs=jobs)
            result = checked_search(optimizer, unplanned, WAIT, Budget(evaluations=50), np.random.default_rng(0))
            assert (result.plan.start <= latest).all()


class FamilyContract(OptimizerContract):
    """What one optimizer of a family keeps for all that share its code."""

    def test_a_thousand_jobs(self, optimizer):
        """Long queues are planned, too."""
        problem = random_round(1000, seed=1, capacity=512)
        result = search(optimizer, problem, WAIT, Budget(evaluations=30))
        assert check_plan(problem, result.plan, complete=True) == []
        assert result.seed_cost <= best_first_cost(optimizer, problem, WAIT)
        assert result.cost <= result.seed_cost

    def test_the_same_cost_in_python_compiled_and_built_in_gives_the_same_search(self, optimizer):
        """Bit for bit."""
        problem = random_round(60, seed=60)
        forms = [Objective("mine", plain_squared_wait), SQUARED_WAIT]
        forms += [as_objective(plain_squared_wait)] if can_compile() else []
        plain, *others = (search(optimizer, problem, o, Budget(evaluations=130), 5) for o in forms)
        assert not plain.native
        for other in others:
            assert other.native
            assert same(plain, other)

    def test_a_wrong_objective_is_named_with_its_round(self, optimizer):
        """Whatever goes wrong in it, whatever the number of jobs, in Python and compiled."""
        wrong = {
            "not a finite number": Objective("faulty", lambda start, jobs, now: float("nan")),
            "not a finite": Objective("faulty", lambda start, jobs, now: -float("inf")),
            "ZeroDivisionError": Objective("faulty", lambda start, jobs, now: 1 / 0),
            "returned ndarray": Objective("faulty", lambda start, jobs, now: start),
            "returned NoneType": Objective("faulty", lambda start, jobs, now: None),
            "raised TypeError": Objective("faulty", lambda start: 0.0),
            "finite number": as_objective(returns_nan),
            "raised ValueError": as_objective(raises),
        }
        for n, (message, objective) in zip((1, 4, 40, 1, 4, 40, 20, 20), wrong.items(), strict=True):
            with pytest.raises(ObjectiveError, match=f"{objective.name} .*{message}.* round at 100000"):
                search(optimizer, random_round(n), objective, Budget(evaluations=50))

    def test_an_objective_that_goes_wrong_late_is_named_as_well(self, optimizer):
        """Some plans have a cost, others have none."""
        calls = []

        def sometimes(start, jobs, now):
            calls.append(now)
            return plain_squared_wait(start, jobs, now) if len(calls) <= 40 else float("nan")

        moody = Objective("moody", sometimes)
        with pytest.raises(ObjectiveError, match=r"objective moody .*round at 100000"):
            search(optimizer, random_round(40), moody, Budget(evaluations=60))

    def test_costs_may_be_zero_or_negative(self, optimizer):
        """Objectives are minimised, whatever their sign."""
        problem = random_round(20, seed=6)
        zero = search(optimizer, problem, Objective("zero", lambda start, jobs, now: 0.0), FEW)
        assert zero.cost == zero.seed_cost == 0.0
        less = Objective("less", lambda start, jobs, now: plain_squared_wait(start, jobs, now) - 1e12)
        result = search(optimizer, problem, less, FEW)
        assert result.cost <= result.seed_cost < 0

    def test_neither_the_round_nor_the_objective_is_changed(self, optimizer):
        """An optimizer reads the round, and writes nothing into it."""
        problem = random_round(40, seed=3)
        before = [column.tolist() for column in (*problem.jobs, *problem.running, problem.planned)]
        search(optimizer, problem, MAKESPAN, Budget(evaluations=50))
        after = [column.tolist() for column in (*problem.jobs, *problem.running, problem.planned)]
        assert before == after


def returns_nan(start, jobs, now):
    return np.nan


def raises(start, jobs, now):
    if len(start) > 0:
        raise ValueError("no")
    return 0.0
