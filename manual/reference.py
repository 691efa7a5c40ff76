"""Reference pages: the public names of each module, from their docstrings; and every verb, from its help."""

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import click

import planbatch as top
from planbatch.experiments.cli.main import planbatch

PACKAGES = ("planner", "objectives", "baselines", "experiments")
#: Searches find pages that explain before those that list.
BEHIND = ["---", "search:", "  boost: 0.4", "---", ""]
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


def rooms(package: str) -> dict[str, list[str]]:
    """Return the modules of a package, and the public names of each: one page per module."""
    found: dict[str, list[str]] = {}
    for name, module in names(package).items():
        found.setdefault(module, []).append(name)
    return found


def page_of(module: str) -> str:
    """Return the address of a module's page.

    >>> page_of("planbatch.planner.optimizers.tabu")
    'reference/planner/optimizers-tabu.md'
    """
    package, _, room = module.removeprefix("planbatch.").partition(".")
    return f"reference/{package}/{room.replace('.', '-')}.md"


def pages() -> Iterator[tuple[str, str]]:
    """Yield the address and the Markdown of all pages of modules, and of their index."""
    yield "reference/index.md", index()
    for package in PACKAGES:
        for module, listed in rooms(package).items():
            yield page_of(module), module_page(package, module, listed)


def module_page(package: str, module: str, listed: list[str]) -> str:
    """Return the page of one module."""
    title = (
        listed[0] if len(listed) == 1 else ", ".join(listed[:3]) + (" …" if len(listed) > 3 else "")
    )
    door = [name for name in listed if name in top.__all__]
    lines = [*BEHIND, f"# {title}", "", f"`{module}`, offered by `planbatch.{package}`"]
    lines[-1] += (
        " and by `planbatch`."
        if door == listed
        else f"; by `planbatch`: {', '.join(door)}."
        if door
        else "."
    )
    lines.append("")
    if module.removeprefix("planbatch.").startswith(EXPERIMENTAL):
        lines += ["*Experimental: these names may change in any release.*", ""]
    for name in listed:
        lines += [f"::: {module}.{name}", "    options:", f"      heading: {name}"]
        lines += ["      heading_level: 2", f"      toc_label: {name}", ""]
    return "\n".join(lines)


def index() -> str:
    """Return the page that lists all public names with their first sentences."""
    lines = [*BEHIND, INTRODUCTION]
    for package in PACKAGES:
        lines += [f"## planbatch.{package}", "", ABOUT[package], "", "| | |", "|---|---|"]
        for module, listed in rooms(package).items():
            for name in listed:
                address = page_of(module).removeprefix("reference/")
                shown = f"**`{name}`**" if name in top.__all__ else f"`{name}`"
                lines.append(f"| [{shown}]({address}) | {summary(module, name)} |")
        lines.append("")
    return "\n".join(lines)


def summary(module: str, name: str) -> str:
    """Return the first sentence of what is said of a class or function; of a constant, what it is."""
    thing = getattr(importlib.import_module(module), name)
    if not (inspect.isclass(thing) or callable(thing)):
        text = repr(thing) if not isinstance(thing, dict) else f"{len(thing)} by name"
    else:
        text = (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
    text = text.replace("|", "\\|")
    return text if len(text) < 140 else f"{text[:137]}…"


def verbs(
    command: Any, name: str, parent: click.Context | None = None
) -> Iterator[tuple[str, str]]:
    """Yield every verb without verbs of its own, and its help."""
    context = click.Context(command, info_name=name, parent=parent, terminal_width=100)
    if not isinstance(command, click.Group):
        yield context.command_path, click.unstyle(command.get_help(context))
        return
    for verb in command.list_commands(context):
        yield from verbs(command.get_command(context, verb), verb, context)


def verbs_page() -> str:
    """Return the help of all verbs."""
    lines = [*BEHIND, "# The verbs", "", "What `planbatch VERB --help` prints.", ""]
    for path, text in verbs(planbatch, "planbatch"):
        lines += [f"## {path}", "", "```text", text, "```", ""]
    return "\n".join(lines)
