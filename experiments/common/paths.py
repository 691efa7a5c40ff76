"""Paths that users give."""

from os import PathLike
from pathlib import Path
from typing import Any

from planbatch.planner.arguments import shown


def as_path(name: str, value: Any) -> Path:
    """Return a path, or raise a ``ValueError`` if it is none, or empty."""
    if not isinstance(value, str | PathLike) or not str(value):
        raise ValueError(f"{name}: {shown(value)} is not a path")
    return Path(value)
