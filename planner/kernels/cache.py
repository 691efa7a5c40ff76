"""Compiled kernels on disk, known by their content.

A compiled kernel depends on its own source file and on every file of planbatch that this one imports, directly or
not. The digest of all of these names the folder of a module's kernels. So an edited file recompiles what depends on
it and nothing else, and a second checkout of the same sources, wherever it stands, loads what the first one compiled.
Each compiled form is one file, named after the signature, the processor and the versions of Python, numba and numpy:
processes that compile at the same time neither wait for nor overwrite each other.
"""

import contextlib
import functools
import hashlib
import os
import pickle
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core.caching import NullCache
from numba.core.serialize import dumps
from platformdirs import user_cache_path

from planbatch.planner.kernels.compiling import announce
from planbatch.planner.kernels.linking import packed, unpacked

#: The environment variable that says where compiled kernels are kept.
FOLDER_VARIABLE = "PLANBATCH_CACHE_DIR"
#: The folder that holds ``planner``, ``objectives``, …: the package once installed, else the repository.
SOURCES = Path(__file__).resolve().parents[2]
_IMPORT = re.compile(
    rb"^\s*(?:from planbatch\.([\w.]+) import (\([^)]*\)|.*)|import planbatch\.([\w.]+))", re.M
)
_VERSIONS = f"{sys.version_info[:2]} {numba.__version__} {np.__version__}"


def cache_folder() -> Path:
    """The folder of all compiled kernels: ``$PLANBATCH_CACHE_DIR``, or the user's cache."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen).expanduser() if chosen else Path(user_cache_path("planbatch")) / "kernels"


@functools.cache
def _source(module: str) -> tuple[bytes, frozenset[str]] | None:
    """The digest of a module's file and the modules of planbatch that it imports; None if there is no such file."""
    path = SOURCES.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    try:
        text = path.read_bytes()
    except OSError:
        return None
    imported: set[str] = set()
    for package, names, plain in _IMPORT.findall(text):
        base = (package or plain).decode()
        imported.add(base)
        imported.update(f"{base}.{name}" for name in re.findall(r"\w+", names.decode()))
    return hashlib.sha256(text).digest(), frozenset(imported)


def _dependencies(module: str) -> set[str]:
    """A module and all modules of planbatch that it imports, directly or not."""
    found: set[str] = set()
    left = [module]
    while left:
        name = left.pop()
        if name in found or (source := _source(name)) is None:
            continue
        found.add(name)
        left += source[1]
    return found


@functools.cache
def module_digest(module: str) -> str:
    """The digest of everything that the kernels of a module depend on.

    Parameters
    ----------
    module : str
        A module below ``planbatch``, such as ``planner.kernels.decode``.
    """
    digest = hashlib.sha256(_VERSIONS.encode())
    for name in sorted(_dependencies(module)):
        source = _source(name)
        assert source is not None
        digest.update(name.encode() + source[0])
    return digest.hexdigest()[:16]


class ContentCache(NullCache):  # type: ignore[misc]
    """The compiled forms of one kernel on disk; takes the place of numba's own cache.

    Parameters
    ----------
    py_func : function
        The kernel's Python function, at the top of its module.
    what : str
        What is kept of it: its parts or its wholes (see :mod:`linking`).
    """

    def __init__(self, py_func: Any, what: str = "whole") -> None:
        module = py_func.__module__.removeprefix("planbatch.")
        self._folder = f"{module}-{module_digest(module)}"
        self._name = py_func.__qualname__
        self._what = what
        self._code = hashlib.sha256(py_func.__code__.co_code).hexdigest()

    @property
    def cache_path(self) -> str:
        """The folder of the kernels of this module."""
        return str(cache_folder() / self._folder)

    def _path(self, sig: Any, codegen: Any) -> Path | None:
        described = str(sig)
        if " at 0x" in described:  # a function that only this process knows by this name
            return None
        key = f"{described}\n{codegen.magic_tuple()}\n{self._code}\n{self._what}"
        return (
            Path(self.cache_path) / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}"
        )

    def holds(self, sig: Any, target_context: Any) -> bool:
        """Return whether a compiled form is on disk."""
        path = self._path(sig, target_context.codegen())
        return path is not None and path.is_file()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load what was compiled for a signature; None if it was not, or if the file is damaged."""
        target_context.refresh()
        found = self.load(sig, target_context.codegen(), partial(unpacked, target_context))
        if found is None:
            announce(self._name)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for a signature, if the folder can be written to."""
        self.save(sig, data.target_context.codegen(), partial(packed, data))

    def load(self, sig: Any, codegen: Any, made_of: Callable[[Any], Any]) -> Any:
        """Load what was kept for a signature, and make something of it; None if nothing was, or if it is damaged."""
        path = self._path(sig, codegen)
        return None if path is None else _read(path, made_of)

    def save(self, sig: Any, codegen: Any, make: Callable[[], Any]) -> None:
        """Keep what is made, unless that is None, for a signature, if the folder can be written to."""
        path = self._path(sig, codegen)
        kept = None if path is None else make()
        if path is None or kept is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with _written_whole(path) as file:
                file.write(dumps(kept))
        except OSError as error:
            _say_once(f"{cache_folder()}: kernels are compiled in memory only ({error.strerror})")


def _read(path: Path, made_of: Callable[[Any], Any]) -> Any:
    """Read a file; None if there is none, or if it is damaged: it is then deleted."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    try:
        return made_of(pickle.loads(data))
    except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, ValueError):
        with contextlib.suppress(OSError):
            path.unlink()
        return None


@contextlib.contextmanager
def _written_whole(path: Path) -> Iterator[Any]:
    """Open a file beside ``path`` that takes its place once it is complete."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        try:
            yield file
            file.close()
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


@functools.cache
def _say_once(what: str) -> None:
    warnings.warn(f"{what}; set {FOLDER_VARIABLE} to a folder that can be written", stacklevel=2)
