"""Objectives and orders of users that slip: the error names the function and the round, and harms nothing else."""

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
from planbatch.objectives import WAIT
from planbatch.planner.objective import Objective, ObjectiveError
from planbatch.planner.orders.catalogue import as_orders, order_by
from planbatch.planner.orders.order import OrderError
from planbatch.planner.solve import solve
from tests.builders import random_round

#: Each slips in rounds of more than three jobs only: so the first rounds of a replay are none.
MINE = """\
import sys
import numpy as np

class Own:
    "What numba cannot compile."

def nan(start, jobs, now):
    return np.nan if len(start) > 3 else 1.0

def inf(start, jobs, now):
    return np.inf if len(start) > 3 else 1.0

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

def array(start, jobs, now):
    return (start - jobs.submit) if len(start) > 3 else 1.0

def nothing(start, jobs, now):
    return None if len(start) > 3 else 1.0

def imaginary(start, jobs, now):
    return [np.complex128(1 + len(start)), Own][0]

def huge(start, jobs, now):
    return [10 ** (400 * (len(start) > 3)), Own][0]

def leaving(start, jobs, now):
    return sys.exit("no\\nmood") if len(start) > 3 else 1.0

def odd_raise(start, jobs, now):
    if len(start) > 3:
        raise [RuntimeError("no mood")][0]
    return 1.0

def key_nan(jobs, now):
    keys = jobs.walltime.astype(np.float64)
    if len(keys) > 3:
        keys[1] = np.nan
    return keys

def key_raising(jobs, now):
    if len(jobs.submit) > 3:
        raise RuntimeError("no mood")
    return jobs.walltime

def key_dividing(jobs, now):
    return jobs.walltime * (1 / (len(jobs.submit) <= 3))

def key_short(jobs, now):
    return jobs.walltime[:3]

def key_long(jobs, now):
    n = len(jobs.submit)
    return np.zeros(n + (n > 3))

def key_text(jobs, now):
    return ["a", Own][:1] * len(jobs.submit)

def key_table(jobs, now):
    return np.zeros((len(jobs.submit), 2))

def key_number(jobs, now):
    return 1.0

def key_texts(jobs, now):
    return [str(walltime) for walltime in jobs.walltime]

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
NO_NUMBER = "returned a cost that is not a finite number in the round at T"
#: Name in the file, and what the error says behind the function's name.
OBJECTIVES = {
    "nan": NO_NUMBER,
    "inf": NO_NUMBER,
    "less": NO_NUMBER,
    "raising": "raised RuntimeError in the round at T: no mood",
    "dividing": "raised ZeroDivisionError in the round at T: division by zero",
    "plain_nan": NO_NUMBER,
    "plain_raising": "raised RuntimeError in the round at T: no mood",
    "text": "returned str, not a number, in the round at T",
    "array": "returned ndarray, not a number, in the round at T",
    "nothing": "returned NoneType, not a number, in the round at T",
    "imaginary": "returned complex128, not a number, in the round at T",
    "huge": NO_NUMBER,
    "leaving": "raised SystemExit in the round at T: no mood",
    "odd_raise": "raised RuntimeError in the round at T: no mood",
}
A_KEY_EACH = r"in the round at T: expected one number for each of \d+ jobs?"
ORDERS = {
    "key_nan": "returned a key that is NaN in the round at T",
    "key_raising": "raised RuntimeError in the round at T: no mood",
    "key_dividing": "raised ZeroDivisionError in the round at T: division by zero",
    "key_short": rf"returned .* {A_KEY_EACH}",
    "key_long": rf"returned .* {A_KEY_EACH}",
    "key_text": rf"returned \['a'.* {A_KEY_EACH}",
    "key_table": rf"returned array\(.* {A_KEY_EACH}",
    "key_number": rf"returned 1\.0 {A_KEY_EACH}",
    "key_texts": rf"returned \['.* {A_KEY_EACH}",
    "key_dates": rf"returned array\(.* {A_KEY_EACH}",
    "key_huge": rf"returned \[1000.* {A_KEY_EACH}",
    "key_leaving": "raised SystemExit in the round at T: no mood",
}
#: Each slip under one of these.
SEARCHES = list(zip(OBJECTIVES, cycle(["annealing", "tabu", "local-search"]), strict=False))
QUEUES = ("easy", "replanned", "fcfs", "bb", "ibb", "best-fit", "selective:1,order=", "slack:1d,order=")
POLICIES = list(zip(ORDERS, cycle(QUEUES), strict=False))


def said(kind: str, name: str, problem=None) -> str:
    """Return what an error should say: a pattern."""
    now = r"\d+" if problem is None else str(problem.now)
    what = (OBJECTIVES if kind == "objective" else ORDERS)[name].replace("at T", f"at {now}")
    return f"{kind} {name.replace('_', '-')} {what}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Give a folder with the user's file, of which each function is compiled once."""
    path = tmp_path_factory.mktemp("mine")
    (path / "mine.py").write_text(MINE)
    return path


@pytest.fixture(autouse=True)
def in_folder(folder, monkeypatch):
    """Be in this folder; that much of the file runs as plain Python is no news."""
    monkeypatch.chdir(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def own_folder(tmp_path):
    """Give a folder of the test's own with the user's file, in which the command runs."""
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


@pytest.fixture(scope="module")
def workload():
    """Give a workload in which sometimes more than three jobs wait."""
    return synthetic_workload(jobs=120, capacity=32, load=1.5)


@pytest.mark.parametrize(("name", "optimizer"), SEARCHES)
def test_solve_names_the_objective(name, optimizer):
    """In one sentence; few jobs, all of whose orders are tried, and more; seconds are no way around."""
    few = {"evaluations": 30}
    for jobs, budget in ((5, few), (9, few), (9, {"seconds": 0.05})):
        problem = random_round(jobs)
        with pytest.raises(ObjectiveError, match=said("objective", name, problem)) as caught:
            solve(problem, f"mine.py:{name}", optimizer, **budget)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "optimizer"), SEARCHES)
def test_a_replay_names_the_objective(workload, name, optimizer):
    """In one go where the core has the search, and stepped."""
    policy = PlanBased(f"mine.py:{name}", optimizer, evaluations=8)
    for play in (replay, recorded_replay):
        with pytest.raises(ObjectiveError, match=said("objective", name)):
            play(workload, policy)


@pytest.mark.parametrize(("name", "policy"), POLICIES)
def test_a_replay_names_the_order(workload, name, policy):
    """In one go, and stepped."""
    made = make_policy(f"{policy}mine.py:{name}" if "=" in policy else f"{policy}:mine.py:{name}")
    for play in (replay, recorded_replay):
        with pytest.raises(OrderError, match=said("order", name)) as caught:
            play(workload, made)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"), [("key_nan", "mine.py:{}@1h"), ("key_short", "mine.py:{}/sjf"), ("key_text", "sjf/mine.py:{}")]
)
def test_orders_of_orders_name_the_one_that_slips(workload, name, text):
    """With a threshold, and in pairs."""
    policy = make_policy(f"easy:{text.format(name)}")
    with pytest.raises(OrderError, match=said("order", name)):
        replay(workload, policy)


@pytest.mark.parametrize("name", ORDERS)
def test_sorting_by_an_order_names_it(name):
    problem = random_round(9)
    with pytest.raises(OrderError, match=said("order", name, problem)):
        order_by(f"mine.py:{name}", problem.jobs, problem.now)


def test_keys_may_be_infinite(workload):
    """They come first and last, equal ones in FCFS order, alone and in a pair."""
    problem = random_round(9)
    first = order_by("mine.py:infinite", problem.jobs, problem.now)
    assert first[:3].tolist() == [0, 3, 6]
    assert first[-3:].tolist() == [2, 4, 8]
    assert len(replay(workload, "easy:mine.py:infinite").start) == len(workload)
    both = as_orders("mine.py:infinite/sjf")(problem.jobs, problem.now)
    assert np.isinf(both[:9]).sum() == 6


def test_a_cost_of_what_nobody_plans_has_to_be_finite_too():
    """If every job started now: temperatures are relative to that."""

    def since_the_last(start, jobs, now):
        return 1.0 / float(start.max() - now) if start.max() > now else np.nan

    problem = random_round(9)
    for optimizer in ("annealing", "simanneal"):
        with pytest.raises(ObjectiveError, match="since-the-last returned a cost that is not a finite"):
            solve(problem, since_the_last, optimizer, evaluations=30)


@pytest.mark.parametrize("name", ["nan", "raising", "dividing"])
@pytest.mark.parametrize("policy", ["rollouts:objective=mine.py:{}", "rollouts:objective=mine.py:{},seconds=0.2"])
def test_rollouts_name_the_objective(workload, name, policy):
    """With and without a time."""
    with pytest.raises(ObjectiveError, match=said("objective", name)):
        replay(workload, policy.format(name))


def test_rollouts_name_the_order(workload):
    """It is not the objective that slips."""
    with pytest.raises(OrderError, match=said("order", "key_nan")):
        replay(workload, "rollouts:mine.py:key_nan")


def test_scenarios_name_the_objective(workload):
    """A cost over scenarios is one of many costs."""
    with pytest.raises(ObjectiveError, match="objective nan.* returned a cost that is not a finite"):
        replay(workload, "plan:mine.py:nan,scenarios=3,evaluations=5")


def test_optimizers_that_look_into_the_terms_name_the_objective():
    """Though the terms are sound."""
    problem = random_round(6)
    broken = Objective("broken", lambda start, jobs, now: float("inf"), terms=WAIT.terms)
    for optimizer in ("exhaustive", "cp-sat"):
        with pytest.raises(ObjectiveError, match="objective broken returned a cost"):
            solve(problem, broken, optimizer, evaluations=30)


@pytest.mark.parametrize("bound", ["--bound", "--no-bound"])
@pytest.mark.parametrize("name", ["nan", "raising", "text"])
def test_the_command_for_a_round_tells_it_in_one_line(run, folder, monkeypatch, name, bound):
    """Exit code 2, nothing on standard output."""
    monkeypatch.chdir(folder)
    problem = random_round(9)
    write_round(folder / "round.json", problem)
    code, out, err = run("round", "round.json", "--objective", f"mine.py:{name}", "--evaluations", 10, bound)
    assert (code, out) == (2, "")
    assert re.fullmatch(f"planbatch: {said('objective', name, problem)}", err.splitlines()[-1])


@pytest.mark.integration
@pytest.mark.parametrize("jobs", [1, 2])
def test_other_cells_of_a_comparison_are_finished(run, own_folder, jobs):
    """In this process, and in two."""
    objectives, orders = (("nan", "dividing", "plain_raising", "array"), ("key_nan", "key_raising", "key_text"))
    words = [f"plan:mine.py:{name},evaluations=5" for name in objectives]
    words += [f"easy:mine.py:{name}" for name in orders]
    policies = [word for name in ("easy", *words) for word in ("--policy", name)]
    assert run("workload", "generate", "log.swf", "--count", 150, "--capacity", 16)[0] == 0
    code, out, err = run("compare", "log.swf", *policies, "--no-out", "--json", "--jobs", jobs)
    assert code == 1, err
    assert [row["policy"] for row in json.loads(out)["results"]] == ["easy"]
    for kind, names in (("objective", objectives), ("order", orders)):
        for name in names:
            assert re.search(f"no result: [^\n]*Error: {said(kind, name)}", err), err


@pytest.mark.integration
@pytest.mark.parametrize("jobs", [1, 2])
def test_other_searches_of_a_comparison_of_rounds_are_finished(run, own_folder, jobs):
    """Each failure has its row."""
    names = ("nan", "raising", "text")
    problem = random_round(9)
    write_round(own_folder / "round.json", replace(problem, now=problem.now))
    objectives = [word for name in ("wait", *(f"mine.py:{n}" for n in names)) for word in ("--objective", name)]
    _, out, _ = run("rounds", "compare", "round.json", *objectives, "--optimizer", "annealing",
                    "--evaluations", 5, "--no-curves", "--json", "--jobs", jobs)  # fmt: skip
    rows = {row["objective"]: row for row in json.loads(out)["rows"]}
    assert rows["wait"]["status"] != "failed"
    for name in names:
        assert re.match(f"ObjectiveError: {said('objective', name, problem)}", rows[name]["error"])


@pytest.mark.parametrize("text", ["cheap", "5"])
def test_a_text_is_no_cost_in_machine_code_either(text):
    """Not even one that float() reads."""
    with pytest.raises(ObjectiveError, match="returned str, not a number"):
        solve(random_round(6), lambda _start, _jobs, _now: text)
