"""Columns of whole numbers: types, limits, and the conversion of input."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from planbatch.planner.display import short_repr

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Permutation = NDArray[np.int64]
"""An order of a round's waiting jobs: their indices, each once; int64, shape (n,).

Examples
--------
>>> import numpy as np
>>> import planbatch as pb
>>> from planbatch.planner import Permutation
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> order: Permutation = np.array([1, 0])
>>> pb.decode(problem, order).start.tolist()
[50, 0]
"""

NEVER = 2**60
"""The time that never comes (s): no deadline, no promise, no start.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> problem.jobs.deadline[0] == pb.NEVER
np.True_
"""
#: The largest accepted time, size or duration: beyond it, float64 no longer holds every integer.
MAX_VALUE = 2**53


def int_column(name: str, values: object, least: int, most: int = MAX_VALUE) -> IntArray:
    """Return ``values`` as a read-only int64 array, shape (n,), or raise a ``ValueError`` that names column and entry.

    Whole numbers from ``least`` to ``most``, both included, are accepted, and ``NEVER``.
    """
    array = np.asarray(values)
    if array.ndim == 0:
        raise ValueError(f"{name}: {short_repr(values)} is not a list of whole numbers")
    if array.ndim > 1:
        raise ValueError(f"{name}: expected one dimension, got shape {array.shape}")
    if array.dtype.kind not in "iu":
        if array.dtype.kind not in "fb" and array.size:
            raise ValueError(f"{name}: expected whole numbers, got {short_repr(values)}")
        wrong = np.flatnonzero(~(np.isfinite(array) & (array == np.floor(array))))
        if wrong.size:
            raise ValueError(f"{name}[{wrong[0]}]: {array[wrong[0]]} is not a whole number")
    if array.size and (array.min() < least or array.max() > most):
        _refuse_outside(name, array, least, most)
    column = np.array(array, dtype=np.int64, order="C")
    column.flags.writeable = False
    return column


def _refuse_outside(name: str, array: IntArray, least: int, most: int) -> None:
    """Raise a ``ValueError`` for the first entry that is neither within the limits nor ``NEVER``."""
    wrong = np.flatnonzero(((array < least) | (array > most)) & (array != NEVER))
    if wrong.size:
        value = array[wrong[0]]
        if most >= MAX_VALUE and value < least:
            where = f"below {least}"
        elif least <= -MAX_VALUE and value > most:
            where = f"above {most}"
        else:
            where = f"outside {least} … {most}"
        raise ValueError(f"{name}[{wrong[0]}]: {value} is {where}")


def check_total(name: str, times: IntArray) -> None:
    """Raise a ``ValueError`` if plans could need times that no profile holds: their sum has to stay below ``NEVER``."""
    if len(times) * int(times.max(initial=0)) < NEVER:
        return
    total = (int((times >> 30).sum()) << 30) + int((times & (2**30 - 1)).sum())  # int64 could overflow
    if total >= NEVER:
        raise ValueError(
            f"{name}: the sum is {total:.3g} s, and has to stay below 2^60 s; give times in seconds, and a limit to "
            "jobs without one"
        )


def permutation_of(order: object, ids: IntArray) -> Permutation:
    """Return an order of a round's jobs, indices of which each stands once, as kernels take it; int64, shape (n,).

    The same array if kernels can take it. Otherwise a ``ValueError`` says what it is instead, such as the numbers of
    jobs, ``ids``, which may be mistaken for indices.
    """
    n = len(ids)
    try:
        array: NDArray[Any] = np.asarray(order)
    except ValueError:
        raise ValueError("rows of different lengths") from None
    if array.ndim != 1:
        raise ValueError(f"an array of shape {array.shape}" if array.ndim else short_repr(order))
    if array.dtype.kind not in "iu" and (n or array.size):
        raise ValueError(f"entries of type {array.dtype}")
    if len(array) != n:
        raise ValueError(f"{len(array)} positions for {n} jobs")
    if n == 0:
        return np.zeros(0, dtype=np.int64)
    if array.min() < 0 or array.max() >= n:
        if array.min() == 1 and array.max() == n:
            raise ValueError("positions counted from 1")
        if np.isin(array, ids).all():
            raise ValueError("the numbers of jobs")
        raise ValueError(f"position {array[(array < 0) | (array >= n)][0]}")
    fits = array.dtype == np.int64 and array.flags.carray
    indices = array if fits else np.array(array, dtype=np.int64)
    count = np.bincount(indices, minlength=n)
    if count.min() == 0:
        raise ValueError(f"position {count.argmax()} {count.max()} times")
    return indices
