"""The compiled core's ground rules: how kernels are compiled.

Every kernel of a module is decorated with :data:`kernel`. Compiled code is kept on disk (see :mod:`cache`), so that
only the first use of a kernel after an installation compiles it.
"""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from numba import njit
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.types import unliteral
from numba.extending import register_jitable

from planbatch.planner.kernels.cache import ContentCache

# First-class functions are what lets one compiled loop take any objective; that they are "experimental" helps nobody.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Decorate a kernel: compiled on first use, kept on disk, and free of the interpreter's lock.

    ``options`` are numba's.
    """
    if function is None:
        return partial(kernel, **options)
    # Reference counting is said, since numba has a kernel inherit it from the one for which it is first compiled.
    options = {"nogil": True, "error_model": "numpy", "_nrt": True} | options
    decorate: Any = njit
    return _without_literals(_kept(decorate(**options)(function)))


#: The decorator of kernels that allocate no array and return none. They count no references to the arrays that they
#: are lent: for each of the dozens of arrays in a table of tables, that costs as much as a look at several jobs.
borrowing_kernel: Callable[..., Any] = partial(kernel, _nrt=False)


#: The decorator of kernels that call a cost function handed to them: compiled with whatever kernel calls them, plain
#: Python where Python does. So one source serves compiled costs and those in plain Python, which kernels cannot take.
two_way_kernel: Callable[..., Any] = register_jitable(error_model="numpy", _nrt=True)
#: The same for those that allocate no array and return none (see ``borrowing_kernel``).
borrowing_two_way_kernel: Callable[..., Any] = register_jitable(error_model="numpy", _nrt=False)


def compiled_for(
    signature: Any, function: Callable[..., Any], **options: Any
) -> Callable[..., Any]:
    """Compile a function of a module for one signature, or load it from disk: what is handed to kernels.

    Parameters
    ----------
    signature : numba signature
        Of the one form; see :mod:`signatures`.
    function : callable
        A plain function at the top of a module, or a kernel.
    **options
        numba's.
    """
    decorate: Any = njit
    made = _kept(decorate(nogil=True, **options)(getattr(function, "py_func", function)))
    if hasattr(made, "compile"):
        made.compile(signature)
        made.disable_compile()
    return made  # type: ignore[no-any-return]


def _kept(dispatcher: Any) -> Any:
    """Keep the compiled forms of a kernel on disk; with NUMBA_DISABLE_JIT there are none."""
    if hasattr(dispatcher, "_cache"):
        dispatcher._cache = ContentCache(dispatcher.py_func)
    return dispatcher


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
#: kept on disk: two kernels made in different runs can have the same name, and a process that loads both would get the
#: same code for both.
made_kernel: Callable[..., Any] = partial(njit, nogil=True, error_model="numpy")
