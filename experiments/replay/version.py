"""The version of the code that ran a replay, and the digest of the sources that decide its outcome."""

import hashlib
import importlib.metadata
import platform
from functools import cache
from pathlib import Path

import numpy as np

#: The folder that holds ``planner``, ``objectives``, …: the package once installed, else the repository.
SOURCES = Path(__file__).resolve().parents[2]
#: The folders that decide the outcome of a replay; what only loads, shows or stores is not among them.
CODE = ("planner", "objectives", "baselines", "experiments/replay")


@cache
def code_digest() -> str:
    """Return the digest of the contents of the sources in :data:`CODE`."""
    digest = hashlib.sha256()
    for part in CODE:
        for path in sorted((SOURCES / part).rglob("*.py")):
            digest.update(f"{path.relative_to(SOURCES).as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def versions() -> dict[str, str]:
    """Return the versions of all software that takes part in a replay."""
    import numba

    return {
        "planbatch": planbatch_version(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "code": code_digest(),
    }


@cache
def planbatch_version() -> str:
    """Return the installed version, or ``0`` if the sources run without an installation."""
    try:
        return importlib.metadata.version("planbatch")
    except importlib.metadata.PackageNotFoundError:
        return "0"
