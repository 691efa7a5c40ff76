"""Users' functions as machine code: compiled by numba, through its public interface alone, where it is installed.

Nothing else imports numba, and everything works without it: then objectives run as plain Python.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Any

from planbatch import _core
from planbatch.planner.columns import IntArray
from planbatch.planner.history.expectation import expected_rate, expected_run
from planbatch.planner.history.fair_share import fair_share
from planbatch.planner.model import JobTable
from planbatch.planner.objective import CheckedCost

_LINE = re.compile(r'File "([^"]+)", line (\d+)')
_NOISE = ("Failed in nopython", "During:", "File ", "<source", "This error", "Use of unsupported")


class NotCompiledError(ValueError):
    """A function cannot be compiled; the message says where and why."""


def can_compile() -> bool:
    """Return whether numba is installed: the extra ``planbatch[compiled]``."""
    return find_spec("numba") is not None


def compiler() -> str:
    """Return the compiler of users' functions and its version, for the keys of results."""
    from numba import __version__

    return f"numba {__version__}"


def plain_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the plain Python of a function that a user has compiled."""
    return getattr(function, "py_func", function)


@lru_cache(maxsize=256)
def compiled_objective(
    function: Callable[..., float], values: tuple[Any, ...] = (), name: str = "compiled"
) -> _core.CompiledObjective:
    """Compile ``cost(start, jobs, now, *values)``, an objective of this name.

    Reads and writes outside of arrays raise, and columns of jobs cannot be changed. What raises, or is not a finite
    number, is computed again in plain Python, whose errors name the objective and the round.

    Raises ``NotCompiledError`` if numba is not installed, or cannot compile the function.
    """
    if not can_compile():
        raise NotCompiledError("numba is not installed; get it with: pip install 'planbatch[compiled]'")
    from numba import cfunc, njit, types

    _have_helpers_compiled()
    arguments, arrays_of = _core_arguments()
    kernel = njit(boundscheck=True)(plain_function(function))

    def partial_cost(start: IntArray, jobs: JobTable, now: int) -> float:
        return kernel(start, jobs, now, *values)  # type: ignore[no-any-return]

    cost = njit(partial_cost) if values else kernel  # in the try below, numba takes no *values

    def call(  # one C argument per column
        start: Any, submit: Any, procs: Any, walltime: Any, deadline: Any, latest: Any, user: Any,
        demands: Any, past: Any, n: int, further: int, columns: int, now: int, result: Any,
    ) -> int:  # fmt: skip
        try:
            starts, jobs = arrays_of(
                start, submit, procs, walltime, deadline, latest, user, demands, past, n, further, columns
            )
            result[0] = 1.0 * cost(starts, jobs, now)  # float() would read a text
        except Exception:  # raised again by the same function in plain Python
            return 1
        return 0

    try:
        compiled = cfunc(types.int64(*arguments, types.int64, types.CPointer(types.float64)))(call)
    except Exception as error:  # not only numba's own: a compiler that stumbles raises anything, such as KeyError
        raise NotCompiledError(_reason(error)) from None

    def plain(start: IntArray, jobs: JobTable, now: int) -> float:
        return plain_function(function)(start, jobs, now, *values)  # type: ignore[no-any-return]

    plain.__dict__.update(vars(plain_function(function)))
    assert compiled.address is not None
    return _core.CompiledObjective(
        compiled.address, compiled, CheckedCost(name, plain), compiled_objective, (function, values, name)
    )


@cache
def _core_arguments() -> tuple[tuple[Any, ...], Any]:
    """Return the types of the arguments with which the core passes a round, and what makes read-only arrays of them."""
    from numba import carray, njit, types

    def same(array: object) -> Any:
        return array

    def read_only(entry: Any, dimensions: int) -> Any:
        kind = types.Array(entry, dimensions, "C", readonly=True)
        return njit(kind(kind))(same)

    ints, int_table, table = read_only(types.int64, 1), read_only(types.int64, 2), read_only(types.float64, 2)

    def arrays_of(
        start: Any, submit: Any, procs: Any, walltime: Any, deadline: Any, latest: Any, user: Any,
        demands: Any, past: Any, n: int, further: int, columns: int,
    ) -> tuple[IntArray, JobTable]:  # fmt: skip
        return ints(carray(start, n)), JobTable(
            ints(carray(submit, n)),
            ints(carray(procs, n)),
            ints(carray(walltime, n)),
            ints(carray(deadline, n)),
            ints(carray(latest, n)),
            ints(carray(user, n)),
            int_table(carray(demands, (n, further))),
            table(carray(past, (n, columns))),
        )

    arguments = (*[types.CPointer(types.int64)] * 8, types.CPointer(types.float64), *[types.int64] * 3)
    return arguments, njit(arguments)(arrays_of)


@cache
def _have_helpers_compiled() -> None:
    """Teach numba the functions by which users' objectives read the past."""
    from numba.extending import overload

    def compiles_to(function: Any) -> Callable[..., Any]:
        plain = FunctionType(function.__code__, function.__globals__)  # without annotations, as numba wants it
        return lambda jobs, i: plain  # noqa: ARG005 - numba matches the names of the arguments

    for function in (expected_run, expected_rate, fair_share):
        overload(function)(compiles_to(function))


def _reason(error: Exception) -> str:
    """Return the place and the first sentence of numba's explanation."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    places = [place for place in _LINE.findall(text) if Path(place[0]).name != Path(__file__).name]
    lines = [line.strip() for line in text.splitlines()]
    reason = next((line for line in lines if line and not line.startswith(_NOISE)), "no reason given")
    reason = reason.rstrip(".")
    where = f"{places[-1][0]}, line {places[-1][1]}: " if places else ""
    return f"{where}{reason}"
