"""The version of the code that ran a replay, and the digest of the sources that decide its outcome."""

import ast
import hashlib
import importlib.metadata
import platform
from functools import cache
from pathlib import Path

import numpy as np

from planbatch import _core

#: The folder that holds ``planner``, ``objectives``, …: the package once installed, else the repository.
SOURCES = Path(__file__).resolve().parents[2]
#: The folders that decide the outcome of a replay; what only loads, shows or stores is not among them.
CODE = ("planner", "objectives", "baselines", "experiments/replay")


@cache
def code_digest() -> str:
    """Return the digest of all code that decides the outcome of a replay: the core, and the sources in :data:`CODE`.

    Docstrings and comments do not count.
    """
    digest = hashlib.sha256(_core.DIGEST.encode())
    for part in CODE:
        for path in sorted((SOURCES / part).rglob("*.py")):
            digest.update(f"{path.relative_to(SOURCES).as_posix()}\n".encode())
            digest.update(_without_docstrings(path.read_text(encoding="utf-8")).encode())
    return digest.hexdigest()[:16]


def _without_docstrings(source: str) -> str:
    """Return a source as its statements alone."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [line for line in body if not _is_text(line)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(line: ast.stmt) -> bool:
    return (
        isinstance(line, ast.Expr)
        and isinstance(line.value, ast.Constant)
        and isinstance(line.value.value, str)
    )


def versions() -> dict[str, str]:
    """Return the versions of all software that takes part in a replay."""
    return {
        "planbatch": planbatch_version(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "code": code_digest(),
    }


@cache
def planbatch_version() -> str:
    """Return the installed version, or ``0`` if the sources run without an installation."""
    try:
        return importlib.metadata.version("planbatch")
    except importlib.metadata.PackageNotFoundError:
        return "0"
