"""The Lagrangian relaxation in the compiled core: against sums by hand, and what it refuses."""

from itertools import product

import numpy as np
import pytest

from planbatch import _core

#: Two jobs of one size and one of another, on a machine of one row of capacity, in three buckets of 10 s.
COLUMNS = {
    "edges": np.array([0.0, 10.0, 20.0, 30.0]),
    "capacity": np.full((1, 3), 10.0),
    "coef": np.array([[0.5], [1.0]]),
    "size": np.array([0, 1]),
    "many": np.array([2.0, 1.0]),
    "duration": np.array([10.0, 5.0]),
    "earliest": np.array([0.0, 2.0]),
    "weight": np.array([1.0, 1.0]),
    "origin": np.array([0.0, 0.0]),
    "power": 1,
}


def make_market(**changed) -> _core.Market:
    """The market above, with other columns."""
    return _core.Market(**(COLUMNS | changed))


def term_and_price(job: int, start: np.ndarray, price: np.ndarray, power: int) -> np.ndarray:
    """What a start costs, by overlaps with the buckets."""
    end = start + COLUMNS["duration"][job]
    total = start**power
    for b, each in enumerate(price[0]):
        low, high = COLUMNS["edges"][b], COLUMNS["edges"][b + 1]
        inside = np.maximum(0.0, np.minimum(end, high) - np.maximum(start, low))
        total = total + COLUMNS["coef"][job, 0] * each * inside
    return total


@pytest.mark.parametrize("power", [1, 2])
def test_the_bound_is_what_every_job_pays_at_least(power):
    """Of starts in steps of a sixteenth of a second, none is cheaper, and one is nearly as cheap."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        price = rng.uniform(0, 40, size=(1, 3))
        value, _ = make_market(power=power).respond(price)
        starts = [np.arange(first, 40, 1 / 16) for first in COLUMNS["earliest"]]
        least = [term_and_price(j, starts[j], price, power).min() for j in range(2)]
        total = 2 * least[0] + least[1] - 10 * price.sum()
        assert total - 5 <= value <= total + 1e-9


def test_a_climb_never_falls_below_its_first_prices():
    """More iterations never give less, and the shares at the best prices add up to the bound."""
    market, price = make_market(), np.array([[3.0, 1.0, 0.0]])
    bounds = [market.climb(price, 30.0, iterations)[0] for iterations in (1, 5, 50, 500)]
    assert bounds == sorted(bounds)
    bound, best = market.climb(price, 30.0, 500)
    assert _core.Shares(market, best).base == pytest.approx(bound, abs=1e-6)
    assert price.tolist() == [[3.0, 1.0, 0.0]]


def test_configurations_know_which_jobs_fit_together():
    """Of two jobs that take three of five processors for 10 s each, one waits 10 s; rows let both run most of the time.

    ::

        ···
        AB·
    """
    pair = {"coef": np.array([[0.6]]), "size": np.zeros(2, dtype=np.int64), "many": np.ones(2), "weight": np.ones(2)}
    times = {"duration": np.full(2, 10.0), "earliest": np.zeros(2), "origin": np.zeros(2)}
    market = make_market(**pair, **times)
    by_rows, price = market.climb(np.zeros((1, 3)), 10.0, 500)
    sets = {"width": np.zeros(1, dtype=np.int64), "units": np.array([3]), "jobs": np.array([2])}
    rooms = {"rooms": np.array([5]), "seconds": np.full((1, 3), 10.0), "replaced": 1}
    bound, shares = market.climb_configurations(price, **sets, **rooms, upper=10.0, iterations=500)
    assert by_rows < 5
    assert 9.9 < bound <= 10
    assert shares.base == pytest.approx(bound, abs=1e-6)


def test_the_best_set_of_jobs_against_all_sets():
    """At prices of rows, what configurations earn is the best of all sets of jobs, in every bucket."""
    rng = np.random.default_rng(3)
    sets = np.array(list(product(range(3), range(2))))
    for _ in range(50):
        price, seconds = rng.uniform(0, 2, (1, 3)), rng.uniform(0, 5, (3, 3))
        rooms = {"width": np.array([0, 1]), "units": np.array([2, 3]), "jobs": np.array([2, 1])}
        rooms |= {"rooms": np.array([1, 4, 7]), "seconds": seconds, "replaced": 1}
        earned = 0.0
        for k, room in enumerate((1, 4, 7)):
            paid = sets @ (np.array([[0.5], [1.0]]) @ price)
            earned += (paid[sets @ [2, 3] <= room].max(axis=0) * seconds[k]).sum()
        jobs_pay = make_market().respond(price)[0] + 10 * price.sum()
        bound, _ = make_market().climb_configurations(price, **rooms, upper=1.0, iterations=1)
        assert bound == pytest.approx(jobs_pay - earned)


def test_configurations_of_one_resource_and_rows_of_another():
    """Both sizes are of one width and differ in the second row; jobs pay for both, and both earn."""
    rng = np.random.default_rng(4)
    coef, capacity = np.array([[0.5, 0.2], [0.5, 0.6]]), np.stack([np.full(3, 10.0), np.array([4.0, 6.0, 8.0])])
    for _ in range(20):
        price = rng.uniform(0, 2, (2, 3))
        market = make_market(coef=coef, capacity=capacity)
        sets = {"width": np.zeros(2, dtype=np.int64), "units": np.array([2]), "jobs": np.array([3])}
        rooms = {"rooms": np.array([5]), "seconds": np.full((1, 3), 10.0), "replaced": 1}
        bound, _ = market.climb_configurations(price, **sets, **rooms, upper=1.0, iterations=1)
        jobs_pay = market.respond(price)[0] + (price * capacity).sum()
        earned = 2 * 0.5 * 10 * price[0].sum() + (price[1] * capacity[1]).sum()
        assert bound == pytest.approx(jobs_pay - earned)


@pytest.mark.parametrize(
    "changed",
    [
        {"width": np.array([0])},
        {"width": np.array([0, 2])},
        {"width": np.array([-1, 0])},
        {"units": np.array([0, 1])},
        {"units": np.array([1, 1, 1])},
        {"jobs": np.array([-1, 0])},
        {"rooms": np.array([-1])},
        {"rooms": np.array([2**40])},
        {"rooms": np.array([5, 4]), "seconds": np.ones((2, 3))},
        {"seconds": np.ones((1, 2))},
        {"seconds": np.full((1, 3), np.nan)},
    ],
)
def test_configurations_that_would_be_read_out_of_bounds_are_refused(changed):
    """Columns of other lengths, rooms that are none."""
    pair = np.ones(2, dtype=np.int64)
    rooms = {"width": np.array([0, 1]), "units": pair, "jobs": pair, "rooms": np.array([5]), "replaced": 1}
    with pytest.raises(ValueError, match="configurations"):
        make_market().climb_configurations(
            np.ones((1, 3)), **(rooms | {"seconds": np.ones((1, 3))} | changed), upper=1.0, iterations=1
        )


def test_excesses_are_measured_from_the_cheapest_start():
    """At the breakpoints the least excess is 0; behind the latest start it is above the gap for good."""
    price = np.array([[3.0, 1.0, 0.0]])
    shares = _core.Shares(make_market(power=2), price)
    latest = shares.latest(50.0)
    for job in range(2):
        assert shares.excess(job, shares.breakpoints(job)).min() == 0
        later = latest[job] + np.arange(100) / 4
        assert (shares.excess(job, later) > 50).all()
    assert np.isinf(shares.latest(1e9)).all()


def test_a_knapsack_against_all_choices():
    """Every number of items of each kind, for every room."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        sizes, value, count = rng.integers(1, 6, 3), rng.integers(0, 9, 3), rng.integers(0, 4, 3)
        best = _core.most_value(sizes, value, count, 20)
        choices = np.array(list(product(*(range(k + 1) for k in count))))
        for room in range(21):
            fits = choices @ sizes <= room
            assert best[room] == (choices @ value)[fits].max()


@pytest.mark.parametrize(
    "changed",
    [
        {"edges": np.array([0.0, 10.0, 5.0, 30.0])},
        {"edges": np.array([0.0, 10.0, np.nan, 30.0])},
        {"edges": np.array([0.0])},
        {"capacity": np.full((1, 2), 10.0)},
        {"capacity": np.full(3, 10.0)},
        {"coef": np.ones((2, 2))},
        {"coef": np.ones((0, 1))},
        {"size": np.array([0, 2])},
        {"size": np.array([-1, 0])},
        {"many": np.ones(3)},
        {"duration": np.array([-1.0, 5.0])},
        {"earliest": np.array([-1.0, 2.0])},
        {"earliest": np.array([np.inf, 2.0])},
        {"origin": np.array([np.nan, 0.0])},
        {"power": 3},
    ],
)
def test_a_market_that_would_be_read_out_of_bounds_is_refused(changed):
    """Columns of other lengths, sizes that do not exist, times that are no times."""
    with pytest.raises(ValueError, match="market"):
        make_market(**changed)


def test_prices_and_starts_are_checked():
    """Of another shape, not finite, before the first edge, of a job that does not exist."""
    market = make_market()
    for price in (np.ones((1, 2)), np.ones(3), np.array([[1.0, np.nan, 0.0]])):
        with pytest.raises(ValueError, match="price"):
            market.climb(price, 1.0, 5)
        with pytest.raises(ValueError, match="price"):
            _core.Shares(market, price)
    shares = _core.Shares(market, np.zeros((1, 3)))
    with pytest.raises(IndexError):
        shares.breakpoints(2)
    for start in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="start"):
            shares.excess(0, np.array([start]))
    for wrong in (([0], [1], [1], 5), ([1], [-1], [1], 5), ([1], [1], [1, 2], 5), ([1], [1], [1], -1)):
        columns, room = [np.array(column) for column in wrong[:3]], wrong[3]
        with pytest.raises(ValueError):
            _core.most_value(*columns, room)


#: A job on two processors, of which one is free from 5 s on.
SEARCH = {
    "times": np.array([0, 5]),
    "free": np.array([[1], [2]]),
    "amounts": np.array([[2]]),
    "walltime": np.array([10]),
    "latest": np.array([100]),
    "weight": np.ones(1),
    "origin": np.zeros(1),
    "kind": np.zeros(1, dtype=np.int64),
    "entry": np.zeros(0, dtype=np.int64),
    "by_due": np.zeros(1, dtype=np.int64),
    "shares": None,
    "largest": True,
    "power": 1,
    "slack": 0.0,
    "step": 1.0,
    "goal": 9.0,
    "remembered": 64,
}
SEARCHES = [_core.ProcessorBranchAndBound, _core.ResourceBranchAndBound, _core.WindowBranchAndBound]


@pytest.mark.parametrize("kind", SEARCHES)
def test_a_search_of_one_job(kind):
    """It starts when both processors are free."""
    search = kind(**SEARCH)
    assert not search.begun
    assert search.explore(10) == 2
    assert (search.best, search.best_start.tolist(), search.done) == (5.0, [5], True)


@pytest.mark.parametrize("kind", SEARCHES)
@pytest.mark.parametrize(
    "changed",
    [
        {"times": np.array([0, 0])},
        {"times": np.array([1, 5])},
        {"times": np.array([0])},
        {"free": np.array([[1], [1]])},
        {"free": np.array([[-1], [2]])},
        {"amounts": np.array([[3]])},
        {"amounts": np.array([[0]])},
        {"amounts": np.array([[1, 1]])},
        {"walltime": np.array([0])},
        {"walltime": np.array([10, 10])},
        {"latest": np.array([100, 100])},
        {"by_due": np.array([1])},
        {"by_due": np.array([-1])},
        {"power": 3},
        {"remembered": 2**30},
    ],
)
def test_a_search_that_would_be_read_out_of_bounds_is_refused(kind, changed):
    """No staircase, jobs that never fit, columns of other lengths."""
    with pytest.raises(ValueError):
        kind(**(SEARCH | changed))


def test_a_sum_of_terms_needs_the_share_of_every_job():
    """And of no other; without windows profiles rise."""
    shares = _core.Shares(make_market(), np.zeros((1, 3)))
    for changed in (
        {"shares": None},
        {"shares": shares},
        {"shares": shares, "entry": np.array([2])},
        {"shares": shares, "entry": np.array([1]), "largest": True},
        {"largest": True, "free": np.array([[3], [2]])},
    ):
        for kind in SEARCHES[:2]:
            with pytest.raises(ValueError):
                kind(**(SEARCH | {"largest": False} | changed))
    with pytest.raises(ValueError, match="shares"):
        _core.WindowBranchAndBound(**(SEARCH | {"shares": shares, "entry": np.array([1])}))


def test_a_walltime_beyond_all_times_is_refused():
    """A plan has to end before 2^60 s."""
    with pytest.raises(OverflowError):
        _core.WindowBranchAndBound(**(SEARCH | {"walltime": np.array([2**60])}))
