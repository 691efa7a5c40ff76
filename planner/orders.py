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

OrderKeys = Callable[[JobTable, int], FloatArray]

#: The orders by the names that the command uses.
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


def order_by(keys: OrderKeys, jobs: JobTable, now: int) -> Permutation:
    """The permutation of ``jobs`` by ``keys``; equal keys keep FCFS order.

    Raises
    ------
    ValueError
        Where ``keys`` does not return one number a job.
    """
    values = np.asarray(keys(jobs, now), dtype=np.float64)
    if values.shape != jobs.submit.shape or np.isnan(values).any():
        raise ValueError(
            f"order {keys.__name__}: expected one number for each of {len(jobs.submit)} jobs"
        )
    return np.argsort(values, kind="stable")
