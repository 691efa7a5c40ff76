"""Paths that users give."""

import os
from os import PathLike
from pathlib import Path

from planbatch.planner.arguments import short_repr


def as_path(name: str, value: object) -> Path:
    """Return a path, or raise a ``ValueError`` if it is none, or empty."""
    if not isinstance(value, str | PathLike) or not str(value):
        raise ValueError(f"{name}: {short_repr(value)} is not a path")
    return Path(value)


def check_folder(name: str, folder: Path) -> None:
    """Raise ``ValueError`` if a folder of results cannot be created or written to; nothing is created yet."""
    parent = next(path for path in (folder, *folder.parents) if path.exists())
    if not parent.is_dir():
        raise ValueError(f"{name}: {parent} is a file, not a folder; choose another folder")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise ValueError(f"{name}: {parent} is not writable; choose another folder")


def check_file(name: str, path: Path) -> None:
    """Raise ``ValueError`` if a file cannot be written, in a folder that may have to be created; nothing is yet."""
    if path.is_dir():
        raise ValueError(f"{name}: {path} is a folder; give the name of a file to write")
    if not path.exists():
        check_folder(name, path.parent)
    elif not os.access(path, os.W_OK):
        raise ValueError(f"{name}: {path} is not writable; choose another file")
