"""Reference pages: the public names of each module, from their docstrings; and every verb, from its help."""

import ast
import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

import planbatch as top
from manual.roles import plain
from planbatch.experiments.cli.main import planbatch

PACKAGES = ("planner", "objectives", "baselines", "experiments")
#: Searches find pages that explain before those that list.
FRONT_MATTER = ["---", "search:", "  boost: 0.1", "---", ""]
ABOUT = {
    "planner": "Jobs, rounds, plans, profiles; decoding, searching, proving. Times are whole seconds.",
    "objectives": "What a plan costs. Every objective is taken by its name as well.",
    "baselines": "What a scheduler does in a round. Every policy is taken by its name as well.",
    "experiments": "Workloads, replays, metrics, comparisons, grids, reports, clusters.",
}
INTRODUCTION = """\
# Python reference

`import planbatch as pb` offers the names in **bold**; all others are one package deeper: `from planbatch.planner import Profile`. Objectives, policies,
optimizers, orders and metrics have [names](names.md) for the command line, files and Python; files have [settings](settings.md).
"""


#: Modules whose names may change in any release.
EXPERIMENTAL = (
    "planner.history.predict", "planner.history.scenarios", "objectives.scenarios", "baselines.rollouts", "experiments.live",
)  # fmt: skip


def names(package: str) -> dict[str, str]:
    """Return the public names of a package, and the module of each, in the order of the front door."""
    module = importlib.import_module(f"planbatch.{package}")
    return dict(module.__sources__)


def names_by_page(package: str) -> dict[str, list[str]]:
    """Return the pages of a package, and the public names on each, all of one module."""
    pages: dict[str, list[str]] = {}
    for name, module in names(package).items():
        pages.setdefault(page_of(module, name), []).append(name)
    return pages


def page_of(module: str, name: str) -> str:
    """Return the address of a name's page: that of its module, but of several classes each has a page.

    >>> page_of("planbatch.planner.optimizers.tabu", "TabuSearch")
    'reference/planner/optimizers-tabu.md'
    >>> page_of("planbatch.planner.round", "Round")
    'reference/planner/round-Round.md'
    """
    package, _, room = module.removeprefix("planbatch.").partition(".")
    classes = [other for other, place in names(package).items() if place == module and is_class(module, other)]
    own = f"-{name}" if name in classes and len(classes) > 1 else ""
    return f"reference/{package}/{room.replace('.', '-')}{own}.md"


def is_class(module: str, name: str) -> bool:
    """Return whether a name is a class, but for errors."""
    value = getattr(importlib.import_module(module), name)
    return inspect.isclass(value) and not issubclass(value, Exception)


def pages() -> Iterator[tuple[str, str]]:
    """Yield the address and the Markdown of all pages of modules, and of their index."""
    yield "reference/index.md", index()
    for package in PACKAGES:
        for address, listed in names_by_page(package).items():
            yield address, names_page(package, names(package)[listed[0]], listed)


def names_page(package: str, module: str, listed: list[str]) -> str:
    """Return the page of some names of one module."""
    title = listed[0] if len(listed) == 1 else ", ".join(listed[:3]) + (" …" if len(listed) > 3 else "")
    door = [name for name in listed if name in top.__all__]
    lines = [*FRONT_MATTER, f"# {title}", "", f"`{module}`, offered by `planbatch.{package}`"]
    lines[-1] += " and by `planbatch`." if door == listed else f"; by `planbatch`: {', '.join(door)}." if door else "."
    lines.append("")
    if module.removeprefix("planbatch.").startswith(EXPERIMENTAL):
        lines += ["*Experimental: these names may change in any release.*", ""]
    for name in listed:
        lines += [f"::: {module}.{name}", "    options:", f"      heading: {name}"]
        lines += ["      heading_level: 2", f"      toc_label: {name}", ""]
    return "\n".join(lines)


def index() -> str:
    """Return the page that lists all public names with their first sentences."""
    lines = [*FRONT_MATTER, INTRODUCTION]
    for package in PACKAGES:
        lines += [f"## planbatch.{package}", "", ABOUT[package], "", "| name | what it is |", "|---|---|"]
        for name, module in sorted(names(package).items(), key=lambda item: item[0].lower()):
            address = page_of(module, name).removeprefix("reference/")
            text = f"**`{name}`**" if name in top.__all__ else f"`{name}`"
            lines.append(f"| [{text}]({address}) | {summary(module, name)} |")
        lines.append("")
    return "\n".join(lines)


def summary(module: str, name: str) -> str:
    """Return the first sentence of what is said of a public name."""
    text = plain(docstring(module, name).split("\n\n")[0].replace("\n", " ")).replace("``", "`")
    return text.partition(": ``")[0].replace("|", "\\|")


def docstring(module: str, name: str) -> str:
    """Return what is said of a public name: of a constant, the string below it."""
    value = getattr(importlib.import_module(module), name)
    value = inspect.unwrap(getattr(value, "py_func", value))  # the function behind a kernel or a cache
    if inspect.isclass(value) or inspect.isfunction(value):
        return inspect.getdoc(value) or ""
    for module_name in (module, "planbatch.planner.columns"):
        if name in strings_below(module_name):
            return strings_below(module_name)[name]
    raise AssertionError(f"{module}.{name} has no docstring")


@cache
def strings_below(module: str) -> dict[str, str]:
    """Return the strings below the assignments of a module: what they say of constants."""
    path = importlib.import_module(module).__file__
    assert path is not None
    body = ast.parse(Path(path).read_text(encoding="utf-8")).body
    strings = {}
    for statement, below in pairwise(body):
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            strings |= {t.id: str(below.value.value) for t in targets if isinstance(t, ast.Name)}
    return strings


def verbs(command: Any, name: str, parent: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """Yield every verb without verbs of its own, and its help."""
    context = click.Context(command, info_name=name, parent=parent, terminal_width=100)
    if not isinstance(command, click.Group):
        yield context.command_path, click.unstyle(command.get_help(context))
        return
    for verb in command.list_commands(context):
        yield from verbs(command.get_command(context, verb), verb, context)


def verbs_page() -> str:
    """Return the help of all verbs."""
    lines = [*FRONT_MATTER, "# The verbs", "", "What `planbatch VERB --help` prints.", ""]
    for path, text in verbs(planbatch, "planbatch"):
        lines += [f"## {path}", "", "```text", text, "```", ""]
    return "\n".join(lines)
