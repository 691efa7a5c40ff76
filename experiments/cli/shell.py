"""Helpers shared by all verbs: printing, number of processes, exit codes."""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from planbatch.experiments.cli.verb import LOUD

if TYPE_CHECKING:
    from planbatch.planner.model import IntArray

#: Exit codes after Ctrl-C, and after SIGTERM.
INTERRUPTED, TERMINATED = 130, 143
#: Width of tables if standard output is no terminal.
WIDTH = 110


def notify(line: str) -> None:
    """Print a note for the user on standard error; control characters are escaped."""
    click.echo(printable(line), err=True)


def complain(line: str) -> None:
    """Print an error on standard error, even in a quiet run."""
    ctx = click.get_current_context(silent=True)
    loud = sys.stderr if ctx is None else ctx.meta.get(LOUD, sys.stderr)
    click.echo(printable(line), file=loud)


def exit_code(failures: Sequence[str], interrupted: str = "") -> int:
    """Print what failed, and what an interrupt left, on standard error; return the exit code."""
    for line in failures:
        complain(line)
    if interrupted:
        complain(f"planbatch: interrupted; {interrupted}")
        return INTERRUPTED
    return 1 if failures else 0


def print_json(value: object) -> None:
    """Print one JSON object on standard output; NaN and infinity are null."""
    click.echo(json.dumps(_finite(value), ensure_ascii=False))


def _finite(value: object) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


def printable(text: str) -> str:
    r"""Escape the control characters of a text, except line ends and tabs.

    >>> printable("red: \x1b[31m")
    'red: \\x1b[31m'
    """
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def print_table(*parts: object, width: int = WIDTH) -> None:
    """Print tables and text with rich.

    If standard output is no terminal, lines are ``width`` columns wide, or as wide as the tables that do not wrap.
    """
    from rich.console import Console
    from rich.measure import Measurement

    from planbatch.experiments.common.table import Table

    console = Console()
    if not console.is_terminal:
        unlimited = console.options.update(max_width=sys.maxsize)
        tables = [part for part in parts if isinstance(part, Table) and not any(c.wrap for c in part.columns)]
        console = Console(width=max([width, *(Measurement.get(console, unlimited, table).maximum for table in tables)]))
    for part in parts:
        console.print(part)


def print_result(as_json: bool, result: object, *parts: object) -> None:
    """Print a result: as one JSON object, or as tables and text for people."""
    if as_json:
        print_json(result)
    else:
        print_table(*parts)


def default_jobs(seconds: float | None = None) -> int:
    """Return the number of cores, but 1 if searches are limited by time: sharing cores would slow them down."""
    if seconds is not None:
        return 1
    import joblib

    return int(joblib.cpu_count())


def warn_without_deadlines(deadline: "IntArray", names: Sequence[str], cure: str = "") -> None:
    """Print a warning on standard error if something uses deadlines, but no job has one."""
    from planbatch.planner.model import NEVER

    if names and bool((deadline == NEVER).all()):
        notify(f"warning: no job has a deadline, which {', '.join(names)} needs{cure}")
