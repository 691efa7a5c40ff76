"""The page of names: one table per kind, generated from the registries, with formulas and sources."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planbatch.experiments.cli.parameters import KINDS, registry_of

#: Kind → name → formula, where the documentation does not begin with it, and source.
SOURCES = Path(__file__).parent / "sources.toml"
INTRODUCTION = """\
# Names

Policies, orders, objectives, optimizers, predictors, metrics and presets of logs, as `planbatch list KIND` prints them, with their sources. Each
is taken by its name on the command line, in TOML files and in Python; parameters follow a colon (`plan-aged-wait:12h`,
`easy:wfp3@1d`), and yours are named `FILE.py:NAME` ([Your own, by name](../plugins.md)). Docstrings have the details: [the reference](index.md).

In formulas r is the walltime, n the processors, w the wait so far and s the submit time of a job; times are in seconds.
"""
#: Kind → what holds for all of it.
NOTES = {
    "policies": "`plan-OBJECTIVE` exists for every objective below, and takes its parameters as well. Queue-based policies "
    "take any order: `easy:wfp3`, `selective:2,order=lxf`.",
    "orders": "The job with the smallest key is first; equal keys keep FCFS order. `ORDER@T` puts jobs that have waited "
    "longer than T first, in FCFS order (`easy:saf@20h`; Lelong et al., JSSPP 2017). `HEAD/BACKFILLING` is for policies "
    "that backfill behind a reservation: one order for the head of the queue, one for backfilling (`easy:fcfs/sjf` is "
    "SJBF; Tsafrir et al., TPDS 2007).",
}


def sources() -> dict[str, dict[str, dict[str, str]]]:
    """Read formulas and sources by kind and name."""
    return tomllib.loads(SOURCES.read_text(encoding="utf-8"))


def rows(kind: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, description, parameters and source of all of a kind that planbatch has, but for plan-OBJECTIVE."""
    entries = sources()[kind]
    for name, parameters, about in registry_of(kind).entries():
        if name not in entries:
            continue  # plan-OBJECTIVE, or of an installed package
        formula = entries[name].get("formula", "")
        description = f"{about}: {formula}" if formula else about
        yield name, description, shorten(parameters), entries[name]["source"]


def shorten(parameters: tuple[Any, ...]) -> str:
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
        lines += [f"## {kind.capitalize()}", "", NOTES.get(kind, ""), ""]
        lines += ["| name | what it does | parameters | source |", "|---|---|---|---|"]
        for name, about, parameters, source in rows(kind):
            lines.append(f"| `{name}` | {cell(about)} | {cell(parameters)} | {cell(source)} |")
        lines.append("")
    return "\n".join(lines)
