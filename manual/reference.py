"""Reference pages: every public name of a package, from its docstring; and every verb, from its help."""

import importlib
from collections.abc import Iterator
from typing import Any

import click

from planbatch.experiments.cli.main import planbatch

PACKAGES = ("planner", "objectives", "baselines", "experiments")
#: Searches find pages that explain before those that list.
BEHIND = ["---", "search:", "  boost: 0.4", "---", ""]
ABOUT = {
    "planner": "Jobs, rounds, plans, profiles; decoding, searching, proving. Times are whole seconds.",
    "objectives": "What a plan costs. Every objective is taken by its name as well: [all that have names](names.md).",
    "baselines": "What a scheduler does in a round. Every policy is taken by its name as well: [all that have names](names.md).",
    "experiments": "Workloads, replays, metrics, comparisons, grids, reports, clusters.",
}


#: Modules whose names may change in any release.
EXPERIMENTAL = (
    "planner.history.predict", "planner.history.scenarios", "objectives.scenarios", "baselines.rollouts", "experiments.live",
)  # fmt: skip


def names(package: str) -> dict[str, str]:
    """Return the public names of a package, and the module of each, in the order of the front door."""
    module = importlib.import_module(f"planbatch.{package}")
    return dict(module.__sources__)


def package_page(package: str) -> str:
    """Return the reference of a package."""
    lines = [*BEHIND, f"# planbatch.{package}", "", ABOUT[package], ""]
    lines += ["All names here are in `planbatch` as well: `import planbatch as pb`.", ""]
    heading = None
    for name, module in names(package).items():
        room = module.removeprefix(f"planbatch.{package}.")
        if room != heading:
            lines += [f"## {room}", ""]
            if f"{package}.{room}".startswith(EXPERIMENTAL):
                lines += ["*Experimental: these names may change in any release.*", ""]
            heading = room
        lines += [f"::: {module}.{name}", "    options:", f"      heading: {name}"]
        lines += [f"      toc_label: {name}", ""]
    return "\n".join(lines)


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
