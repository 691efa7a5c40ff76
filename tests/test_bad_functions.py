"""Objectives, orders and optimizers of users that slip: the error names them and the round, and harms nothing else."""

import json
import re
import warnings
from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.plan_based import PlanBased
from planbatch.experiments.replay.checker import recorded_replay
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.rounds.file import write_round
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives import WAIT, make_objective
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.objective import Objective, ObjectiveError
from planbatch.planner.optimizers import make_optimizer
from planbatch.planner.optimizers.portfolio import Portfolio
from planbatch.planner.optimizers.search import OrderSearch
from planbatch.planner.orders.catalogue import as_orders, order_by
from planbatch.planner.orders.order import OrderError
from planbatch.planner.solve import solve
from planbatch.planner.soundness import OptimizerError, sound
from tests.builders import random_round

#: Objectives and orders. Each slips in rounds of more than three jobs only: so the first rounds of a replay are none.
MINE = """\
import sys
import numpy as np

class Own:
    "What numba cannot compile."

def nan(start, jobs, now):
    return np.nan if len(start) > 3 else 1.0

def less(start, jobs, now):
    return -np.inf if len(start) > 3 else 1.0

def raising(start, jobs, now):
    if len(start) > 3:
        raise RuntimeError("no mood")
    return 1.0

def dividing(start, jobs, now):
    return 1 / (len(start) <= 3)

def plain_nan(start, jobs, now):
    return [float("nan") if len(start) > 3 else 1.0, Own][0]

def plain_raising(start, jobs, now):
    if len(start) > 3:
        raise RuntimeError("no mood")
    return [1.0, Own][0]

def text(start, jobs, now):
    return "cheap" if len(start) > 3 else 1.0

def imaginary(start, jobs, now):
    return [np.complex128(1 + len(start)), Own][0]

def huge(start, jobs, now):
    return [10 ** (400 * (len(start) > 3)), Own][0]

def leaving(start, jobs, now):
    return sys.exit("no\\nmood") if len(start) > 3 else 1.0

def key_nan(jobs, now):
    keys = jobs.walltime.astype(np.float64)
    if len(keys) > 3:
        keys[1] = np.nan
    return keys

def key_raising(jobs, now):
    if len(jobs.submit) > 3:
        raise RuntimeError("no mood")
    return jobs.walltime

def key_short(jobs, now):
    return jobs.walltime[:3]

def key_text(jobs, now):
    return ["a", Own][:1] * len(jobs.submit)

def key_table(jobs, now):
    return np.zeros((len(jobs.submit), 2))

def key_number(jobs, now):
    return 1.0

def key_dates(jobs, now):
    return jobs.submit.astype("datetime64[s]")

def key_huge(jobs, now):
    return [10**400] * len(jobs.submit)

def key_leaving(jobs, now):
    sys.exit("no\\nmood")

def infinite(jobs, now):
    keys = jobs.walltime.astype(np.float64)
    keys[::2] = np.inf
    keys[::3] = -np.inf
    return keys
"""
#: Optimizers, one for each slip: functions that give wrong orders, and classes that return wrong results.
SEARCHING = """\
import sys
from dataclasses import replace
import numpy as np
from planbatch.planner import Annealing, Plan

def from_one(search, rng):
    search.evaluate(search.order + 1)

def numbers(search, rng):
    search.evaluate(search.problem.ids)

def twice(search, rng):
    search.evaluate(np.where(search.order == 1, 0, search.order))

def short(search, rng):
    search.evaluate(search.order[:-1])

def huge(search, rng):
    search.evaluate(search.order + 2**62)

def negative(search, rng):
    search.evaluate(search.order - 1)

def floats(search, rng):
    search.evaluate(search.order / 1)

def table(search, rng):
    search.evaluate(search.order[:, None])

def nothing(search, rng):
    search.evaluate(None)

def unlucky(search, rng):
    return 1 / 0

def leaving(search, rng):
    sys.exit("no\\nmood")

def returned(search, rng):
    return search.order[::-1]

class Slip:
    def __init__(self):
        self.name = type(self).__name__.lower()

    def supports(self, objective):
        return True

    def optimize(self, problem, objective, budget, rng):
        result = Annealing().optimize(problem, objective, budget, rng)
        return self.slip(problem, result)

class Half(Slip):
    def slip(self, problem, result):
        return replace(result, cost=result.cost / 2)

class Now(Slip):
    def slip(self, problem, result):
        return replace(result, plan=Plan(np.full(len(problem), problem.now)))

class Partly(Slip):
    def slip(self, problem, result):
        start = result.plan.start.copy()
        start[-1] = 2**60
        return replace(result, plan=Plan(start))

class Fewer(Slip):
    def slip(self, problem, result):
        return replace(result, plan=Plan(result.plan.start[:-1]))

class Nan(Slip):
    def slip(self, problem, result):
        return replace(result, cost=float("nan"))

class Priced(Slip):
    def slip(self, problem, result):
        return replace(result, cost="cheap")

class Priceless(Slip):
    def slip(self, problem, result):
        return replace(result, cost=complex(result.cost))

class Countless(Slip):
    def slip(self, problem, result):
        return replace(result, evaluations="many")

class Sure(Slip):
    def slip(self, problem, result):
        return replace(result, status="optimal")

class Modest(Slip):
    def slip(self, problem, result):
        return replace(result, lower_bound=2 * result.cost)

class Shifted(Slip):
    def slip(self, problem, result):
        return replace(result, permutation=result.permutation + 1)

class Bare(Slip):
    def slip(self, problem, result):
        return result.plan

class Starts(Slip):
    def slip(self, problem, result):
        return replace(result, plan=result.plan.start)

class Without(Slip):
    def slip(self, problem, result):
        return None
"""
NO_NUMBER = "returned a cost that is not a finite number in the round at T"
A_KEY_EACH = r"in the round at T: expected one number for each of \d+ jobs?"
#: Kind → name in the file → what the error says behind the function's name. N stands for the number of jobs.
SLIPS = {
    "objective": {
        "nan": NO_NUMBER,
        "less": NO_NUMBER,
        "raising": "raised RuntimeError in the round at T: no mood",
        "dividing": "raised ZeroDivisionError in the round at T: division by zero",
        "plain_nan": NO_NUMBER,
        "plain_raising": "raised RuntimeError in the round at T: no mood",
        "text": "returned str, not a number, in the round at T",
        "imaginary": "returned complex128, not a number, in the round at T",
        "huge": NO_NUMBER,
        "leaving": "raised SystemExit in the round at T: no mood",
    },
    "order": {
        "key_nan": "returned a key that is NaN in the round at T",
        "key_raising": "raised RuntimeError in the round at T: no mood",
        "key_short": rf"returned .* {A_KEY_EACH}",
        "key_text": rf"returned \['a'.* {A_KEY_EACH}",
        "key_table": rf"returned array\(.* {A_KEY_EACH}",
        "key_number": rf"returned 1\.0 {A_KEY_EACH}",
        "key_dates": rf"returned array\(.* {A_KEY_EACH}",
        "key_huge": rf"returned \[1000.* {A_KEY_EACH}",
        "key_leaving": "raised SystemExit in the round at T: no mood",
    },
    "optimizer": {
        "from_one": "gave search.evaluate positions counted from 1 in the round at T: an order has each of the "
        "positions 0 … L once",
        "numbers": "gave search.evaluate the numbers of jobs in the round at T: an order has each",
        "twice": "gave search.evaluate position 0 2 times in the round at T: an order has each",
        "short": "gave search.evaluate L positions for N jobs in the round at T",
        "huge": r"gave search.evaluate position \d{19} in the round at T",
        "negative": "gave search.evaluate position -1 in the round at T",
        "floats": "gave search.evaluate entries of type float64 in the round at T",
        "table": r"gave search.evaluate an array of shape \(N, 1\) in the round at T",
        "nothing": "gave search.evaluate None in the round at T",
        "unlucky": "raised ZeroDivisionError in the round at T: division by zero",
        "leaving": "raised SystemExit in the round at T: no mood",
        "returned": r"returned a ndarray in the round at T: give orders to search.evaluate\(order\)",
        "half": r": a cost of \S+ is claimed, but the plan costs \S+, in the round at T",
        "now": r"returned no plan of the round at T: \d+ processors are in use at T, above the capacity of",
        "partly": r"returned no plan of the round at T: job \d+ has no start",
        "fewer": "returned no plan of the round at T: the plan has L starts for N jobs",
        "nan": ": a cost of nan is claimed, but the plan costs",
        "priced": "returned a Result whose cost is 'cheap' in the round at T",
        "priceless": r"returned a Result whose cost is \(.*\+0j\) in the round at T",
        "countless": "returned a Result whose evaluations is 'many' in the round at T",
        "sure": "returned a Result whose status is 'optimal' in the round at T",
        "modest": r": a lower bound of \S+ is claimed, but the plan costs \S+, in the round at T",
        "shifted": "returned positions counted from 1 as permutation in the round at T",
        "bare": "returned a Plan in the round at T; it should return a Result with a Plan",
        "starts": "returned a Result whose plan is a ndarray in the round at T",
        "without": "returned None in the round at T; it should return a Result",
    },
}
#: Each slip under one of these.
SEARCHES = list(zip(SLIPS["objective"], cycle(["annealing", "tabu", "local-search"]), strict=False))
QUEUES = ("easy", "replanned", "fcfs", "bb", "ibb", "best-fit", "selective:1,order=", "slack:1d,order=")
POLICIES = list(zip(SLIPS["order"], cycle(QUEUES), strict=False))
JOBS = 9


def error_pattern(kind: str, name: str, problem=None) -> str:
    """Return what an error should say: a pattern."""
    n, now = (r"\d+",) * 2 if problem is None else (len(problem), problem.now)
    least = n if problem is None else n - 1
    pattern = re.sub(r"\bat T\b", lambda _: f"at {now}", SLIPS[kind][name])
    for letter, number in (("L", least), ("N", n)):
        pattern = re.sub(rf"\b{letter}\b", lambda _, number=number: str(number), pattern)
    return f"{kind} {name.replace('_', '-')}{'' if pattern.startswith(':') else ' '}{pattern}"


def optimizer(name: str) -> str:
    """Name an optimizer of the file: functions by their own name, classes by a capital."""
    return f"searching.py:{name}" if f"def {name}(" in SEARCHING else f"searching.py:{name.capitalize()}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Give a folder with the user's files, of which each function is compiled once."""
    path = tmp_path_factory.mktemp("mine")
    write_files(path)
    return path


def write_files(path):
    (path / "mine.py").write_text(MINE)
    (path / "searching.py").write_text(SEARCHING)
    write_round(path / "round.json", a_round())


@pytest.fixture(autouse=True)
def in_folder(folder, monkeypatch):
    """Be in this folder; that much of the file runs as plain Python is no news."""
    monkeypatch.chdir(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def own_folder(tmp_path):
    """Give a folder of the test's own with the user's files, in which the command runs."""
    write_files(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def workload():
    """Give a workload in which sometimes more than three jobs wait."""
    return synthetic_workload(jobs=120, capacity=32, load=1.5)


def a_round():
    """Give a round whose job numbers are no positions, and in which not all fits together."""
    return replace(random_round(JOBS), ids=np.arange(1000, 1000 + JOBS))


@pytest.fixture
def problem():
    return a_round()


# Objectives


@pytest.mark.parametrize(("name", "search"), SEARCHES)
def test_the_objective_is_named(workload, name, search):
    """In one sentence; few jobs, all of whose orders are tried, and more; seconds are no way around; in replays."""
    few, objective = {"evaluations": 30}, make_objective(f"mine.py:{name}")  # compiled once
    for jobs, budget in ((5, few), (9, few), (9, {"seconds": 0.05})):
        problem = random_round(jobs)
        with pytest.raises(ObjectiveError, match=error_pattern("objective", name, problem)) as caught:
            solve(problem, objective, search, **budget)
        assert "\n" not in str(caught.value)
    policy = PlanBased(objective, search, evaluations=8)
    for play in (replay, recorded_replay):  # in one go where the core has the search, and stepped
        with pytest.raises(ObjectiveError, match=error_pattern("objective", name)):
            play(workload, policy)


def test_a_cost_of_what_nobody_plans_has_to_be_finite_too():
    """If every job started now: temperatures are relative to that."""

    def since_the_last(start, jobs, now):
        return 1.0 / float(start.max() - now) if start.max() > now else np.nan

    problem = random_round(9)
    for search in ("annealing", "simanneal"):
        with pytest.raises(ObjectiveError, match="since-the-last returned a cost that is not a finite"):
            solve(problem, since_the_last, search, evaluations=30)


@pytest.mark.parametrize(("name", "more"), [("nan", ""), ("raising", ",seconds=0.2"), ("dividing", "")])
def test_rollouts_name_the_objective(workload, name, more):
    """With and without a time; if the order slips, the order."""
    with pytest.raises(ObjectiveError, match=error_pattern("objective", name)):
        replay(workload, f"rollouts:objective=mine.py:{name}{more}")
    with pytest.raises(OrderError, match=error_pattern("order", "key_nan")):
        replay(workload, "rollouts:mine.py:key_nan")


def test_scenarios_name_the_objective(workload):
    """A cost over scenarios is one of many costs."""
    with pytest.raises(ObjectiveError, match="objective nan.* returned a cost that is not a finite"):
        replay(workload, "plan:mine.py:nan,scenarios=3,evaluations=5")


def test_optimizers_that_look_into_the_terms_name_the_objective():
    """Though the terms are sound."""
    problem = random_round(6)
    broken = Objective("broken", lambda start, jobs, now: float("inf"), terms=WAIT.terms)
    for search in ("exhaustive", "cp-sat"):
        with pytest.raises(ObjectiveError, match="objective broken returned a cost"):
            solve(problem, broken, search, evaluations=30)


@pytest.mark.parametrize("text", ["cheap", "5"])
def test_a_text_is_no_cost_in_machine_code_either(text):
    """Not even one that float() reads."""
    with pytest.raises(ObjectiveError, match="returned str, not a number"):
        solve(random_round(6), lambda _start, _jobs, _now: text)


# Orders


@pytest.mark.parametrize(("name", "policy"), POLICIES)
def test_the_order_is_named(workload, problem, name, policy):
    """Where it sorts, and in replays, in one go and stepped."""
    with pytest.raises(OrderError, match=error_pattern("order", name, problem)):
        order_by(f"mine.py:{name}", problem.jobs, problem.now)
    own_policy = make_policy(f"{policy}mine.py:{name}" if "=" in policy else f"{policy}:mine.py:{name}")
    for play in (replay, recorded_replay):
        with pytest.raises(OrderError, match=error_pattern("order", name)) as caught:
            play(workload, own_policy)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"), [("key_nan", "mine.py:{}@1h"), ("key_short", "mine.py:{}/sjf"), ("key_text", "sjf/mine.py:{}")]
)
def test_orders_of_orders_name_the_one_that_slips(workload, name, text):
    """With a threshold, and in pairs."""
    policy = make_policy(f"easy:{text.format(name)}")
    with pytest.raises(OrderError, match=error_pattern("order", name)):
        replay(workload, policy)


def test_keys_may_be_infinite(workload):
    """They come first and last, equal ones in FCFS order, alone and in a pair."""
    problem = random_round(9)
    first = order_by("mine.py:infinite", problem.jobs, problem.now)
    assert first[:3].tolist() == [0, 3, 6]
    assert first[-3:].tolist() == [2, 4, 8]
    assert len(replay(workload, "easy:mine.py:infinite").start) == len(workload)
    both = as_orders("mine.py:infinite/sjf")(problem.jobs, problem.now)
    assert np.isinf(both[:9]).sum() == 6


# Optimizers


@pytest.mark.parametrize("slip", SLIPS["optimizer"])
def test_the_optimizer_is_named(problem, slip):
    """In one sentence, with the round; a second search of this process is none the worse."""
    for budget in ({"evaluations": 10}, {"seconds": 0.05}):
        with pytest.raises(OptimizerError, match=error_pattern("optimizer", slip, problem)) as caught:
            solve(problem, "wait", optimizer(slip), **budget)
        assert "\n" not in str(caught.value)
    assert solve(problem, "wait", "tabu", evaluations=10).cost == solve(problem, "wait", "tabu", evaluations=10).cost


@pytest.mark.parametrize("slip", ["from_one", "short", "half"])
def test_objectives_in_plain_python_portfolios_and_replays_are_no_other_case(problem, slip):
    def cost(start, jobs, now):
        return float(sum((start - jobs.submit).tolist(), start=len({}.copy())))

    with pytest.raises(OptimizerError, match=error_pattern("optimizer", slip, problem)):
        solve(problem, cost, optimizer(slip), evaluations=10)
    both = Portfolio((make_optimizer("greedy"), make_optimizer(optimizer(slip))))
    with pytest.raises(OptimizerError, match=error_pattern("optimizer", slip, problem)):
        solve(problem, "wait", both, evaluations=10)
    with pytest.raises(OptimizerError, match=error_pattern("optimizer", slip)):
        replay(synthetic_workload(jobs=60, capacity=32, load=1.5), PlanBased("wait", optimizer(slip), evaluations=5))


@pytest.mark.parametrize("kind", [list, tuple, np.int32, np.uint64, "backwards", "read-only"])
def test_an_order_may_be_any_list_of_whole_numbers(problem, kind):
    """Its cost is that of the array; the caller's array stays as it is."""
    order = np.random.default_rng(0).permutation(JOBS)
    if kind == "backwards":
        array = order[::-1].copy()[::-1]
    elif kind == "read-only":
        array = order.copy()
        array.flags.writeable = False
    else:
        array = order.astype(kind) if isinstance(kind, type) and kind not in (list, tuple) else kind(order.tolist())
    search = OrderSearch(problem, WAIT, Budget(evaluations=10))
    assert search.evaluate(array) == search.evaluate(order)
    assert decode(problem, array).start.tolist() == decode(problem, order).start.tolist()
    assert list(array) == order.tolist()


def test_a_result_with_a_list_as_permutation_is_sound(problem):
    """Everything else of the result stays."""
    result = make_optimizer("greedy").optimize(problem, WAIT, Budget(evaluations=0), np.random.default_rng(0))
    listed = replace(result, permutation=result.permutation.tolist())
    checked = sound("greedy", problem, WAIT, listed)
    assert checked.permutation.dtype == np.int64
    assert checked.plan is result.plan


def test_errors_of_the_objective_are_not_the_optimizers(problem):
    """They name the objective; otherwise a function may return a cost."""

    def once(search, rng):
        return search.evaluate(search.order)

    with pytest.raises(ObjectiveError, match="objective raising raised RuntimeError in the round at"):
        solve(problem, "mine.py:raising", once, evaluations=5)
    assert solve(problem, "wait", once, evaluations=5).evaluations == 1


class Shuffles:
    def __init__(self, tries):
        self.tries = tries

    def __call__(self, search, rng):
        for _ in range(self.tries):
            search.evaluate(rng.permutation(len(search.order)))


def test_an_object_that_is_called_is_an_optimizer():
    """As a function is; what is called otherwise is refused."""
    problem = random_round(15)
    assert solve(problem, WAIT, Shuffles(3)).evaluations == 3
    with pytest.raises(ValueError, match="optimizer: 3 is neither an optimizer"):
        solve(problem, WAIT, 3)


class Undecided:
    name = "undecided"

    def supports(self, objective):
        raise RuntimeError("it depends")

    def optimize(self, problem, objective, budget, rng):
        raise AssertionError


def test_what_fails_before_the_search_is_named():
    """An optimizer that does not say what it supports, and one without a name."""
    with pytest.raises(OptimizerError, match="^optimizer undecided raised RuntimeError in supports: it depends$"):
        solve(random_round(5), WAIT, Undecided())
    nameless = Undecided()
    nameless.name = None
    with pytest.raises(ValueError, match="needs name, a text"):
        solve(random_round(5), WAIT, nameless)


# The command


@pytest.mark.parametrize(
    ("kind", "name", "bound"),
    [
        ("objective", "nan", "--bound"),
        ("objective", "raising", "--no-bound"),
        ("objective", "text", "--bound"),
        ("optimizer", "from_one", "--no-bound"),
        ("optimizer", "unlucky", "--bound"),
        ("optimizer", "leaving", "--no-bound"),
        ("optimizer", "half", "--bound"),
        ("optimizer", "countless", "--no-bound"),
    ],
)
def test_the_command_for_a_round_tells_it_in_one_line(run, folder, monkeypatch, problem, kind, name, bound):
    """Exit code 2, nothing on standard output, no traceback."""
    monkeypatch.chdir(folder)
    mine = optimizer(name) if kind == "optimizer" else f"mine.py:{name}"
    code, out, err = run("round", "round.json", f"--{kind}", mine, "--evaluations", 10, bound)
    assert (code, out) == (2, "")
    assert re.match(f"planbatch: {error_pattern(kind, name, problem)}", err.splitlines()[-1])
    assert "Traceback" not in err


@pytest.mark.integration
@pytest.mark.parametrize("jobs", [1, 2])
def test_other_cells_of_a_comparison_are_finished(run, own_folder, jobs):
    """In this process, and in two."""
    slips = {
        "objective": ("nan", "dividing", "plain_raising", "text"),
        "order": ("key_nan", "key_raising", "key_text"),
        "optimizer": ("from_one", "unlucky", "leaving", "half", "now"),
    }
    named = {
        "objective": "plan:mine.py:{},evaluations=5",
        "order": "easy:mine.py:{}",
        "optimizer": "plan:wait,optimizer={},evaluations=5",
    }
    words = [
        named[kind].format(optimizer(name) if kind == "optimizer" else name) for kind in slips for name in slips[kind]
    ]
    policies = [word for name in ("easy", *words) for word in ("--policy", name)]
    assert run("workload", "generate", "log.swf", "--count", 150, "--capacity", 16)[0] == 0
    code, out, err = run("compare", "log.swf", *policies, "--no-out", "--json", "--jobs", jobs)
    assert code == 1, err
    assert [row["policy"] for row in json.loads(out)["results"]] == ["easy"]
    for kind, names in slips.items():
        for name in names:
            assert re.search(f"no result: [^\n]*Error: {error_pattern(kind, name)}", err), err


@pytest.mark.integration
@pytest.mark.parametrize("jobs", [1, 2])
def test_other_searches_of_a_comparison_of_rounds_are_finished(run, own_folder, problem, jobs):
    """Each failure has its row."""
    names = ("nan", "raising", "text")
    objectives = [word for name in ("wait", *(f"mine.py:{n}" for n in names)) for word in ("--objective", name)]
    _, out, _ = run("rounds", "compare", "round.json", *objectives, "--optimizer", "annealing",
                    "--evaluations", 5, "--no-curves", "--json", "--jobs", jobs)  # fmt: skip
    rows = {row["objective"]: row for row in json.loads(out)["rows"]}
    assert rows["wait"]["status"] != "failed"
    for name in names:
        assert re.match(f"ObjectiveError: {error_pattern('objective', name, problem)}", rows[name]["error"])
