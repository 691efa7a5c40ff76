"""The layers: what each package may import, read from the imports themselves."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
#: From left to right; each imports itself and what stands to its left.
LAYERS = ("planner", "objectives", "baselines", "experiments")
#: What only experiments may import: everything that touches files, processes and people.
OUTSIDE = {
    "joblib",
    "click",
    "rich",
    "pandas",
    "matplotlib",
    "requests",
    "pyarrow",
    "tqdm",
    "zstandard",
}
#: What would let a module read or write anything but its arguments.
INPUT_OUTPUT = {"io", "json", "csv", "logging", "socket", "subprocess", "tempfile", "urllib"}
#: ``native`` names the folder of the compiled kernels, the one thing on disk that planner knows of.
KNOWS_FILES = {"planner/native.py"}


def modules(*packages: str) -> list[Path]:
    """List the source files of packages."""
    return [path for package in packages for path in sorted((ROOT / package).rglob("*.py"))]


def imported(path: Path) -> Iterator[str]:
    """Name every module that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import hides its layer"
            yield node.module or ""


def named(path: Path) -> str:
    """Name a file in messages."""
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", modules(*LAYERS), ids=named)
def test_imports_go_left_only(path):
    """No package imports what stands to its right, least of all the tests."""
    layer = LAYERS.index(path.relative_to(ROOT).parts[0])
    forbidden = {*LAYERS[layer + 1 :], "tests"}
    assert {name for name in imported(path) if name.split(".")[0] in forbidden} == set()


@pytest.mark.parametrize("path", modules(*LAYERS[:3]), ids=named)
def test_only_experiments_touch_files_processes_and_people(path):
    """Terminal, pictures, tables and processes stay out of the core."""
    assert {name for name in imported(path) if name.split(".")[0] in OUTSIDE} == set()


@pytest.mark.parametrize("path", modules("planner", "objectives"), ids=named)
def test_planner_does_no_input_or_output(path):
    """No modules for files, no ``open``, no ``print``."""
    if named(path) in KNOWS_FILES:
        return
    forbidden = INPUT_OUTPUT | {"os", "pathlib", "shutil"}
    assert {name for name in imported(path) if name.split(".")[0] in forbidden} == set()
    names = {
        node.id
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Name)
    }
    assert names.isdisjoint({"open", "print", "input"})


def test_help_needs_no_heavy_modules():
    """``planbatch --help`` answers at once, since the command line imports next to nothing."""
    top = set(imported(ROOT / "experiments" / "cli.py"))
    assert {name for name in top if name.split(".")[0] not in sys.stdlib_module_names} == {"click"}
