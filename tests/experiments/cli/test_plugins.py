"""Users' own objectives, orders, optimizers, policies and metrics from the command line and in TOML files."""

import json
import re

import pytest

pytestmark = pytest.mark.integration

MINE = """\
import numpy as np

def total_wait(start, jobs, now, power=1.0):
    total = 0.0
    for i in range(len(start)):
        total += float(start[i] - jobs.submit[i]) ** power
    return total / len(start)

def wfp3(jobs, now):
    return -(((now - jobs.submit) / jobs.walltime) ** 3) * jobs.procs

def swaps(search, rng):
    while True:
        order = search.order.copy()
        i, j = rng.integers(len(order), size=2)
        order[[i, j]] = order[[j, i]]
        search.evaluate(order)

def unlucky(problem, rng):
    return 1 / 0

def late(jobs, limit=3600):
    return (jobs["wait"] > limit).mean()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Give an empty folder, but for the user's file, as the current one."""
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def generated(run, jobs="150"):
    words = ("log.swf", "--count", jobs, "--capacity", "32")
    code, _, err = run("workload", "generate", *words)
    assert code == 0, err
    return "log.swf"


@pytest.mark.integration
def test_everything_of_the_users_own_is_compared(run, folder):
    """The own objective costs what the built-in does, so its plans are the same; a policy that fails costs nothing."""
    log = generated(run)
    policies = ("easy:mine.py:wfp3", "plan-wait", "plan:mine.py:total_wait", "mine.py:unlucky",
                "plan:mine.py:total_wait:power=2,evaluations=20")  # fmt: skip
    words = [word for name in policies for word in ("--policy", name)]
    metrics = ["--metric", "mine.py:late", "--metric", "p99-wait", "--metric", "mine.py:late:limit=0"]
    code, out, err = run("compare", log, *words, *metrics, "--no-out", "--json", "--jobs", "2")
    assert code == 1
    assert "no result: unlucky: ZeroDivisionError: division by zero" in err
    assert "mine.py, line 20" in err
    rows = {row["policy"]: row for row in json.loads(out)["results"]}
    names = "easy:wfp3 plan-wait plan-total-wait plan-total-wait:power=2,evaluations=20"
    assert list(rows) == names.split()
    built_in, own = rows["plan-wait"], rows["plan-total-wait"]
    for name in ("mean_wait", "max_wait", "late", "p99-wait", "late:limit=0"):
        assert own[name] == built_in[name]


def test_an_experiment_names_the_users_own_beside_its_file(run, folder, monkeypatch):
    """Paths are relative to the file; the metrics are columns of the table and of summary.csv."""
    log = generated(run)
    (folder / "grid.toml").write_text(
        'metrics = ["mine.py:late", "no-wait"]\nseeding = "plain"\n'
        f'[[workload]]\nsource = "{log}"\n'
        '[[policy]]\nname = ["easy:mine.py:wfp3", "plan"]\nobjective = ["wait", "mine.py:total_wait"]\n'
        'evaluations = 20\noptimizer = ["annealing:cooling=0.8"]\n'
    )
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    code, out, err = run("experiment", "run", "../grid.toml", "--out", "out", "--metric", "p99-wait", "--jobs", "2")
    assert code == 0, err
    assert "late" in out
    header, *rows = (folder / "elsewhere/out/summary.csv").read_text().splitlines()
    assert header.endswith("late,no-wait,p99-wait")
    assert len(rows) == 3
    names = [row.split(",")[2] for row in rows]
    assert names == ["easy:wfp3", "plan-wait", "plan-total-wait"]
    assert rows[1].split(",")[13:] == rows[2].split(",")[13:]  # the same plans, so the same figures


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('name = "mine.py:nothing"', "grid.toml, line 3: .*mine.py: there is no 'nothing'; it defines"),
        ('name = "easy:mine.py:total_wait"', "grid.toml, line 3: .*used as order takes"),
        ('name = "plan"\nobjective = "mine.py:wfp3"', "grid.toml, line 4: .*used as objective takes"),
        ('name = "plan-wait"\noptimizer = "tabu:steps=3"', "grid.toml, line 4: tabu: there is no parameter steps"),
    ],
)
def test_a_fault_in_a_file_has_its_line(run, folder, line, message):
    (folder / "grid.toml").write_text(f"[[workload]]\n[[policy]]\n{line}\n")
    code, _, err = run("experiment", "run", "grid.toml")
    assert code == 2
    assert re.search(message, err), err


def test_optimizers_of_the_users_own_are_compared_on_rounds(run, folder):
    """On two processes, beside a built-in one with parameters."""
    log = generated(run, "400")
    code, out, err = run("rounds", "capture", log, "--sizes", "8,12", "--per-size", "2", "--json")
    assert code == 0, err
    files = json.loads(out)["files"]
    words = "--optimizer mine.py:swaps --optimizer tabu:neighbours=4 --objective mine.py:total_wait "
    words += "--evaluations 50 --jobs 2 --no-curves --json"
    code, out, err = run("rounds", "compare", *files, *words.split())
    assert code == 0, err
    rows = json.loads(out)["rows"]
    assert {row["optimizer"] for row in rows} == {"swaps", "tabu:neighbours=4"}
    assert len(rows) == 2 * len(files)
    code, out, err = run("round", files[0], "--optimizer", "mine.py:swaps", "--objective", "mine.py:total_wait:power=2",
                         "--evaluations", "20", "--json")  # fmt: skip
    assert code == 0, err
    assert json.loads(out)["cost"] >= 0


@pytest.mark.parametrize("kind", ["policies", "orders", "objectives", "optimizers", "metrics"])
def test_list_shows_what_there_is(run, kind):
    """For people and for programs; how to bring one's own stands below."""
    code, out, _ = run("list", kind, "--json")
    assert code == 0
    entries = json.loads(out)[kind]
    assert all(entry["about"] for entry in entries)
    code, out, _ = run("list", kind)
    assert code == 0
    assert all(entry["name"] in out for entry in entries)
    assert "FILE.py:NAME" in out


def test_the_documented_defaults_are_those_of_the_code(run):
    _, out, _ = run("list", "optimizers", "--json")
    parameters = {entry["name"]: entry["parameters"] for entry in json.loads(out)["optimizers"]}
    assert "cooling=0.9" in parameters["annealing"]
    assert parameters["tabu"] == ["neighbours=12", "tenure=0.25"]


@pytest.mark.filterwarnings("default::planbatch.planner.registry.objective.PlainPythonWarning")
def test_a_plain_function_is_said_to_be_slow(run, folder):
    """Once, with the line; the results are there all the same."""
    log = generated(run, "60")
    (folder / "mine.py").write_text(
        "def cost(start, jobs, now):\n    return float(sum({'a': 1, 2: 3} and (start - jobs.submit).tolist()))\n"
    )
    code, _, err = run("compare", log, "--policy", "plan:mine.py:cost,evaluations=5", "--no-out")
    assert code == 0, err
    assert err.count("runs as plain Python") == 1, err
    assert "mine.py, line 2" in err
