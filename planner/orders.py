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
from planbatch.planner.model import FloatArray, JobTable
from planbatch.planner.names import did_you_mean

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


def as_order(order: OrderKeys | str) -> OrderKeys:
    """Return an order unchanged, or find it by its name in :data:`ORDERS`.

    Raises
    ------
    ValueError
        If there is no order of this name.
    """
    if not isinstance(order, str):
        return order
    if order not in ORDERS:
        raise ValueError(f"order: there is no {order!r}; {did_you_mean(order, ORDERS)}")
    return ORDERS[order]  # type: ignore[no-any-return]


def order_by(order: OrderKeys | str, jobs: JobTable, now: int) -> Permutation:
    """Return the permutation of ``jobs`` by an order or its name; equal keys keep FCFS order.

    Raises
    ------
    ValueError
        If the order does not return one number per job, or there is none of this name.
    """
    keys = as_order(order)
    values = np.asarray(keys(jobs, now), dtype=np.float64)
    if values.shape != jobs.submit.shape or np.isnan(values).any():
        raise ValueError(
            f"order {keys.__name__}: expected one number for each of {len(jobs.submit)} jobs"
        )
    return np.argsort(values, kind="stable")
