"""Slow build products, cached by the digest of their inputs."""

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from manual import ROOT

#: Where they are cached.
FOLDER = ROOT / "out" / "manual"
#: The sources that decide what a notebook or a picture shows.
CODE = ("planner", "objectives", "baselines", "experiments")


@cache
def sources_digest() -> str:
    """Return the digest of all sources of planbatch."""
    digest = hashlib.sha256()
    for part in CODE:
        for path in sorted((ROOT / part).rglob("*.py")):
            digest.update(f"{path.relative_to(ROOT).as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def cached(name: str, parts: Iterable[bytes], make: Callable[[Path], None]) -> Path:
    """Return a folder that ``make(folder)`` has filled, now or in an earlier build.

    Parameters
    ----------
    name : str
        What it is, for people who look.
    parts : iterable of bytes
        What it is made of, besides the sources of planbatch: notebooks, the modules that make it.
    make : callable
        Fills an empty folder.
    """
    digest = hashlib.sha256(sources_digest().encode())
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    folder = FOLDER / f"{name}-{digest.hexdigest()[:16]}"
    if folder.is_dir():
        return folder
    FOLDER.mkdir(parents=True, exist_ok=True)
    working = Path(tempfile.mkdtemp(prefix=f"{name}-", suffix=".part", dir=FOLDER))
    try:
        make(working)
        for old in FOLDER.glob(f"{name}-*"):
            if old != folder and not old.name.endswith(".part"):
                shutil.rmtree(old)
        if folder.is_dir():  # another build was faster
            shutil.rmtree(working)
        else:
            working.replace(folder)
    except BaseException:
        shutil.rmtree(working, ignore_errors=True)
        raise
    return folder
