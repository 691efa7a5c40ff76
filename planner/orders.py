"""Orders of waiting jobs: sort keys that put a queue, or a first permutation, into order.

An order is a function ``keys(jobs, now) -> float64 array``; the job with the smallest key comes first, equal keys
keep FCFS order. Undecorated Python works everywhere; under ``numba.njit`` it also runs inside the compiled replay.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planbatch.planner.decoder import Permutation
from planbatch.planner.kernels.native import kernel
from planbatch.planner.model import NEVER, JobTable
from planbatch.planner.names import did_you_mean

OrderKeys = Callable[[JobTable, int], NDArray[np.float64]]


@kernel
def submit_order(jobs: JobTable, now: int) -> NDArray[np.float64]:
    """First come, first served: the order of the queue itself (the seed of conservative backfilling)."""
    return np.arange(len(jobs.submit)).astype(np.float64)


@kernel
def shortest_first(jobs: JobTable, now: int) -> NDArray[np.float64]:
    """Smallest walltime first (SJF)."""
    return jobs.walltime.astype(np.float64)


@kernel
def longest_first(jobs: JobTable, now: int) -> NDArray[np.float64]:
    """Largest walltime first."""
    return -jobs.walltime.astype(np.float64)


@kernel
def smallest_first(jobs: JobTable, now: int) -> NDArray[np.float64]:
    """Fewest processors first."""
    return jobs.procs.astype(np.float64)


@kernel
def largest_first(jobs: JobTable, now: int) -> NDArray[np.float64]:
    """Most processors first."""
    return -jobs.procs.astype(np.float64)


@kernel
def smallest_area_first(jobs: JobTable, now: int) -> NDArray[np.float64]:
    """Smallest area (processors × walltime) first: Smith's rule on one machine of all the processors."""
    return jobs.procs.astype(np.float64) * jobs.walltime.astype(np.float64)


@kernel
def largest_area_first(jobs: JobTable, now: int) -> NDArray[np.float64]:
    """Largest area (processors × walltime) first."""
    return -(jobs.procs.astype(np.float64) * jobs.walltime.astype(np.float64))


@kernel
def earliest_deadline_first(jobs: JobTable, now: int) -> NDArray[np.float64]:
    """Earliest deadline first (EDF); jobs without a deadline come last."""
    return jobs.deadline.astype(np.float64)


@kernel
def regular_first(jobs: JobTable, now: int) -> NDArray[np.float64]:
    """The order of deadline-based backfilling: urgent jobs, those without a deadline, the others.

    Each in FCFS order. A job is urgent whose latest start lies within the time that the whole queue
    needs at least: Σ processors · walltime / processors of the largest waiting job.
    """
    n = len(jobs.submit)
    keys = np.empty(n)
    if n == 0:
        return keys
    area = (jobs.procs.astype(np.float64) * jobs.walltime.astype(np.float64)).sum()
    horizon = now + area / jobs.procs.max()
    for i in range(n):
        group = 1
        if jobs.deadline[i] != NEVER:
            group = 0 if jobs.deadline[i] - jobs.walltime[i] < horizon else 2
        keys[i] = group * n + i
    return keys


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


def as_order(order: OrderKeys | str) -> OrderKeys:
    """Take an order as it is, or by its name in :data:`ORDERS`.

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
    """The permutation of ``jobs`` by an order or its name; equal keys keep FCFS order.

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
