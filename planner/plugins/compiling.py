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

from planbatch.planner.checked_orders import OrderError, order_name
from planbatch.planner.histories import asked_history
from planbatch.planner.kernels.native import kernel, made_kernel
from planbatch.planner.plugins.parameters import signature_of
from planbatch.planner.plugins.source import PREFIX, PluginError

_LINE = re.compile(r'File "([^"]+)", line (\d+)')
_NOISE = ("Failed in nopython", "During:", "File ", "<source", "This error", "Use of unsupported")


class PlainPythonWarning(UserWarning):
    """A function runs as plain Python, since numba cannot compile it."""


class NotCompiledError(ValueError):
    """numba cannot compile a function; the message says where and why."""


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
    ValueError
        If it asks for a history that there is not.
    """
    values = values or defaults(function, len(signature.args))
    history = asked_history(what, function)
    try:
        made = compiled(function, signature, values)
        if history is not None:
            made.__dict__["history"] = history
        return made  # type: ignore[no-any-return]
    except NotCompiledError as error:
        if is_compiled(function):
            raise PluginError(f"{what}: it cannot be compiled: {error}") from None
        warnings.warn(
            f"{what} runs as plain Python, which is about a hundred times slower: numba cannot compile it: {error}",
            PlainPythonWarning,
            stacklevel=2,
        )
    if history is not None:
        function.history = history  # type: ignore[attr-defined]
    if not values:
        return function

    def bound(*arguments: Any) -> Any:
        return function(*arguments, *values)

    bound.__dict__.update(vars(function))
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
    made = _kept(function)
    if not is_compiled(made):
        raise NotCompiledError("NUMBA_DISABLE_JIT is set")
    if isinstance(signature.return_type, types.Array):
        made = _keys(made, values, order_name(function))
    elif values:
        made = _bound(made, values)
    try:
        made.compile(signature)
    except NumbaError as error:
        raise NotCompiledError(reason(error)) from None
    # Another process makes the same kernel of the same function, and finds it on disk.
    made.__dict__["made_by"] = (compiled, (function, signature, values))
    return made


def defaults(function: Callable[..., Any], arity: int) -> tuple[Any, ...]:
    """Return the defaults of a function's parameters behind the first ``arity``."""
    try:
        found = list(signature_of(function).parameters.values())[arity:]
    except ValueError:  # what is not written in Python has none
        return ()
    return tuple(p.default for p in found if p.default is not p.empty)


def _kept(function: Callable[..., Any]) -> Any:
    """Return a function as a kernel; what stands at the top of a user's file is kept on disk, unless the user does."""
    plain = getattr(function, "py_func", function)
    own = getattr(function, "targetoptions", {})
    home = plain.__module__ or ""  # code that exec runs may have none
    module = sys.modules.get(home)
    in_file = getattr(module, plain.__name__, None) is function
    if (
        home.startswith(PREFIX)
        and in_file
        and type(getattr(function, "_cache", NullCache())) is NullCache
    ):
        options = {key: own[key] for key in ("fastmath", "error_model") if key in own}
        return kernel(plain, **{"error_model": "python"} | options)
    return function if is_compiled(function) else njit(nogil=True)(function)


def _bound(made: Any, values: tuple[Any, ...]) -> Any:
    """Return the kernel of a cost with constants behind its arguments."""

    @made_kernel
    def cost(start: Any, jobs: Any, now: Any) -> Any:
        return made(start, jobs, now, *values)

    return cost


def _keys(made: Any, values: tuple[Any, ...], name: str) -> Any:
    """Return the kernel of an order with constants behind its arguments; its keys, of any numeric type, are checked."""
    wrong_number = f"order {name} returned more or fewer keys than one for each waiting job"
    not_a_number = f"order {name} returned a key that is NaN"

    @made_kernel
    def keys(jobs: Any, now: Any) -> Any:
        found = made(jobs, now, *values).astype(np.float64)
        if len(found) != len(jobs.submit):
            raise OrderError(wrong_number)
        for key in found:
            if np.isnan(key):
                raise OrderError(not_a_number)
        return found

    keys.__name__ = name
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
