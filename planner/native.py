"""The compiled core's ground rules: how kernels are compiled and where they are kept.

Every kernel of a module is decorated with :data:`kernel`. Compiled code is kept on disk, so that only the
first use after an installation compiles. numba notices a change of the file that a kernel stands in, but not of
the files that the kernel calls; therefore the folder of the cache is named after the state of all source files whose
kernels others call, and an edited decoder can never be run through a stale search.
"""

import hashlib
import os
import shutil
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba
from numba import njit
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.types import unliteral
from platformdirs import user_cache_path

#: Whose sources count: kernels of ``experiments`` call none in another file of ``experiments``.
PACKAGES = ("planner", "objectives", "baselines")


def _source_state(root: Path) -> str:
    """A digest of the name, size and modification time of every source file below the packages."""
    digest = hashlib.sha256(numba.__version__.encode())
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            status = path.stat()
            digest.update(f"{path}|{status.st_size}|{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """The folder of the compiled kernels that belong to the source files as they are now."""
    root = Path(__file__).resolve().parent.parent
    return user_cache_path("planbatch") / "kernels" / _source_state(root)


def drop_stale_kernels(keep: int = 4) -> None:
    """Delete compiled kernels of earlier states of the source, save the newest few (other checkouts may run)."""
    current = cache_folder()
    if current.parent.is_dir():
        others = [path for path in current.parent.iterdir() if path != current]
        others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for stale in others[keep:]:
            shutil.rmtree(stale, ignore_errors=True)


# First-class functions are what lets one compiled loop take any objective; that they are "experimental" helps nobody.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

if "NUMBA_CACHE_DIR" not in os.environ:
    numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Decorate a kernel: compiled on first use, kept on disk, and free of the interpreter's lock.

    ``options`` are numba's.
    """
    if function is None:
        return partial(kernel, **options)
    # Reference counting is said, since numba has a kernel inherit it from the one for which it is first compiled.
    options = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": True} | options
    decorate: Any = njit
    return _without_literals(decorate(**options)(function))


#: The decorator of kernels that allocate no array and return none. They count no references to the arrays that they
#: are lent: for each of the dozens of arrays in a table of tables, that costs as much as a look at several jobs.
borrowing_kernel: Callable[..., Any] = partial(kernel, _nrt=False)


def _without_literals(dispatcher: Any) -> Any:
    """Have one form of a kernel serve all constants with which other kernels call it.

    numba would compile it, and all that it calls, anew for ``True``, for ``False`` and for a variable.
    """
    template = getattr(dispatcher, "get_call_template", None)
    if template is not None:  # with NUMBA_DISABLE_JIT, kernels are plain functions
        dispatcher.get_call_template = lambda args, kws: template(
            [unliteral(arg) for arg in args], {name: unliteral(arg) for name, arg in kws.items()}
        )
    return dispatcher


#: The decorator of kernels that are made inside a function, such as objectives with a parameter. They must not be
#: kept on disk: made in different runs, two of them can bear the same name, and whoever loads both gets one twice.
made_kernel: Callable[..., Any] = partial(njit, nogil=True, error_model="numpy")
