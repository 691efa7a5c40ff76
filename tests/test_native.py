"""Where compiled kernels are kept."""

import ast
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.dispatcher import Dispatcher

from planner import native

ROOT = Path(native.__file__).resolve().parent.parent


@pytest.fixture
def tree(tmp_path):
    """Give a source tree of two packages."""
    for package in ("planner", "objectives"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "one.py").write_text("x = 1\n")
    return tmp_path


def test_the_state_of_the_source_is_stable(tree):
    """Looking at it changes nothing; neither does a file that is no source."""
    before = native._source_state(tree)
    (tree / "planner" / "notes.txt").write_text("nothing")
    (tree / "elsewhere.py").write_text("nothing")
    assert native._source_state(tree) == before


@pytest.mark.parametrize("change", ["text", "time", "new", "gone", "below"])
def test_any_change_of_the_source_changes_the_folder(tree, change):
    """A stale kernel can never be run: every file counts, wherever it stands."""
    before = native._source_state(tree)
    file = tree / "objectives" / "one.py"
    if change == "text":
        file.write_text("x = 1 + 1\n")
    elif change == "time":
        os.utime(file, ns=(1, 1))
    elif change == "new":
        (tree / "planner" / "two.py").write_text("")
    elif change == "gone":
        file.unlink()
    else:
        (tree / "planner" / "deep").mkdir()
        (tree / "planner" / "deep" / "two.py").write_text("")
    assert native._source_state(tree) != before


def test_another_version_of_numba_has_another_folder(tree, monkeypatch):
    """Its compiled code is not ours."""
    before = native._source_state(tree)
    monkeypatch.setattr(native.numba, "__version__", "0.0.1")
    assert native._source_state(tree) != before


def test_the_newest_stale_kernels_are_kept(tmp_path, monkeypatch):
    """Other checkouts may be running; of the others, the oldest go."""
    monkeypatch.setattr(native, "user_cache_path", lambda name: tmp_path / name)
    current = native.cache_folder()
    for age in range(6):
        folder = current.with_name(f"state-{age}")
        folder.mkdir(parents=True)
        os.utime(folder, (1000 - age, 1000 - age))
    current.mkdir()
    os.utime(current, (1, 1))
    native.drop_stale_kernels(keep=4)
    left = sorted(path.name for path in current.parent.iterdir())
    assert left == sorted([current.name, "state-0", "state-1", "state-2", "state-3"])


def test_nothing_to_drop_is_no_error(tmp_path, monkeypatch):
    """On a fresh machine there is no folder."""
    monkeypatch.setattr(native, "user_cache_path", lambda name: tmp_path / "none")
    native.drop_stale_kernels()


@pytest.mark.parametrize("chosen", [True, False])
def test_numba_uses_the_folder_unless_the_user_chose_another(chosen, tmp_path):
    """NUMBA_CACHE_DIR wins."""
    code = (
        "import planner.native as n, numba; print(numba.config.CACHE_DIR); print(n.cache_folder())"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("NUMBA_CACHE_DIR", None)
    if chosen:
        environment["NUMBA_CACHE_DIR"] = str(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    used, ours = done.stdout.split()
    assert used == (str(tmp_path) if chosen else ours)


def test_every_kernel_is_decorated_by_the_same_decorator():
    """In the packages, nobody calls njit without keeping the compiled code."""
    for package in (*native.PACKAGES, "experiments"):
        for path in (ROOT / package).rglob("*.py"):
            assert "@njit" not in path.read_text(), path


@pytest.mark.parametrize(
    "name", ["experiments.event_loop", "experiments.bench.measure", "experiments.bench.reference"]
)
def test_kernels_of_experiments_call_none_in_another_file_of_experiments(name):
    """The folder of compiled kernels does not change with their sources, which numba looks at file by file."""
    module = importlib.import_module(name)
    own = [f for f in vars(module).values() if isinstance(f, Dispatcher) and f.__module__ == name]
    assert own
    for kernel in own:
        for called in map(vars(module).get, kernel.py_func.__code__.co_names):
            if isinstance(called, Dispatcher):
                assert called.__module__ == name or not called.__module__.startswith("experiments")


def test_these_are_all_files_of_experiments_with_kernels():
    """Those that the test above looks at."""
    decorated = re.compile(r"^@(borrowing_)?kernel", re.MULTILINE)
    paths = (ROOT / "experiments").rglob("*.py")
    found = {path.name for path in paths if decorated.search(path.read_text())}
    assert found == {"event_loop.py", "measure.py", "reference.py"}


#: What numba compiles without reference counting, too.
WITHOUT_COUNTING = ("np.searchsorted",)


def borrowing_kernels():
    """Yield the kernels that count no references, as syntax trees."""
    for package in (*native.PACKAGES, "experiments"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef) and any(
                    "borrowing_kernel" in ast.unparse(line) for line in node.decorator_list
                ):
                    yield path, node


def test_kernels_that_count_no_references_call_no_method_of_an_array():
    """``min`` would be compiled without reference counting as well, which fails.

    That shows only where no other kernel of the process had it compiled before, so that what is
    tested first decides whether a test would notice.
    """
    found = list(borrowing_kernels())
    assert len(found) > 20
    calls = [
        f"{path.name}, {kernel.name}: {ast.unparse(call)}"
        for path, kernel in found
        for call in ast.walk(kernel)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func) not in WITHOUT_COUNTING
    ]
    assert calls == []
