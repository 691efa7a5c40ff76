"""The page of all that have names: made from the registries, with formulas and sources."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planbatch.experiments.cli.list import KINDS, registry_of

#: Kind → name → formula, where the documentation does not begin with it, and source.
SOURCES = Path(__file__).parent / "sources.toml"
INTRODUCTION = """\
# All that have names

Policies, orders, objectives, optimizers, predictors and metrics, as `planbatch list KIND` prints them, with their sources. Each
is taken by its name on the command line, in TOML files and in Python; parameters follow a colon (`plan-aged-wait:12h`,
`easy:wfp3@1d`), and yours stand beside them as `FILE.py:NAME` ([Your own, by name](../plugins.md)).

In formulas r is the walltime, n the processors, w the wait so far and s the submit time of a job; times are in seconds.
"""
OWN = "planbatch"


def sources() -> dict[str, dict[str, dict[str, str]]]:
    """Read formulas and sources by kind and name."""
    return tomllib.loads(SOURCES.read_text(encoding="utf-8"))


def entry(kind: str, name: str) -> dict[str, str]:
    """Return the formula and source of a thing; of ``plan-X``, those of the objective X."""
    known = sources()
    if name in known[kind]:
        return known[kind][name]
    return known["objectives"][name.removeprefix("plan-")]


def rows(kind: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, what it does, parameters and source of all of a kind that planbatch has."""
    registry = registry_of(kind)
    for name, parameters, about in registry.described():
        if name not in registry.known:
            continue  # of an installed package: it is not of this manual
        more = entry(kind, name)
        formula = more.get("formula", "")
        told = f"{about}: {formula}" if formula else about
        yield name, told, shortened(parameters), more["source"]


def shortened(parameters: tuple[Any, ...]) -> str:
    """Return parameters in a cell; of a long value, its beginning."""
    texts = [str(parameter) for parameter in parameters]
    return ", ".join(f"`{text if len(text) < 40 else text[:36] + '…'}`" for text in texts)


def cell(text: str) -> str:
    """Return text for a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")


def page() -> str:
    """Return the page."""
    lines = [INTRODUCTION]
    for kind in KINDS:
        lines += [f"## {kind.capitalize()}", ""]
        lines += ["| name | what it does | parameters | source |", "|---|---|---|---|"]
        for name, about, parameters, source in rows(kind):
            lines.append(f"| `{name}` | {cell(about)} | {cell(parameters)} | {cell(source)} |")
        lines.append("")
    return "\n".join(lines)
