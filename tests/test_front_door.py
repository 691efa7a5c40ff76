"""The front door: names that the packages offer, imported when they are used, the same from everywhere."""

import importlib
import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import cloudpickle
import pytest

import planbatch

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ["planner", "objectives", "baselines", "experiments"]


def answer(code: str, *flags: str) -> str:
    """Run code in a new process in the root of the repository, and return what it prints."""
    done = subprocess.run([sys.executable, *flags, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", planbatch.__all__)
def test_every_name_is_there_and_no_module(name):
    """Each name leads to what its module defines, and the top offers the same object."""
    (package,) = (
        module
        for module in (importlib.import_module(f"planbatch.{package}") for package in PACKAGES)
        if name in module.__all__
    )
    assert getattr(package, name) is getattr(planbatch, name)
    assert not isinstance(getattr(planbatch, name), ModuleType)
    assert name in dir(package)


@pytest.mark.integration
@pytest.mark.parametrize(("words", "text"), [(["--help"], "Look up:"), (["list", "--help"], "of a KIND")])
def test_the_command_and_the_packages_import_neither_numba_nor_pandas(words, text):
    """``planbatch --help`` and ``planbatch list --help`` answer at once, and so does ``import planbatch``."""
    code = f"""
        import sys
        from planbatch import baselines, experiments, objectives, planner
        sys.argv = ["planbatch", *{words}]
        import runpy
        try:
            runpy.run_module("planbatch", run_name="__main__")
        except SystemExit:
            pass
        heavy = {{"numba", "numpy", "pandas", "matplotlib", "ortools"}}
        print(sorted(heavy & set(sys.modules)))
    """
    printed = answer("import textwrap; exec(textwrap.dedent('''" + code + "'''))")
    assert text in printed
    assert printed.endswith("[]")


@pytest.mark.integration
@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("planbatch.experiments.replay", "planbatch.experiments.replay.metrics"),
        ("planbatch.planner.solve", "planbatch.planner.solve"),
    ],
)
@pytest.mark.parametrize("first", ["name", "module"])
def test_a_function_wins_over_a_module_of_its_name(name, module, first):
    """Whatever was imported before, and modules below the one of this name stay importable."""
    package, _, function = name.rpartition(".")
    lines = [f"from {package} import {function} as one", f"import importlib; importlib.import_module('{module}')"]
    if first == "module":
        lines.reverse()
    lines += [f"from {package} import {function} as other", f"import sys; from {module} import __name__ as deep"]
    lines += [f"print(callable(one), one is other, deep == '{module}', type(sys.modules['{name}']).__name__)"]
    assert answer("\n".join(lines)) == "True True True module"


@pytest.mark.integration
def test_a_replay_loads_no_data_frames():
    """Nor figures, settings, solvers, a compiler or what reads logs: what a replay does not need, it does not load."""
    code = """
        import sys
        import planbatch as pb
        pb.replay(pb.Workload("one", 4, [1], [0], [1], [5], [5]), "easy")
        unneeded = {"pandas", "matplotlib", "pydantic", "ortools", "numba", "planbatch.experiments.workloads.load"}
        print(sorted(unneeded & set(sys.modules)))
    """
    assert answer("import textwrap; exec(textwrap.dedent('''" + code + "'''))") == "[]"


@pytest.mark.integration
@pytest.mark.parametrize(
    ("package", "name"),
    [("planner", "Round"), ("objectives", "OBJECTIVES"), ("baselines", "PlanBased"), ("experiments", "replay")],
)
def test_from_the_checkout_the_short_name_leads_to_the_same_objects(package, name):
    """``from planner import Round`` in the root of the repository."""
    code = f"""from {package} import {name} as short
from planbatch.{package} import {name} as long
from planbatch import {name} as top
print(short is long is top)"""
    assert answer(code) == "True"


def test_an_unknown_name_is_an_attribute_error():
    """As for any module; ``hasattr`` and tools rely on it."""
    with pytest.raises(AttributeError, match=r"'planbatch.planner' has no attribute 'Rounds'"):
        getattr(planbatch.planner, "Rounds")  # noqa: B009 (for its error)


def test_a_star_gives_all_names():
    """As type checkers read it."""
    names: dict[str, object] = {}
    exec("from planbatch.objectives import *", names)
    assert set(planbatch.objectives.__all__) <= names.keys()


def test_functions_that_use_the_package_travel_to_other_processes():
    """A user's function holds ``import planbatch as pb``; cloudpickle sends it with its globals."""
    names = {"pb": planbatch, "__name__": "__main__"}
    exec("def waiting(problem): return pb.NEVER", names)
    copies = pickle.loads(cloudpickle.dumps(names["waiting"]))
    assert copies(None) == planbatch.NEVER
