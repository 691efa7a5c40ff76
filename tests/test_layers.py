"""Who may import whom: layers of packages. Imports in functions and for type checkers count."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("planner", "objectives", "baselines", "experiments", "tests")
#: The packages of ``experiments`` in layers: each imports only from the layers above, never from its own.
LAYERS_OF_EXPERIMENTS = (
    ("common",),
    ("workloads",),
    ("replay",),
    ("runs",),
    ("rounds", "studies"),
    ("live",),
    ("figures",),
    ("report",),
    ("reproduce",),
    ("cli",),
)
LAYER = {package: layer for layer, packages in enumerate(LAYERS_OF_EXPERIMENTS) for package in packages}
#: Libraries for files, processes and people.
OUTER_LIBRARIES = {"joblib", "click", "rich", "pandas", "matplotlib", "requests", "pyarrow", "zstandard"}
#: What a planner has no business with.
INPUT_AND_OUTPUT = {
    "asyncio", "csv", "gzip", "http", "io", "json", "logging", "lzma", "multiprocessing", "os", "pathlib",
    "pickle", "platformdirs", "shutil", "socket", "sqlite3", "subprocess", "sys", "tempfile", "urllib",
}  # fmt: skip
#: The exceptions: where users' own files are read, and named.
READERS = {"planner.registry.source", "planner.registry.compiling"}


class Import(NamedTuple):
    """One imported module, without the prefix ``planbatch``."""

    importer: str
    imported: str


def module_name(path: Path) -> str:
    """Give the dotted name of a source file, without the prefix ``planbatch``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path) for layer in LAYERS for path in (ROOT / layer).rglob("*.py")}


def plain(name: str) -> str:
    """Leave out the prefix of the distribution."""
    return name.removeprefix("planbatch.")


def imports_of(tree: ast.AST, importer: str) -> Iterator[Import]:
    """Find every import of a module; ``from package import module`` imports the module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(importer, plain(alias.name))
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{importer}: relative import"
            assert node.module is not None
            names = [plain(f"{node.module}.{alias.name}") for alias in node.names]
            for name in names:
                yield Import(importer, name if name in MODULES else plain(node.module))


def texts(layers: Iterable[str]) -> dict[Path, str]:
    """Every module of some layers."""
    paths = [path for layer in layers for path in sorted((ROOT / layer).rglob("*.py"))]
    return {path: path.read_text(encoding="utf-8") for path in paths}


@cache
def planner_trees() -> dict[Path, ast.Module]:
    """Every module of the planner and its policies, parsed."""
    return {path: ast.parse(text) for path, text in texts(LAYERS[:3]).items()}


@cache
def all_imports() -> list[Import]:
    """Every import of every module."""
    results: dict[Import, None] = {}
    for path, text in texts(LAYERS).items():
        results |= dict.fromkeys(imports_of(ast.parse(text), module_name(path)))
    return list(results)


def top(module: str) -> str:
    """Give the package at the top."""
    return module.partition(".")[0]


def package_of(module: str) -> str | None:
    """Give the package of a module of ``experiments``."""
    parts = module.split(".")
    return parts[1] if parts[0] == "experiments" and len(parts) > 1 else None


def listed(imports: list[Import]) -> list[str]:
    """Write imports down for people."""
    return [f"{i.importer} imports {i.imported}" for i in imports]


def test_the_imports_are_found():
    """A test that reads nothing finds nothing wrong."""
    assert len(all_imports()) > 300
    assert Import("objectives.wait", "planner.objective") in all_imports()
    assert Import("experiments.cli.compare", "experiments.studies.compare") in all_imports()
    tree = ast.parse("def f():\n from planbatch.planner import budget\nif TYPE_CHECKING:\n import x")
    assert set(imports_of(tree, "m")) == {Import("m", "planner.budget"), Import("m", "x")}


def test_each_layer_imports_only_what_stands_to_its_left():
    """An architecture that is not tested is a wish."""
    place = {layer: index for index, layer in enumerate(LAYERS)}
    ours = [i for i in all_imports() if top(i.importer) in place and top(i.imported) in place]
    assert not listed([i for i in ours if place[top(i.imported)] > place[top(i.importer)]])


def test_everything_is_imported_by_the_name_under_which_it_is_installed():
    """A second copy of a module, under its bare name, would have classes of its own."""
    pattern = re.compile(rf"^ *(?:from|import) (?:{'|'.join(LAYERS[:-1])})\b", re.MULTILINE)
    bare = [path for path, text in texts(LAYERS).items() if pattern.search(text)]
    assert bare == []


def test_every_package_has_its_layer():
    """A new folder of ``experiments`` says whom it may import."""
    packages = {package_of(module) for module in MODULES if package_of(module)}
    assert packages == set(LAYER)


def test_each_package_imports_only_from_the_layers_above():
    """Neither from a layer below nor from its own."""
    between = [(i, package_of(i.importer), package_of(i.imported)) for i in all_imports()]
    wrong = [i for i, own, other in between if own and other and own != other and LAYER[other] >= LAYER[own]]
    assert not listed(wrong)


def test_no_package_imports_experiments_as_a_whole():
    """It gives users their names, and imports every package."""
    assert not listed([i for i in all_imports() if package_of(i.importer) and i.imported == "experiments"])


def test_the_planner_does_no_input_or_output():
    """Neither files nor processes nor the network; users' own files are the exception."""
    wrong = [i for i in all_imports()
             if top(i.importer) in ("planner", "objectives", "baselines") and i.importer not in READERS
             and top(i.imported) in INPUT_AND_OUTPUT]  # fmt: skip
    assert not listed(wrong)


def test_the_planner_neither_prints_nor_opens_files():
    """Whatever a planner has to say, it returns."""
    for path, tree in planner_trees().items():
        called = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not called & {"print", "open", "input"}, path


def test_values_of_the_planner_cannot_be_changed():
    """Every dataclass below the experiments is frozen, so that it can be shared, and be a key."""
    changeable = [
        f"{path.name}: {node.name}"
        for path, tree in planner_trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for decorator in map(ast.unparse, node.decorator_list)
        if decorator.startswith("dataclass") and "frozen=True" not in decorator
    ]
    assert changeable == []


def test_only_experiments_import_libraries_for_files_processes_and_people():
    """joblib, click, rich, pandas, matplotlib, requests."""
    wrong = [i for i in all_imports()
             if top(i.imported) in OUTER_LIBRARIES and top(i.importer) not in ("experiments", "tests")]  # fmt: skip
    assert not listed(wrong)


def test_only_the_command_imports_click():
    """Everything that the command does can be done from Python, without it."""
    wrong = [i for i in all_imports() if top(i.imported) == "click" and package_of(i.importer) != "cli"]
    assert not listed([i for i in wrong if top(i.importer) != "tests"])


def test_only_cpsat_imports_the_solver():
    """The optimizer, its model and its windows; everything else goes through their interfaces."""
    importers = {i.importer for i in all_imports() if top(i.imported) == "ortools" and top(i.importer) != "tests"}
    assert {name.rpartition(".")[0] for name in importers} == {"planner.optimizers.cpsat"}


def test_no_module_imports_itself():
    """Not directly and not through others, neither at import time nor later."""
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for importer, imported in all_imports():
        if imported in MODULES:
            graph[importer].add(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"import cycle: {' ← '.join(error.args[1])}")


def test_only_one_module_imports_the_compiler_of_users_functions():
    """Everything works without it."""
    importers = {i.importer for i in all_imports() if top(i.imported) in ("numba", "llvmlite")}
    assert {name for name in importers if top(name) != "tests"} == {"planner.registry.compiling"}


#: The base of the planner, which imports none of its packages.
BASE = ("columns", "durations", "model", "resources", "terms")


def test_the_base_of_the_planner_imports_none_of_its_packages():
    """Tables and times know neither searches nor bounds nor users' plug-ins."""
    packages = {path.name for path in (ROOT / "planner").iterdir() if (path / "__init__.py").exists()}
    base = {f"planner.{name}" for name in BASE}
    wrong = [
        i
        for i in all_imports()
        if i.importer in base and i.imported.split(".")[1:2] and i.imported.split(".")[1] in packages
    ]
    assert packages >= {"bounds", "history", "optimizers", "orders", "registry"}
    assert not listed(wrong)


def test_the_core_knows_nothing_above_the_planner():
    """What it imports of planbatch are the planner's tables."""
    imported = set()
    for path in (ROOT / "core").rglob("*.?pp"):
        imported |= set(re.findall(r'import_\("(planbatch[^"]*)"\)', path.read_text()))
    assert imported == {"planbatch.planner.model"}
