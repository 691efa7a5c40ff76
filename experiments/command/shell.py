"""What the command says to people apart from its results, and where these may be written."""

import os
from pathlib import Path

import click


def to_stderr(line: str) -> None:
    """Print a line on standard error."""
    click.echo(line, err=True)


def check_folder(folder: Path) -> None:
    """Raise a ``ValueError`` if a folder of results could not be made or written to; make nothing yet."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    shown = next((path for path in (folder, *folder.parents) if path.exists()), there)
    if not there.is_dir():
        raise ValueError(f"out: {shown} is a file, not a folder; choose another folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise ValueError(f"out: {shown} must not be written to; choose another folder")
