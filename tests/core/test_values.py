"""Objects of the core are values: equal, hashed, shown and pickled by the arguments that made them."""

import pickle
from itertools import combinations

import numpy as np
import pytest

from planbatch import _core
from planbatch.objectives import OBJECTIVES, make_objective
from planbatch.planner.history.history import History
from planbatch.planner.objective import Objective
from planbatch.planner.optimizers.annealing import SETTING
from planbatch.planner.orders.catalogue import ORDERS, as_order, as_orders
from planbatch.planner.registry.compiling import can_compile, compiled_objective
from planbatch.planner.round import Round

PROBLEM = Round.of(8, 10, [], [(0, 2, 9), (3, 6, 5), (5, 1, 7)])


def area(jobs, now):
    return jobs.procs * jobs.walltime


def late(start, jobs, now):
    return float((start - now).sum())


def update(events, state, jobs, now):
    """Remember nothing."""


OBJECTIVE = [objective.cost for objective in OBJECTIVES.values()]
OBJECTIVE += [
    make_objective(name).cost
    for name in ("aged-wait:3d", "weighted-wait:power=1,size=2", "weighted-wait:power=1,size=3")
]
OBJECTIVE += [
    _core.PythonObjective(late),
    _core.MeanPoweredWait(3.0),
    _core.MeanPoweredWait(2.5),
    _core.WeightedSum([1.0, 2.0], [_core.MeanWait(), _core.Makespan()]),
    _core.WeightedSum([1.0, 3.0], [_core.MeanWait(), _core.Makespan()]),
    _core.Lexicographic(_core.Makespan(), _core.MeanWait(), 60.0),
    _core.Lexicographic(_core.MeanWait(), _core.Makespan(), 60.0),
]
ORDER = [order for order in ORDERS.values() if isinstance(order, _core.QueueOrder)]
ORDER += [
    as_order("multifactor:half_life=2d"),
    as_order("sjf@1h"),
    as_order("sjf@2h"),
    as_orders("fcfs/sjf"),
    as_orders("sjf/fcfs"),
    _core.PythonOrder(area),
]
HISTORY = [
    _core.ExpectedRunTimes(),
    _core.RunTimes(),
    _core.FairShare(60.0),
    _core.FairShare(90.0),
    History.of(update, 2, 1).core,
    History.of(update, 2, 1, per_job=1).core,
]
POLICY = [
    _core.Conservative(),
    _core.Easy(_core.F1()),
    _core.Easy(_core.F2()),
    _core.Replanned(_core.F1()),
    _core.SlackBased(_core.F1()),
    _core.Serve(_core.F1(), True),
    _core.Serve(_core.F1(), False),
    _core.BackfillBalanced(_core.F1(), True),
    _core.ImprovedBackfillBalanced(_core.F1(), False),
    _core.FirstReserved(_core.F1(), 2),
    _core.Selective(_core.F1(), 2.0),
    _core.Relaxed(_core.F1(), 0.5),
    _core.Lookahead(_core.F1(), 50),
    _core.DeadlineBackfilling(),
    _core.DeadlineBackfilling(_core.UrgentJobs.ALL_AT_ONCE, _core.AdvanceOrder.TOGETHER, [1, 2]),
    _core.PlanBased(_core.MeanWait(), [0.5] * len(SETTING), [0, 1], 50, True, 0, 0.0),
    _core.PlanBased(_core.MeanWait(), [0.5] * len(SETTING), [0, 2], 50, True, 0, 0.0),
]


@pytest.mark.parametrize("kind", [OBJECTIVE, ORDER, HISTORY, POLICY], ids=["objective", "order", "history", "policy"])
def test_values(kind):
    """A copy by pickle is equal, has the same hash and looks the same; another value is another one."""
    for value in kind:
        copy = pickle.loads(pickle.dumps(value))
        assert copy == value
        assert hash(copy) == hash(value)
        assert repr(copy) == repr(value)
        assert repr(value).startswith(type(value).__name__)
        assert value != object()
    distinct = {repr(value): value for value in kind}  # some of the catalogue have two names
    for one, other in combinations(distinct.values(), 2):
        assert one != other
    assert len(set(kind)) == len(distinct)


def test_copies_compute_the_same():
    start = np.array([10, 19, 12])
    for cost in OBJECTIVE:
        copy = pickle.loads(pickle.dumps(cost))
        assert copy(start, PROBLEM.jobs, 10) == cost(start, PROBLEM.jobs, 10)
    for order in ORDER:
        copy = pickle.loads(pickle.dumps(order))
        assert copy(PROBLEM.jobs, 10).tolist() == order(PROBLEM.jobs, 10).tolist()


@pytest.mark.skipif(not can_compile(), reason="needs numba")
def test_compiled_objectives_are_values_too():
    """Their copies are compiled again, by the function and its further arguments."""
    one, other = (compiled_objective(powered, (power,)) for power in (2.0, 3.0))
    copy = pickle.loads(pickle.dumps(one))
    assert copy == one
    assert hash(copy) == hash(one)
    assert one != other
    assert one != object()


def powered(start, jobs, now, power):
    return float(start[0] - now) ** power


def test_rounds_and_objectives_travel_without_what_they_keep_for_the_core():
    """Before and after a search they are the same to other processes."""
    problem = Round.of(8, 10, [(2, 30)], [(0, 2, 9), (3, 6, 5)])
    mine = Objective("mine", late)
    before = pickle.dumps((problem, mine))
    cost = mine.search(problem).evaluate(np.array([1, 0]))
    assert pickle.dumps((problem, mine)) == before
    again, yours = pickle.loads(before)
    assert yours == mine
    assert yours.search(again).evaluate(np.array([1, 0])) == cost
