"""What does not belong together is refused: by a ValueError or a TypeError, never by a crash."""

import numpy as np
import pytest

from planbatch import _core
from planbatch.objectives import OBJECTIVES, WAIT
from planbatch.planner.history.history import History
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.orders.catalogue import ORDERS
from planbatch.planner.round import Round
from tests.builders import workload_of

EXPECTED_ERRORS = (ValueError, TypeError)
PROBLEM = Round.of(8, 10, [(2, 30)], [(0, 2, 9), (3, 6, 5), (5, 1, 7)], windows=[(50, 60, 3)])
RNG = np.random.default_rng(0)


def ints(*values):
    return np.array(values, dtype=np.int64)


def columns(**changes):
    """Give the columns of a round of three waiting jobs, with others."""
    known = {
        "now": 10,
        "capacities": ints(8),
        "running_end": ints(30),
        "running_amounts": ints(2).reshape(1, 1),
        "submit": ints(0, 3, 5),
        "walltime": ints(9, 5, 7),
        "deadline": ints(99, 99, 99),
        "latest": ints(2**60, 2**60, 2**60),
        "user": ints(1, 1, 2),
        "amounts": ints(2, 6, 1).reshape(3, 1),
        "past": np.zeros((3, 0)),
        "planned": ints(10, 30, 2**60),
        "occupied": ints(9, 5, 7),
        "policy_state": ints(0, 0, 0),
        "window_start": ints(50),
        "window_end": ints(60),
        "window_amounts": ints(3).reshape(1, 1),
        "ended_early": False,
        "history_rows": np.zeros((0, 6), dtype=np.int64),
        "history_past": np.zeros((0, 0)),
        "history_running": ints(),
    }
    return known | changes


BIG = 2**62
HOSTILE = {
    **{f"{name} short": {name: ints(1, 2)} for name in (
        "submit", "walltime", "deadline", "latest", "user", "planned", "occupied", "policy_state",
    )},
    **{f"{name} long": {name: ints(1, 2, 3, 4)} for name in (
        "submit", "walltime", "deadline", "latest", "user", "planned", "occupied", "policy_state",
    )},
    "no resources": {"capacities": ints()},
    "negative capacity": {"capacities": ints(-8)},
    "huge capacity": {"capacities": ints(BIG)},
    "amounts short": {"amounts": ints(2, 6).reshape(2, 1)},
    "amounts of two resources": {"amounts": ints(2, 6, 1, 1, 1, 1).reshape(3, 2)},
    "negative amounts": {"amounts": ints(2, -6, 1).reshape(3, 1)},
    "amounts above the machine": {"amounts": ints(2, 9, 1).reshape(3, 1)},
    "walltime 0": {"walltime": ints(9, 0, 7)},
    "negative walltime": {"walltime": ints(9, -5, 7)},
    "occupied 0": {"occupied": ints(9, 0, 7)},
    "occupied beyond all": {"occupied": ints(9, BIG, 7)},
    "walltimes beyond all": {"walltime": ints(2**60, 2**60, 2**60)},
    "promises before all times": {"latest": ints(-(2**63), 99, 99)},
    "deadlines beyond all times": {"deadline": ints(99, 99, 2**62)},
    "running more than the machine": {"running_amounts": ints(9).reshape(1, 1)},
    "running less than nothing": {"running_amounts": ints(-1).reshape(1, 1)},
    "running that wraps": {
        "running_end": ints(30, 31), "running_amounts": ints(BIG, BIG).reshape(2, 1),
    },
    "running that wraps at last": {
        "running_end": ints(30, 31), "running_amounts": ints(1, 2**63 - 1).reshape(2, 1),
    },
    "now before all times": {"now": -(2**63)},
    "running in the past": {"running_end": ints(10)},
    "running unsorted": {"running_end": ints(30, 20), "running_amounts": ints(1, 1).reshape(2, 1)},
    "running ends long": {"running_end": ints(30, 31)},
    "windows long": {"window_end": ints(60, 70)},
    "windows without amounts": {"window_amounts": np.zeros((0, 1), dtype=np.int64)},
    "a window that ends before it starts": {"window_end": ints(40)},
    "a window that takes too much": {"window_amounts": ints(9).reshape(1, 1)},
    "a window that takes less than nothing": {"window_amounts": ints(-3).reshape(1, 1)},
    "past short": {"past": np.zeros((2, 4))},
    "past without columns": {"past": np.zeros(3)},
    "history of a job without a past": {"history_rows": np.zeros((2, 6), dtype=np.int64)},
    "history of other columns": {
        "history_rows": np.zeros((1, 5), dtype=np.int64), "history_past": np.zeros((1, 0)),
        "history_running": ints(0),
    },
    "history of a running job that is not there": {
        "history_rows": np.zeros((1, 6), dtype=np.int64), "history_past": np.zeros((1, 0)),
        "history_running": ints(1),
    },
    "history without the running job": {
        "history_rows": np.zeros((1, 6), dtype=np.int64), "history_past": np.zeros((1, 0)),
    },
    "text": {"submit": "abc"},
    "nothing": {"submit": None},
    "32 bits": {"submit": np.array([0, 3, 5], dtype=np.int32)},
    "not contiguous": {"submit": np.arange(6)[::2]},
}  # fmt: skip


def test_the_round_that_is_changed_is_a_round():
    """Otherwise nothing below would say anything."""
    assert len(_core.Round(**columns())) == 3


@pytest.mark.parametrize("case", HOSTILE)
def test_rounds_are_checked(case):
    """Columns of other lengths, amounts and times out of their ranges, arrays of other types."""
    try:
        built = _core.Round(**columns(**HOSTILE[case]))
    except EXPECTED_ERRORS:
        return
    # What can be copied to int64 may be taken; then it is a sound round.
    assert case in ("32 bits", "not contiguous")
    assert _core.decode(built, np.arange(3)).tolist() == _core.decode(PROBLEM.core, np.arange(3)).tolist()


ORDERS_GIVEN = {
    "twice": ints(0, 0, 1),
    "out of range": ints(0, 1, 3),
    "far out of range": ints(0, 1, BIG),
    "negative": ints(-1, 0, 1),
    "short": ints(0, 1),
    "long": ints(0, 1, 2, 0),
    "empty": ints(),
    "none": None,
}


@pytest.mark.parametrize("case", ORDERS_GIVEN)
def test_orders_are_permutations(case):
    """Of the jobs of the round; a search is none the worse."""
    order = ORDERS_GIVEN[case]
    search = WAIT.search(PROBLEM)
    cost = search.evaluate(ints(2, 1, 0))
    for call in (
        lambda: _core.decode(PROBLEM.core, order),
        lambda: search.evaluate(order),
        lambda: search.planned_cost(order, ints(10, 11, 12)),
        lambda: _core.decode_repeatedly(PROBLEM.core, order, 2),
    ):
        with pytest.raises(EXPECTED_ERRORS):
            call()
    assert search.evaluate(ints(2, 1, 0)) == cost


@pytest.mark.parametrize("numbers", [ints(13), ints(-1), ints(0, BIG)])
def test_first_plans_have_numbers(numbers):
    with pytest.raises(EXPECTED_ERRORS):
        WAIT.search(PROBLEM).try_first_plans(numbers)
    with pytest.raises(EXPECTED_ERRORS):
        _core.PlanBased(WAIT.core, Annealing().setting, numbers.tolist(), 5, False, 0, 0.0)


def test_searches_refuse_what_they_cannot_work_on():
    """No jobs, settings of other lengths, starts of other lengths, moves before there is an order."""
    with pytest.raises(ValueError, match="no job waits"):
        WAIT.search(Round.of(8))
    for setting in ([1.0], [0.5] * 20):
        with pytest.raises(ValueError, match="setting"):
            WAIT.search(PROBLEM, setting=setting)
        with pytest.raises(ValueError, match="setting"):
            _core.PlanBased(WAIT.core, setting, [0], 5, False, 0, 0.0)
    search = WAIT.search(PROBLEM, setting=Annealing().setting)
    for start in (ints(10, 11), ints(10, 11, 12, 13), ints()):
        with pytest.raises(ValueError, match="start"):
            search.planned_cost(ints(0, 1, 2), start)
    for move in (lambda: search.advance(50, RNG), search.end_stage):
        with pytest.raises(ValueError, match="first plans"):
            move()
    unset = WAIT.search(PROBLEM, setting=[])
    unset.try_first_plans(ints(0))
    with pytest.raises(ValueError, match="setting: none to anneal by"):
        unset.advance(5, RNG)
    with pytest.raises(EXPECTED_ERRORS):
        search.advance(-1, RNG)
    for generator in (None, 7, np.random.RandomState(0)):
        with pytest.raises((*EXPECTED_ERRORS, AttributeError)):
            search.advance(5, generator)
    with pytest.raises(TypeError):
        _core.OrderSearch(PROBLEM, WAIT.core, None, [])
    with pytest.raises(TypeError):
        _core.OrderSearch(PROBLEM.core, lambda start, jobs, now: 0.0, None, [])


def test_arrays_of_fractions_are_not_cut_to_whole_numbers():
    """Nor are numbers beyond 63 bits wrapped; arrays of other widths, orders and strides are copied."""
    order = ints(2, 0, 1)
    for other in (order.astype(float), order.astype(np.float32), order.astype(np.uint64)):
        with pytest.raises(TypeError):
            _core.decode(PROBLEM.core, other)
        with pytest.raises(TypeError):
            OBJECTIVES["wait"].cost(other + 10, JOBS, 10)
        with pytest.raises(TypeError):
            OBJECTIVES["wait"].cost(ints(10, 11, 12), JOBS._replace(walltime=other), 10)
    expected = _core.decode(PROBLEM.core, order).tolist()
    for same in (order.astype(np.int8), order.astype(np.uint32), np.repeat(order, 2)[::2]):
        assert _core.decode(PROBLEM.core, same).tolist() == expected


def test_promises_that_are_missed_beyond_all_times_are_relaxed():
    """By more than 2^60 seconds in all: their sum would not fit, and nothing overflows."""
    late = ints(-(2**60) + 1, -(2**60) + 1, -(2**60) + 1)
    latest, planned = _core.feasible_promises(_core.Round(**columns(latest=late)))
    assert (planned >= 10).all()
    assert (latest >= planned).all()


JOBS = PROBLEM.jobs
TABLES = {
    "submit": {"submit": ints(0, 1)},
    "procs": {"procs": ints(1, 2)},
    "walltime": {"walltime": ints(1, 2, 3, 4)},
    "deadline": {"deadline": ints()},
    "latest": {"latest": ints(1)},
    "user": {"user": ints(1)},
    "past": {"past": np.zeros((2, 4))},
    "past of one dimension": {"past": np.zeros(3)},
    "text": {"procs": np.array(["a", "b", "c"])},
}


@pytest.mark.parametrize("case", TABLES)
def test_objectives_and_orders_check_the_columns_of_jobs(case):
    """Every one of the catalogue, called from Python."""
    jobs = JOBS._replace(**TABLES[case])
    for objective in OBJECTIVES.values():
        with pytest.raises(EXPECTED_ERRORS):
            objective.cost(ints(10, 11, 12), jobs, 10)
    for order in ORDERS.values():
        if isinstance(order, _core.QueueOrder):
            with pytest.raises(EXPECTED_ERRORS):
                order(jobs, 10)


@pytest.mark.parametrize("start", [ints(1, 2), ints(1, 2, 3, 4), np.zeros((3, 1)), "abc", None])
def test_objectives_check_the_starts(start):
    for objective in OBJECTIVES.values():
        with pytest.raises(EXPECTED_ERRORS):
            objective.cost(start, JOBS, 10)


@pytest.mark.parametrize("keys", [[1.0], [1.0] * 4, [1.0] * 6, [], ["a"] * 3, [[1.0]] * 3, None])
def test_orders_that_nobody_checked_return_a_key_for_each_job(keys):
    """Alone, behind a threshold, in pairs, and in every policy."""
    mine = _core.PythonOrder(lambda jobs, now: keys)
    orders = [mine, _core.LongestWaitingFirst(mine, 5)]
    orders += [_core.PairOfOrders(mine, _core.F1()), _core.PairOfOrders(_core.F1(), mine)]
    for order in orders:
        with pytest.raises(EXPECTED_ERRORS):
            order(JOBS, 10)
        for kind in (_core.Easy, _core.Replanned, _core.SlackBased):
            with pytest.raises(EXPECTED_ERRORS):
                kind(order).decide(PROBLEM.core, RNG)


@pytest.mark.parametrize(
    "call",
    [
        lambda p: p.earliest(ints(9), 1, 0),
        lambda p: p.earliest(ints(0), 1, 0),
        lambda p: p.earliest(ints(1, 1), 1, 0),
        lambda p: p.earliest(ints(1), 0, 0),
        lambda p: p.earliest(ints(1), BIG, 0),
        lambda p: p.reserve(ints(1), 9, 1),
        lambda p: p.reserve(ints(8), 10, 1),
        lambda p: p.release(ints(8), 10, 1),
        lambda p: p.release(ints(1), -BIG, 1),
        lambda p: p.fits(ints(), 10, 1),
    ],
)
def test_profiles_are_left_alone_by_what_they_refuse(call):
    profile = _core.Profile(PROBLEM.core)
    before = profile.times.tolist(), profile.free.tolist()
    with pytest.raises(EXPECTED_ERRORS):
        call(profile)
    assert (profile.times.tolist(), profile.free.tolist()) == before


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: _core.FirstReserved(_core.F1(), 0), "reservations"),
        (lambda: _core.Relaxed(_core.F1(), float("nan")), "omega"),
        (lambda: _core.Selective(_core.F1(), float("nan")), "factor"),
        (lambda: _core.Lookahead(_core.F1(), 0), "most_jobs"),
        (lambda: _core.DeadlineBackfilling(working_time=[1, 2, 3]), "working_time"),
        (lambda: _core.DeadlineBackfilling(working_time=[2, 1]), "working_time"),
        (lambda: _core.WeightedSum([1.0], []), "one weight per objective"),
        (lambda: _core.WeightedSum([], []), "one weight per objective"),
        (lambda: _core.CompiledObjective(0, None, None, None, ()), "address"),
        (lambda: History.of(lambda *_: None, width=0, columns=1), "width"),
        (lambda: _core.Easy(None), "incompatible"),
        (lambda: _core.Easy(lambda jobs, now: jobs.submit), "incompatible"),
        (lambda: _core.LongestWaitingFirst(None, 5), "incompatible"),
        (lambda: _core.Lexicographic(None, WAIT.core, 1.0), "incompatible"),
        (lambda: _core.WeightedSum([1.0], [None]), "one weight per objective"),
    ],
)
def test_parameters_are_checked(make, message):
    """Numbers out of range, and nothing where there should be something."""
    with pytest.raises(EXPECTED_ERRORS, match=message):
        make()


def simulation(**changes):
    """Make a simulation of three jobs, with other columns."""
    from planbatch.experiments.replay.simulation import _columns

    workload = workload_of(4, [(0, 2, 9, 4), (1, 4, 5, 5), (2, 1, 7, 7)])
    built = _columns(workload, "requested", None, np.zeros(3, dtype=np.int64))
    return _core.Simulation(built | changes, None, False, 1, 0, 0, False)


@pytest.mark.parametrize(
    "changes",
    [
        *({name: ints(1, 2)} for name in ("procs", "runtime", "deadline", "user", "amounts")),
        *({name: ints(1, 2)} for name in ("walltime", "occupied", "user_row", "slack", "floor")),
        {"capacities": ints()},
        {"capacities": ints(3)},
        {"submit": ints(5, 1, 2)},
        {"runtime": ints(0, 5, 7)},
        {"runtime": ints(90, 5, 7)},
        {"walltime": ints(9, 5, BIG)},
        {"deadline": ints(9, 5, -(2**63))},
        {"slack": ints(9, 5, BIG)},
        {"amounts": ints(-2, 4, 1)},
        {"window_start": ints(5)},
        {"submit": None},
    ],
)
def test_simulations_check_their_columns(changes):
    with pytest.raises(EXPECTED_ERRORS):
        simulation(**changes)


def test_simulations_check_what_is_committed():
    """Starts and policy_state for each waiting job; not more than fits, and not the past."""
    stepped = simulation()
    assert stepped.advance() == _core.SimulationStatus.ROUND_DUE
    for start, policy_state in ((ints(), None), (ints(0, 1), None), (ints(0), ints(1, 2)), (ints(0), "a")):
        with pytest.raises(EXPECTED_ERRORS):
            stepped.commit(start, policy_state, 0, 0.0, 0.0)
    assert stepped.commit(ints(-1), None, 0, 0.0, 0.0) == _core.SimulationStatus.BAD_START
    with pytest.raises(EXPECTED_ERRORS):
        simulation().set_history_state(np.zeros(3))
