"""Helpers shared by all verbs: printing, number of processes, exit codes, and checks of folders."""

import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbatch.experiments.cli.verb import LOUD

if TYPE_CHECKING:
    from planbatch.planner.model import IntArray

#: Exit codes after Ctrl-C, and after SIGTERM.
INTERRUPTED, TERMINATED = 130, 143
#: Width of tables if standard output is no terminal.
WIDTH = 110


def say(line: str) -> None:
    """Print a note for the user on standard error; characters that control a terminal are shown as codes."""
    click.echo(printable(line), err=True)


def complain(line: str) -> None:
    """Print an error on standard error, in a quiet run, too."""
    ctx = click.get_current_context(silent=True)
    loud = sys.stderr if ctx is None else ctx.meta.get(LOUD, sys.stderr)
    click.echo(printable(line), file=loud)


def print_json(found: Any) -> None:
    """Print one JSON object on standard output; numbers that are none are null."""
    click.echo(json.dumps(_finite(found), ensure_ascii=False))


def _finite(value: Any) -> Any:
    """Return a value without NaN and infinity: of a metric that failed, or of what was not measured."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


def printable(text: str) -> str:
    r"""Return a text whose control characters, but for line ends and tabs, are written as codes.

    >>> printable("red: \x1b[31m")
    'red: \\x1b[31m'
    """
    plain = (one if one.isprintable() or one in "\n\t" else ascii(one)[1:-1] for one in text)
    return "".join(plain)


def print_table(*things: Any, width: int = WIDTH) -> None:
    """Print tables and text with rich; ``width`` columns wide if standard output is no terminal."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=width)
    for thing in things:
        console.print(thing)


def default_jobs(seconds: float | None = None) -> int:
    """Return the number of cores, but 1 if time limits the searches: those that share cores get less done."""
    if seconds is not None:
        return 1
    import joblib

    return int(joblib.cpu_count())


def warn_without_deadlines(deadline: "IntArray", names: Sequence[str], cure: str = "") -> None:
    """Print a warning on standard error if something uses deadlines, but no job has one."""
    from planbatch.planner.model import NEVER

    if names and bool((deadline == NEVER).all()):
        say(f"warning: no job has a deadline, which {', '.join(names)} goes by{cure}")


def check_folder(folder: Path) -> None:
    """Raise ``ValueError`` if a folder of results cannot be made or written to; make nothing yet."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    shown = next((path for path in (folder, *folder.parents) if path.exists()), there)
    if not there.is_dir():
        raise ValueError(f"out: {shown} is a file, not a folder; choose another folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise ValueError(f"out: {shown} must not be written to; choose another folder")
