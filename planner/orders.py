"""Orders of waiting jobs: sort keys that put a queue, or a first permutation, into order.

An order is a function ``keys(jobs, now) -> float64 array``; the job with the smallest key comes first, equal keys
keep FCFS order. Undecorated Python works everywhere; under ``numba.njit`` it also runs inside the compiled replay.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from planbatch.planner.columns import Permutation
from planbatch.planner.kernels.orders import (
    earliest_deadline_first,
    largest_area_first,
    largest_first,
    longest_first,
    regular_first,
    shortest_first,
    smallest_area_first,
    smallest_first,
    submit_order,
)
from planbatch.planner.kernels.signatures import ORDER_KEYS
from planbatch.planner.model import FloatArray, JobTable
from planbatch.planner.plugins.compiling import compiled_or_plain
from planbatch.planner.plugins.registry import Registry

OrderKeys = Callable[[JobTable, int], FloatArray]

#: The orders by name.
ORDERS: dict[str, Any] = {
    "submit": submit_order,
    "shortest": shortest_first,
    "longest": longest_first,
    "smallest": smallest_first,
    "largest": largest_first,
    "smallest-area": smallest_area_first,
    "largest-area": largest_area_first,
    "earliest-deadline": earliest_deadline_first,
    "regular-first": regular_first,
}


def _accept(order: Any, name: str, values: tuple[Any, ...]) -> OrderKeys:
    if not callable(order):
        raise ValueError(f"order: {order!r} is neither a function nor a name")
    if order in ORDERS.values():
        return order  # type: ignore[no-any-return]
    return compiled_or_plain(f"order {name}", order, ORDER_KEYS.signature, values)


#: The orders, packages' and users' own among them.
ORDER_NAMES = Registry("order", ORDERS, ("jobs", "now"), _accept, "orders")


def as_order(order: OrderKeys | str) -> OrderKeys:
    """Return an order unchanged, or make it of its name.

    Parameters
    ----------
    order : callable or str
        A function ``keys(jobs, now)``, a name of :data:`ORDERS`, or ``FILE.py:name`` or ``MODULE:name``. Functions in
        plain Python are compiled where numba can.

    Raises
    ------
    ValueError
        If there is no order of this name.
    """
    if isinstance(order, str):
        return ORDER_NAMES.make(order)  # type: ignore[no-any-return]
    return _accept(order, getattr(order, "__name__", "order"), ())


def order_by(order: OrderKeys | str, jobs: JobTable, now: int) -> Permutation:
    """Return the permutation of ``jobs`` by an order or its name; equal keys keep FCFS order.

    Raises
    ------
    ValueError
        If the order does not return one number per job, or there is none of this name.
    """
    keys = (
        as_order(order) if isinstance(order, str) else order
    )  # compiling takes longer than one call
    values = np.asarray(keys(jobs, now), dtype=np.float64)
    if values.shape != jobs.submit.shape or np.isnan(values).any():
        raise ValueError(
            f"order {keys.__name__}: expected one number for each of {len(jobs.submit)} jobs"
        )
    return np.argsort(values, kind="stable")
