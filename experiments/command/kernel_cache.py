"""Listing the compiled kernels on disk, and deleting those of old versions."""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from planbatch.planner.kernels.cache import cache_folder, module_digest

#: Folders of other versions of a module that are kept: other checkouts may use them.
KEPT_VERSIONS = 3


class ModuleKernels(NamedTuple):
    """The kernels of one version of a module.

    Attributes
    ----------
    module : str
        The module, without ``planbatch.``.
    folder : Path
        Their folder.
    current : bool
        Whether they belong to the sources as they are now.
    kernels : int
        Number of compiled forms.
    size : int
        Their size (bytes).
    """

    module: str
    folder: Path
    current: bool
    kernels: int
    size: int


def kept_kernels() -> Iterator[ModuleKernels]:
    """Yield every folder of compiled kernels, by module, the newest first."""
    if not cache_folder().is_dir():
        return
    folders = [path for path in cache_folder().iterdir() if path.is_dir() and "-" in path.name]
    for path in sorted(folders, key=lambda path: (_module(path), -path.stat().st_mtime)):
        files = [file for file in path.iterdir() if file.is_file()]
        current = path.name == f"{_module(path)}-{module_digest(_module(path))}"
        size = sum(file.stat().st_size for file in files)
        yield ModuleKernels(_module(path), path, current, len(files), size)


def clear(everything: bool = False) -> int:
    """Delete compiled kernels; return how many bytes.

    Parameters
    ----------
    everything : bool
        Whether to delete all; by default, those of versions of a module that are neither current nor among its
        newest :data:`KEPT_VERSIONS`.
    """
    others: dict[str, int] = {}
    deleted = 0
    for found in kept_kernels():
        if not everything:
            if found.current:
                continue
            others[found.module] = others.get(found.module, 0) + 1
            if others[found.module] <= KEPT_VERSIONS:
                continue
        shutil.rmtree(found.folder, ignore_errors=True)
        deleted += found.size
    return deleted


def clear_after(began: float) -> None:
    """Delete kernels of old versions if new ones have been kept since a moment (Unix time): see :func:`clear`."""
    folder = cache_folder()
    with suppress(OSError):  # another process deletes them, too
        if folder.is_dir() and any(path.stat().st_mtime >= began for path in folder.iterdir()):
            clear()


def _module(folder: Path) -> str:
    return folder.name.rpartition("-")[0]
