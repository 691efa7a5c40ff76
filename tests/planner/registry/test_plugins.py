"""Users' own files: found, compiled, named, digested and sent to other processes."""

import os
import re
import subprocess
import sys
import textwrap
from importlib import import_module

import numpy as np
import pytest

from planbatch.baselines.catalogue import POLICY_NAMES, make_policy
from planbatch.experiments.replay.identity import content_digest
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.runs.task import pack
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives import make_objective
from planbatch.planner.objective import Objective
from planbatch.planner.optimizers import make_optimizer
from planbatch.planner.orders.catalogue import ORDERS, as_order, order_by
from planbatch.planner.registry.compiling import can_compile
from planbatch.planner.registry.objective import PlainPythonWarning, as_objective
from planbatch.planner.registry.source import PluginError, content_digest_of
from planbatch.planner.solve import solve
from tests.builders import random_round

needs_numba = pytest.mark.skipif(not can_compile(), reason="needs numba")

MINE = '''
import numpy as np
from beside import SCALE

def total_wait(start, jobs, now, power=1.0):
    """Σ waitᵢ ** power."""
    total = 0.0
    for i in range(len(start)):
        total += float(start[i] - jobs.submit[i]) ** power
    return total * SCALE

def plain(start, jobs, now):
    return float(sum({"a": 1, 2: object()} and (start - jobs.submit).tolist()))

def capped(*, cap: float = 60.0):
    def cost(start, jobs, now):
        return np.minimum(start - jobs.submit, cap).sum()
    return cost

def by_walltime(jobs, now):
    return jobs.walltime

def two(start, jobs):
    return 0.0

def two_more(search, rng, budget):
    pass

class Swaps:
    """Swap two jobs."""
    def __init__(self, often: int = 3, name: str = "swaps"):
        self.often, self.name = often, name
    def supports(self, objective):
        return True
    def optimize(self, problem, objective, budget, rng):
        from planbatch.planner.optimizers import FunctionOptimizer
        return FunctionOptimizer(swap, (self.often,)).optimize(problem, objective, budget, rng)

def swap(search, rng, often=3):
    for _ in range(often):
        order = search.order.copy()
        i, j = rng.integers(len(order), size=2)
        order[[i, j]] = order[[j, i]]
        search.evaluate(order)

def now_or_never(problem, rng, reverse=False):
    from planbatch.planner.decoder import decode
    order = np.arange(len(problem))
    return decode(problem, order[::-1].copy() if reverse else order)
'''


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Give the path of a user's file, from an empty folder."""
    (tmp_path / "mine.py").write_text(textwrap.dedent(MINE))
    (tmp_path / "beside.py").write_text("SCALE = 1.0\n")
    monkeypatch.chdir(tmp_path)
    yield tmp_path / "mine.py"
    sys.modules.pop("beside", None)


@needs_numba
def test_a_plain_function_becomes_a_compiled_objective(mine):
    """With its parameters, a name for tables, and the cost that Python computes."""
    objective = make_objective("mine.py:total_wait:power=2")
    assert objective.compiled
    assert objective.name == "total-wait:power=2"
    problem = random_round(6, seed=1)
    start = problem.now + np.arange(6)
    waits = (start - problem.jobs.submit).astype(float)
    assert objective.cost(start, problem.jobs, problem.now) == (waits**2).sum()
    assert make_objective("mine.py:total_wait").name == "total-wait"
    assert make_objective("mine.py:total_wait").cost is make_objective("mine.py:total_wait").cost


@needs_numba
def test_what_numba_cannot_compile_runs_in_python_and_says_so(mine):
    """The file, the line and the reason."""
    with pytest.warns(PlainPythonWarning, match=r"objective plain runs as plain Python.*line \d+"):
        objective = make_objective("mine.py:plain")
    assert not objective.compiled
    problem = random_round(5, seed=2)
    assert solve(problem, objective, "greedy").cost == solve(problem, "mine.py:total_wait").seed_cost


@needs_numba
def test_a_function_of_the_session_is_compiled_too():
    """As one in a file; an Objective stays as it is."""

    def last_start(start, jobs, now):
        return float(start.max() - now)

    assert as_objective(last_start).compiled
    assert as_objective(last_start).name == "last-start"
    assert not as_objective(Objective("mine", last_start)).compiled


@needs_numba
def test_a_function_that_numba_has_compiled_is_compiled_for_the_core():
    """Alone, and in an Objective: the core would have to call it through Python."""
    from numba import njit

    @njit
    def last_start(start, jobs, now):
        return float(start.max() - now)

    problem = random_round(6, seed=1)
    for form in (last_start, Objective("mine", last_start)):
        objective = as_objective(form)
        assert objective.compiled
        assert objective.cost(problem.now + np.arange(6), problem.jobs, problem.now) == 5.0


def test_makers_make_objectives(mine):
    """A function that can be called with names alone is a maker; what it returns is the objective."""
    objective = make_objective("mine.py:capped:cap=10")
    assert objective.compiled == can_compile()
    assert objective.name == "capped:cap=10"
    problem = random_round(5, seed=3)
    assert objective.cost(problem.jobs.submit + 99, problem.jobs, problem.now) == 50


def test_an_order_may_return_whole_numbers(mine):
    """It puts a queue into the order of the built-in one."""
    problem = random_round(20, seed=4)
    mine_first = order_by("mine.py:by_walltime", problem.jobs, problem.now)
    assert mine_first.tolist() == order_by("shortest", problem.jobs, problem.now).tolist()
    workload = synthetic_workload(jobs=80, capacity=32)
    policy = make_policy("easy:mine.py:by_walltime")
    assert policy.name == "easy:by-walltime"
    assert (replay(workload, policy).start == replay(workload, "easy:shortest").start).all()
    assert as_order(ORDERS["shortest"]) is ORDERS["shortest"]


def test_own_optimizers_are_classes_or_functions(mine):
    """Both stay within the budget and are never worse than the best first plan."""
    problem = random_round(12, seed=5)
    for name in ("mine.py:Swaps:often=50", "mine.py:swap:often=50", "mine.py:swap"):
        optimizer = make_optimizer(name)
        result = solve(problem, "wait", optimizer, evaluations=30)
        assert result.cost <= result.seed_cost
        assert result.evaluations <= 30
    assert make_optimizer("mine.py:Swaps:often=50").name == "Swaps:often=50"
    assert make_optimizer("mine.py:swap").name == "swap"
    assert make_optimizer("mine.py:Swaps").name == "swaps"


def test_own_policies_take_parameters(mine):
    """A plan-based one takes an own objective and an own optimizer by name."""
    workload = synthetic_workload(jobs=40, capacity=16)
    assert (replay(workload, "mine.py:now_or_never").start == replay(workload, "replanned").start).all()
    other = make_policy("mine.py:now_or_never:reverse=yes")
    assert (replay(workload, other).start != replay(workload, "replanned").start).any()
    policy = make_policy("plan:mine.py:total_wait,optimizer=mine.py:swap,evaluations=7", seconds=1.0)
    assert policy.name == "plan-total-wait:optimizer=swap,evaluations=7"
    assert (policy.budget.evaluations, policy.budget.seconds) == (7, None)


def test_the_key_follows_the_content_of_the_files(mine):
    """Neither the folder nor the time counts; an edit of the file or of one beside it does."""
    keys = []
    compiled = content_digest(make_policy("plan:mine.py:total_wait"))
    for edit in (None, "touch", "moved", "file", "beside"):
        if edit == "touch":
            os.utime(mine, (1, 1))
        if edit == "moved":
            (mine.parent / "sub").mkdir()
            for name in ("mine.py", "beside.py"):
                (mine.parent / "sub" / name).write_text((mine.parent / name).read_text())
        if edit == "file":
            mine.write_text(mine.read_text().replace("start[i] - jobs", "1 + start[i] - jobs"))
        if edit == "beside":
            (mine.parent / "beside.py").write_text("SCALE = 2.0\n")
            sys.modules.pop("beside")
        place = "sub/mine.py" if edit == "moved" else "mine.py"
        keys.append(content_digest(make_policy(f"easy:{place}:by_walltime")))
    assert keys[0] == keys[1] == keys[2]
    assert content_digest(make_policy("plan:mine.py:total_wait")) != compiled
    assert len(set(keys)) == 3


def test_the_key_of_what_was_imported_follows_its_files(tmp_path, monkeypatch):
    """A function in a package of the user's: an edit of its module counts, and of one that this imports."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "hers").mkdir()
    costs, beside = "from hers.beside import SCALE\n\ndef cost(start, jobs, now): ...\n", "SCALE = 1\n"
    keys = []
    for edits in ({}, {"beside": "SCALE = 2\n"}, {"costs": costs + "# edited\n"}, {}):
        for name, text in ({"__init__": "", "costs": costs, "beside": beside} | edits).items():
            (tmp_path / "hers" / f"{name}.py").write_text(text)
        keys.append(content_digest_of(import_module("hers.costs").cost))
    for name in ("hers.costs", "hers.beside", "hers"):
        monkeypatch.delitem(sys.modules, name)
    assert keys[0] == keys[3]
    assert len(set(keys)) == 3


@pytest.mark.integration
def test_another_process_gets_the_text_of_the_file(mine, tmp_path):
    """It needs no file, and gives the same result."""
    workload = synthetic_workload(jobs=60, capacity=32)
    policy = make_policy("plan:mine.py:total_wait:power=2,evaluations=20")
    (tmp_path / "policy").write_bytes(pack((workload, policy, replay(workload, policy).start)))
    mine.unlink()
    (tmp_path / "beside.py").rename(tmp_path / "elsewhere.py")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "beside.py").write_text("SCALE = 1.0\n")
    code = (
        "import sys; from planbatch.experiments.runs.task import unpack\n"
        "from planbatch.experiments.replay.replay import replay\n"
        "w, p, start = unpack(open(sys.argv[1], 'rb').read())\n"
        f"assert p.objective.compiled is {can_compile()}; print(bool((replay(w, p).start == start).all()))"
    )
    process = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "policy")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(tmp_path / "sub")])},
        cwd="/", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.stdout.strip() == "True", process.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plan:mine.py:two", r"mine.py, line \d+: two\(start, jobs\): a function used as objective takes "
                             r"\(start, jobs, now\)"),
        ("plan:mine.py:nothing", "mine.py: there is no 'nothing'; it defines Swaps, by_walltime, capped"),
        ("plan:nowhere.py:cost", "nowhere.py: it cannot be read"),
        ("plan:no.such.module:cost", "no.such.module: there is no such module"),
        ("plan:broken.py:cost", r"broken.py: line 2: ZeroDivisionError: division by zero"),
        ("plan:wrong.py:cost", r"wrong.py: line 1: SyntaxError"),
        ("plan:mine.py:total_wait:pwer=2", "there is no parameter pwer; total_wait takes power=1.0"),
        ("plan:mine.py:total_wait,optimizer=mine.py:two_more", "a function used as optimizer takes"),
        ("esay", "did you mean easy.*FILE.py:NAME, MODULE:NAME, or an entry point in planbatch.policies"),
        ("plan", "plan: objective must be given; plan takes objective, optimizer"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_in_one_sentence(mine, name, message):
    """With the file, the line and what to do."""
    (mine.parent / "broken.py").write_text("x = 1\ny = 1 / 0\n")
    (mine.parent / "wrong.py").write_text("def cost(:\n")
    with pytest.raises(ValueError, match=message) as caught:
        make_policy(name)
    assert "\n" not in str(caught.value)


@needs_numba
def test_an_own_kernel_with_a_fault_is_refused(mine):
    """Numba's pages become the line and the reason."""
    mine.write_text("from numba import njit\n@njit\ndef cost(start, jobs, now):\n    return jobs.colour\n")
    with pytest.raises(PluginError, match=r"it cannot be compiled: .*mine.py, line 4: "):
        make_objective("mine.py:cost")


PACKAGE = """
import numpy as np

def wide(jobs, now):
    return -jobs.procs

def late(problem, rng):
    "Late."
"""
USE = """
from planbatch.baselines import make_policy
from planbatch.baselines.catalogue import POLICY_NAMES
from planbatch.planner.orders.catalogue import ORDER_NAMES

names = POLICY_NAMES.names(), ORDER_NAMES.names()
print(make_policy("late").__name__, make_policy("easy:wide").name, "late" in names[0], names[1][-1])
for name in ("lost", "lat"):
    try:
        make_policy(name)
    except ValueError as error:
        print(error)
"""


@pytest.mark.integration
def test_packages_register_names(tmp_path):
    """An installed package's entry points are names among the others; one that cannot be loaded says so."""
    (tmp_path / "pack.py").write_text(PACKAGE)
    metadata = tmp_path / "pack-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: pack\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[planbatch.policies]\nlate = pack:late\nlost = pack:lost\n\n[planbatch.orders]\nwide = pack:wide\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", USE], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
    )  # fmt: skip
    first, lost, misspelt = process.stdout.splitlines() or [process.stderr] * 3
    assert first == "late easy:wide True wide"
    assert lost.startswith("policy lost: pack:lost cannot be loaded: AttributeError")
    assert "did you mean late" in misspelt


def test_all_that_is_listed_can_be_made():
    """Every name has a line, and every default is what its parameter reads."""
    for name, parameters, about in POLICY_NAMES.entries():
        assert about, name
        assert not about.endswith("."), name
        assert not re.search(r":\w+:`", about), name
        for parameter in parameters:
            if isinstance(parameter.default, int | float | bool):
                assert parameter.read(str(parameter.default)) == parameter.default


SESSION = """
from planbatch.experiments.replay.identity import content_digest
from planbatch.baselines import PlanBased
SCALE = {scale}
UNUSED = {unused}

def helper(x):
    return x * SCALE + {constant}

def cost(start, jobs, now):
    return helper(float((start - jobs.submit).sum()))

print(content_digest(PlanBased(cost)))
"""


@pytest.mark.integration
def test_the_key_of_a_function_of_a_script_follows_what_it_uses(tmp_path):
    """Helpers and constants of the script count; what the function does not use does not."""
    script, keys = tmp_path / "script.py", []
    for scale, unused, constant in ((1, 1, 1), (1, 2, 1), (2, 1, 1), (1, 1, 2)):
        script.write_text(SESSION.format(scale=scale, unused=unused, constant=constant))
        process = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        keys.append(process.stdout)
    assert keys[0] == keys[1]
    assert len({keys[0], keys[2], keys[3]}) == 3
