"""Amounts of resources: a number if processors are the only resource, else a row of numbers.

The kernels of the profile, the decoder and the policies are written once, on these few operations. ``free`` is a column
of shape (k,) for one resource and of shape (k, K) for K; a demand is a number or a row of shape (K,). numba compiles
each form separately, so that the second costs the first nothing.
"""

from typing import Any

import numpy as np
from numba.extending import overload


def enough(free: Any, i: int, demand: Any) -> bool:
    """Return whether entry ``i`` covers a demand, in every resource."""
    return bool(np.all(free[i] >= demand))


def take(free: Any, i: int, demand: Any) -> None:
    """Subtract a demand from entry ``i``."""
    free[i] -= demand


def give(free: Any, i: int, demand: Any) -> None:
    """Add a demand to entry ``i``."""
    free[i] += demand


def copy_entry(free: Any, target: int, source: int) -> None:
    """Copy one entry to another."""
    free[target] = free[source]


def same(free: Any, i: int, j: int) -> bool:
    """Return whether two entries are equal."""
    return bool(np.all(free[i] == free[j]))


def set_entry(free: Any, i: int, amount: Any) -> None:
    """Write an amount (or one number for all resources) into entry ``i``."""
    free[i] = amount


def at_least_nothing(free: Any, i: int) -> None:
    """Raise negative amounts in entry ``i`` to 0."""
    free[i] = np.maximum(free[i], 0)


def amount_of(amounts: Any, w: int, free: Any) -> Any:
    """Return row ``w`` of a table of amounts of all resources, as a demand on ``free``."""
    return amounts[w, 0] if free.ndim == 1 else amounts[w]


@overload(enough, strict=False)
def _enough(free: Any, i: Any, demand: Any) -> Any:
    if free.ndim == 1:
        return lambda free, i, demand: free[i] >= demand

    def every(free: Any, i: int, demand: Any) -> bool:
        for k in range(free.shape[1]):  # noqa: SIM110 (compiled)
            if free[i, k] < demand[k]:
                return False
        return True

    return every


@overload(take, strict=False)
def _take(free: Any, i: Any, demand: Any) -> Any:
    if free.ndim == 1:

        def one(free: Any, i: int, demand: Any) -> None:
            free[i] -= demand

        return one

    def every(free: Any, i: int, demand: Any) -> None:
        for k in range(free.shape[1]):
            free[i, k] -= demand[k]

    return every


@overload(give, strict=False)
def _give(free: Any, i: Any, demand: Any) -> Any:
    if free.ndim == 1:

        def one(free: Any, i: int, demand: Any) -> None:
            free[i] += demand

        return one

    def every(free: Any, i: int, demand: Any) -> None:
        for k in range(free.shape[1]):
            free[i, k] += demand[k]

    return every


@overload(copy_entry, strict=False)
def _copy_entry(free: Any, target: Any, source: Any) -> Any:
    if free.ndim == 1:

        def one(free: Any, target: int, source: int) -> None:
            free[target] = free[source]

        return one

    def every(free: Any, target: int, source: int) -> None:
        for k in range(free.shape[1]):
            free[target, k] = free[source, k]

    return every


@overload(same, strict=False)
def _same(free: Any, i: Any, j: Any) -> Any:
    if free.ndim == 1:
        return lambda free, i, j: free[i] == free[j]

    def every(free: Any, i: int, j: int) -> bool:
        for k in range(free.shape[1]):  # noqa: SIM110 (compiled)
            if free[i, k] != free[j, k]:
                return False
        return True

    return every


@overload(set_entry, strict=False)
def _set_entry(free: Any, i: Any, amount: Any) -> Any:
    if free.ndim == 1:

        def one(free: Any, i: int, amount: Any) -> None:
            free[i] = amount

        return one
    if getattr(amount, "ndim", 0) == 1:

        def every(free: Any, i: int, amount: Any) -> None:
            for k in range(free.shape[1]):
                free[i, k] = amount[k]

        return every

    def all_alike(free: Any, i: int, amount: Any) -> None:
        for k in range(free.shape[1]):
            free[i, k] = amount

    return all_alike


@overload(at_least_nothing, strict=False)
def _at_least_nothing(free: Any, i: Any) -> Any:
    if free.ndim == 1:

        def one(free: Any, i: int) -> None:
            free[i] = max(free[i], 0)

        return one

    def every(free: Any, i: int) -> None:
        for k in range(free.shape[1]):
            free[i, k] = max(free[i, k], 0)

    return every


@overload(amount_of, strict=False)
def _amount_of(amounts: Any, w: Any, free: Any) -> Any:
    if free.ndim == 1:
        return lambda amounts, w, free: amounts[w, 0]
    return lambda amounts, w, free: amounts[w]
