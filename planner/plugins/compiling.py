"""Compiling a user's plain functions where numba can, and saying why where it cannot."""

import re
import sys
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit, types
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from planbatch.planner.kernels.cache import ContentCache
from planbatch.planner.plugins.parameters import signature_of
from planbatch.planner.plugins.source import PREFIX, PluginError

_LINE = re.compile(r'File "([^"]+)", line (\d+)')
_NOISE = ("Failed in nopython", "During:", "File ", "<source", "This error", "Use of unsupported")


class PlainPythonWarning(UserWarning):
    """A function runs as plain Python, since numba cannot compile it."""


class NotCompiledError(ValueError):
    """numba cannot compile a function; the message says where and why."""


class _PluginCache(ContentCache):
    """Compiled forms on disk of a function in a user's file, whose module is named after its content."""


def is_compiled(function: Any) -> bool:
    """Tell whether a function is compiled by numba."""
    return isinstance(function, Dispatcher)


def compiled_or_plain(
    what: str, function: Callable[..., Any], signature: Any, values: tuple[Any, ...] = ()
) -> Callable[..., Any]:
    """Return a function compiled for a signature; where numba cannot compile it, as it is, with a warning.

    Parameters
    ----------
    what : str
        What it is, for the warning, such as ``objective slow``.
    function : callable
        In plain Python, or a kernel of the user's.
    signature : numba signature
        Of the function without ``values``.
    values : tuple
        Further arguments, the same in every call.

    Raises
    ------
    PluginError
        If the user's own kernel cannot be compiled for this signature.
    """
    values = values or defaults(function, len(signature.args))
    try:
        return compiled(function, signature, values)  # type: ignore[no-any-return]
    except NotCompiledError as error:
        if is_compiled(function):
            raise PluginError(f"{what}: it cannot be compiled: {error}") from None
        warnings.warn(
            f"{what} runs as plain Python, which is about a hundred times slower: numba cannot compile it: {error}",
            PlainPythonWarning,
            stacklevel=2,
        )
    if not values:
        return function

    def bound(*arguments: Any) -> Any:
        return function(*arguments, *values)

    bound.__name__ = function.__name__
    return bound


@lru_cache(maxsize=256)
def compiled(function: Callable[..., Any], signature: Any, values: tuple[Any, ...] = ()) -> Any:
    """Compile a function for a signature; the same function gives the same kernel.

    Raises
    ------
    NotCompiledError
        If numba cannot; the message says where and why.
    """
    kernel = _kept(function if is_compiled(function) else njit(nogil=True)(function))
    if not is_compiled(kernel):
        raise NotCompiledError("NUMBA_DISABLE_JIT is set")
    if isinstance(signature.return_type, types.Array):
        kernel = _keys(kernel, values)
    elif values:
        kernel = _bound(kernel, values)
    try:
        kernel.compile(signature)
    except NumbaError as error:
        raise NotCompiledError(reason(error)) from None
    # Another process makes the same kernel of the same function, and finds it on disk.
    kernel.__dict__["made_by"] = (compiled, (function, signature, values))
    return kernel


def defaults(function: Callable[..., Any], arity: int) -> tuple[Any, ...]:
    """Return the defaults of a function's parameters behind the first ``arity``."""
    try:
        found = list(signature_of(function).parameters.values())[arity:]
    except ValueError:  # what is not written in Python has none
        return ()
    return tuple(p.default for p in found if p.default is not p.empty)


def _kept(kernel: Any) -> Any:
    """Keep the compiled forms of a function at the top of a user's file on disk, unless the user does."""
    function = getattr(kernel, "py_func", None)
    if function is None or not function.__module__.startswith(PREFIX):
        return kernel
    at_top = vars(sys.modules[function.__module__]).get(function.__name__)
    if at_top in (function, kernel) and type(kernel._cache) is NullCache:
        kernel._cache = _PluginCache(function)
    return kernel


def _bound(kernel: Any, values: tuple[Any, ...]) -> Any:
    """Return the kernel of a cost with constants behind its arguments."""

    @njit(nogil=True)
    def cost(start: Any, jobs: Any, now: Any) -> Any:
        return kernel(start, jobs, now, *values)

    return cost


def _keys(kernel: Any, values: tuple[Any, ...]) -> Any:
    """Return the kernel of an order with constants behind its arguments; its keys may be of any numeric type."""

    @njit(nogil=True)
    def keys(jobs: Any, now: Any) -> Any:
        return kernel(jobs, now, *values).astype(np.float64)

    return keys


def reason(error: NumbaError) -> str:
    """Return the place and the first sentence of numba's explanation."""
    text = str(error)
    places = _LINE.findall(text)
    lines = [line.strip() for line in text.splitlines()]
    said = next((line for line in lines if line and not line.startswith(_NOISE)), "no reason given")
    said = re.sub(r"\x1b\[[0-9;]*m", "", said).rstrip(".")
    where = f"{places[-1][0]}, line {places[-1][1]}: " if places else ""
    return f"{where}{said}"
