"""Who may import whom: planner ← objectives ← baselines ← experiments ← tests."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("planner", "objectives", "baselines", "experiments", "tests")
#: Libraries for files, processes and people.
OUTER_LIBRARIES = {
    "joblib",
    "click",
    "rich",
    "pandas",
    "matplotlib",
    "requests",
    "pyarrow",
    "zstandard",
}
#: What a planner has no business with.
INPUT_AND_OUTPUT = {
    "asyncio", "csv", "gzip", "http", "io", "json", "logging", "lzma", "multiprocessing", "os", "pathlib",
    "pickle", "platformdirs", "shutil", "socket", "sqlite3", "subprocess", "sys", "tempfile", "urllib",
}  # fmt: skip
#: The one exception: where numba keeps its compiled code.
CACHE_OF_KERNELS = "planbatch.planner.kernels.cache"


class Import(NamedTuple):
    """One imported module; ``early`` where importing the importer imports it at once."""

    importer: str
    imported: str
    early: bool


def module_name(path: Path) -> str:
    """Give the dotted name of a source file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_typing_only(node: ast.AST) -> bool:
    """Whether a node is ``if TYPE_CHECKING:``."""
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def imports_below(node: ast.AST, importer: str, early: bool) -> Iterator[Import]:
    """Walk a tree, and remember whether an import is run at import time."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(importer, alias.name, early)
        elif isinstance(child, ast.ImportFrom):
            assert not child.level, f"{importer}: relative import"
            assert child.module is not None
            yield Import(importer, child.module, early)
            for alias in child.names:
                yield Import(importer, f"{child.module}.{alias.name}", early)
        else:
            deferred = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from imports_below(
                child, importer, early and not deferred and not is_typing_only(child)
            )


def all_imports() -> list[Import]:
    """Every import of every module, in functions too."""
    found = []
    for layer in LAYERS:
        for path in sorted((ROOT / layer).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found += imports_below(tree, module_name(path), early=True)
    return found


IMPORTS = all_imports()
MODULES = {module_name(path) for layer in LAYERS for path in (ROOT / layer).rglob("*.py")}


def top(module: str) -> str:
    """Give the package at the top."""
    return module.partition(".")[0]


def test_the_imports_are_found():
    """A test that reads nothing finds nothing wrong."""
    assert len(IMPORTS) > 300
    assert Import("planbatch.objectives.wait", "planbatch.planner.objective", True) in IMPORTS
    assert (
        Import(
            "planbatch.experiments.command.compare",
            "planbatch.experiments.comparison.compare",
            False,
        )
        in IMPORTS
    )


@pytest.mark.parametrize("layer", LAYERS)
def test_each_layer_imports_only_what_stands_to_its_left(layer):
    """An architecture that is not tested is a wish."""
    right = set(LAYERS[LAYERS.index(layer) + 1 :])
    wrong = [f"{i.importer} imports {i.imported}" for i in IMPORTS
             if top(i.importer) == layer and top(i.imported) in right]  # fmt: skip
    assert wrong == []


def test_the_planner_does_no_input_or_output():
    """Neither files nor processes nor the network; the cache of compiled kernels is the exception."""
    wrong = [f"{i.importer} imports {i.imported}" for i in IMPORTS
             if top(i.importer) in ("planner", "objectives", "baselines") and i.importer != CACHE_OF_KERNELS
             and top(i.imported) in INPUT_AND_OUTPUT]  # fmt: skip
    assert wrong == []


def test_the_planner_neither_prints_nor_opens_files():
    """Whatever a planner has to say, it returns."""
    for layer in ("planner", "objectives", "baselines"):
        for path in (ROOT / layer).rglob("*.py"):
            called = {
                node.func.id
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            }
            assert not called & {"print", "open", "input"}, path


def test_only_experiments_import_libraries_for_files_processes_and_people():
    """joblib, click, rich, pandas, matplotlib, requests."""
    wrong = [f"{i.importer} imports {i.imported}" for i in IMPORTS
             if top(i.imported) in OUTER_LIBRARIES
             and top(i.importer) not in ("experiments", "tests")]  # fmt: skip
    assert wrong == []


def test_only_cpsat_imports_the_solver():
    """The optimizer, and its windows for large neighbourhood search; everything else goes through their interfaces."""
    importers = {i.importer for i in IMPORTS if top(i.imported) == "ortools"}
    allowed = {
        "planbatch.planner.optimizers.cpsat.optimizer",
        "planbatch.planner.optimizers.cpsat.window",
    }
    assert {name for name in importers if top(name) != "tests"} <= allowed


def test_no_module_imports_itself_through_others():
    """What is imported at import time has no cycles."""
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for importer, imported, early in IMPORTS:
        if early and imported in MODULES and imported != importer:
            graph[importer].add(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"import cycle: {' ← '.join(error.args[1])}")
