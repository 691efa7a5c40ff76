"""Optimizers of users that slip: each is an error in one sentence that names the optimizer, and harms nothing else."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from planbatch.baselines.plan_based import PlanBased
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.rounds.file import write_round
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives import WAIT
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.objective import ObjectiveError
from planbatch.planner.optimizers import make_optimizer
from planbatch.planner.optimizers.portfolio import Portfolio
from planbatch.planner.optimizers.search import OrderSearch
from planbatch.planner.solve import solve
from planbatch.planner.soundness import OptimizerError, sound
from tests.builders import random_round

#: A user's file, with an optimizer for each slip: functions that give wrong orders, and classes that return wrong
#: results. ``slips_in_rounds_of`` leaves small rounds, such as those of a warm-up, alone.
MINE = """\
import sys
from dataclasses import replace
import numpy as np
from planbatch.planner import Annealing, Plan

def wrong(search, order):
    search.evaluate(order if len(order) else search.order)

def from_one(search, rng):
    search.evaluate(search.order + 1)

def numbers(search, rng):
    search.evaluate(search.problem.ids)

def twice(search, rng):
    search.evaluate(np.where(search.order == 1, 0, search.order))

def short(search, rng):
    search.evaluate(search.order[:-1])

def long(search, rng):
    search.evaluate(np.append(search.order, 0))

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

def text(search, rng):
    search.evaluate("best")

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

class Nothing(Slip):
    def slip(self, problem, result):
        return None
"""
#: Name in the file, and what the error says behind the optimizer's name. N stands for the number of jobs.
SLIPS = {
    "from_one": "from-one gave search.evaluate positions counted from 1 in the round at T: an order has each of the "
    "positions 0 … L once",
    "numbers": "numbers gave search.evaluate the numbers of jobs in the round at T: an order has each",
    "twice": r"twice gave search.evaluate position 0 2 times in the round at T: an order has each",
    "short": "short gave search.evaluate L positions for N jobs in the round at T",
    "long": r"long gave search.evaluate M positions for N jobs in the round at T",
    "huge": r"huge gave search.evaluate position \d{19} in the round at T",
    "negative": "negative gave search.evaluate position -1 in the round at T",
    "floats": "floats gave search.evaluate entries of type float64 in the round at T",
    "table": r"table gave search.evaluate an array of shape \(N, 1\) in the round at T",
    "nothing": "nothing gave search.evaluate None in the round at T",
    "text": "text gave search.evaluate 'best' in the round at T",
    "unlucky": "unlucky raised ZeroDivisionError in the round at T: division by zero",
    "leaving": "leaving raised SystemExit in the round at T: no mood",
    "returned": r"returned returned a ndarray in the round at T: give orders to search.evaluate\(order\)",
    "Half": r"half: a cost of \S+ is claimed, but the plan costs \S+, in the round at T",
    "Now": r"now returned no plan of the round at T: \d+ processors are in use at T, above the capacity of",
    "Partly": r"partly returned no plan of the round at T: job \d+ has no start",
    "Fewer": "fewer returned no plan of the round at T: the plan has L starts for N jobs",
    "Nan": "nan: a cost of nan is claimed, but the plan costs",
    "Priced": "priced returned a Result whose cost is 'cheap' in the round at T",
    "Priceless": r"priceless returned a Result whose cost is \(.*\+0j\) in the round at T",
    "Countless": "countless returned a Result whose evaluations is 'many' in the round at T",
    "Sure": "sure returned a Result whose status is 'optimal' in the round at T",
    "Modest": r"modest: a lower bound of \S+ is claimed, but the plan costs \S+, in the round at T",
    "Shifted": "shifted returned positions counted from 1 as permutation in the round at T",
    "Bare": "bare returned a Plan in the round at T; it should return a Result with a Plan",
    "Starts": "starts returned a Result whose plan is a ndarray in the round at T",
    "Nothing": "nothing returned None in the round at T; it should return a Result",
}
#: Those that are tried where each takes a second or more.
FEW = ("from_one", "numbers", "unlucky", "leaving", "Half", "Now", "Countless")
JOBS = 9


def said(slip: str, problem=None) -> str:
    """Return what an error should say: a pattern."""
    n, now = (r"\d+",) * 2 if problem is None else (len(problem), problem.now)
    least, most = (r"\d+",) * 2 if problem is None else (len(problem) - 1, len(problem) + 1)
    pattern = SLIPS[slip].replace("round at T", f"round at {now}").replace("use at T", f"use at {now}")
    for letter, number in (("L", least), ("N", n), ("M", most)):
        pattern = re.sub(rf"\b{letter}\b", lambda _, number=number: str(number), pattern)
    return f"optimizer {pattern}"


@pytest.fixture
def problem():
    """Give a round whose job numbers are no positions, and in which not all fits together."""
    return replace(random_round(JOBS), ids=np.arange(1000, 1000 + JOBS))


@pytest.fixture
def folder(tmp_path, monkeypatch, problem):
    """Give a folder, as the current one, with the user's file and the round."""
    (tmp_path / "mine.py").write_text(MINE)
    write_round(tmp_path / "round.json", problem)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("slip", SLIPS)
def test_solve_tells_what_an_optimizer_did(folder, problem, slip):
    """In one sentence, with its name and the round; a second search of this process is none the worse."""
    for budget in ({"evaluations": 10}, {"seconds": 0.05}):
        with pytest.raises(OptimizerError, match=said(slip, problem)) as caught:
            solve(problem, "wait", f"mine.py:{slip}", **budget)
        assert "\n" not in str(caught.value)
    assert solve(problem, "wait", "tabu", evaluations=10).cost == solve(problem, "wait", "tabu", evaluations=10).cost


@pytest.mark.parametrize("slip", ["from_one", "short", "Half"])
def test_objectives_in_plain_python_are_no_other_case(folder, problem, slip):
    """Nor do optimizers in a portfolio, which are named."""

    def cost(start, jobs, now):
        return float(sum((start - jobs.submit).tolist(), start=len({}.copy())))

    with pytest.warns(UserWarning, match="plain Python"), pytest.raises(OptimizerError) as caught:
        solve(problem, cost, f"mine.py:{slip}", evaluations=10)
    assert re.match(said(slip, problem), str(caught.value))
    both = Portfolio((make_optimizer("greedy"), make_optimizer(f"mine.py:{slip}")))
    with pytest.raises(OptimizerError, match=said(slip, problem)):
        solve(problem, "wait", both, evaluations=10)


@pytest.mark.parametrize("kind", [list, tuple, np.int32, np.uint64, "backwards", "read-only"])
def test_an_order_may_be_any_list_of_whole_numbers(problem, kind):
    """Its cost is that of the array; the caller's array stays as it is."""
    order = np.random.default_rng(0).permutation(JOBS)
    if kind == "backwards":
        given = order[::-1].copy()[::-1]
    elif kind == "read-only":
        given = order.copy()
        given.flags.writeable = False
    else:
        given = order.astype(kind) if isinstance(kind, type) and kind not in (list, tuple) else kind(order.tolist())
    search = OrderSearch(problem, WAIT, Budget(evaluations=10))
    assert search.evaluate(given) == search.evaluate(order)
    assert decode(problem, given).start.tolist() == decode(problem, order).start.tolist()
    assert list(given) == order.tolist()


def test_a_result_with_a_list_as_permutation_is_sound(problem):
    """Everything else of the result stays."""
    result = make_optimizer("greedy").optimize(problem, WAIT, Budget(evaluations=0), np.random.default_rng(0))
    listed = replace(result, permutation=result.permutation.tolist())
    found = sound("greedy", problem, WAIT, listed)
    assert found.permutation.dtype == np.int64
    assert found.plan is result.plan


def test_a_function_may_return_a_cost(problem):
    assert solve(problem, "wait", lambda search, rng: search.evaluate(search.order), evaluations=5).evaluations == 1


def test_errors_of_the_objective_are_not_the_optimizers(problem):
    """They name the objective."""

    def whimsical(start, jobs, now):
        if len(start) > 3:
            raise ValueError("no mood")
        return 0.0

    with pytest.raises(ObjectiveError, match="objective whimsical raised ValueError in the round at"):
        solve(problem, whimsical, lambda search, rng: search.evaluate(search.order), evaluations=5)


@pytest.mark.parametrize("bound", ["--bound", "--no-bound"])
@pytest.mark.parametrize("slip", FEW)
def test_the_command_for_a_round_tells_it_in_one_line(run, folder, problem, slip, bound):
    """Exit code 2, nothing on standard output, no traceback."""
    code, out, err = run("round", "round.json", "--optimizer", f"mine.py:{slip}", "--evaluations", 10, bound)
    assert (code, out) == (2, "")
    assert re.fullmatch(rf"planbatch: {said(slip, problem)}[^\n]*\n", err)


@pytest.mark.parametrize("slip", ["from_one", "numbers", "twice", "nothing", "unlucky", "Half", "Now", "Fewer"])
def test_a_replay_names_the_optimizer_and_the_round(folder, slip):
    """Rather than to act on its plan."""
    workload = synthetic_workload(jobs=60, capacity=32, load=1.5)
    with pytest.raises(OptimizerError, match=said(slip)):
        replay(workload, PlanBased("wait", f"mine.py:{slip}", evaluations=5))


@pytest.mark.integration
@pytest.mark.parametrize("jobs", [1, 2])
def test_other_cells_of_a_comparison_are_finished(run, folder, jobs):
    """In this process, and in two."""
    assert run("workload", "generate", "log.swf", "--count", 60, "--capacity", 32)[0] == 0
    words = [f"plan:wait,optimizer=mine.py:{slip},evaluations=5" for slip in FEW]
    policies = [word for name in ("easy", *words) for word in ("--policy", name)]
    code, out, err = run("compare", "log.swf", *policies, "--no-out", "--json", "--jobs", jobs)
    assert code == 1, err
    assert [row["policy"] for row in json.loads(out)["results"]] == ["easy"]
    for slip in FEW:
        assert re.search(rf"no result: \S+: OptimizerError: {said(slip)}", err), err


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
