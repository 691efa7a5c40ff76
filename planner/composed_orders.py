"""Orders made of orders: with a threshold on the wait, or in pairs, one for the head and one for backfilling."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from planbatch.planner.checked_orders import checked_order
from planbatch.planner.history import history_of
from planbatch.planner.kernels.native import made_kernel
from planbatch.planner.kernels.signatures import ORDER_KEYS
from planbatch.planner.model import FloatArray, JobTable
from planbatch.planner.plugins.compiling import is_compiled

OrderKeys = Callable[[JobTable, int], FloatArray]


@cache
def longest_waiting_first(order: OrderKeys, seconds: int) -> OrderKeys:
    """Return an order in which jobs that have waited longer than a threshold come first, FCFS among themselves.

    Lelong, Reis, Trystram: "Tuning EASY-Backfilling Queues" (JSSPP 2017).

    Parameters
    ----------
    order : callable
        The order of all other jobs.
    seconds : int
        The threshold (s).
    """
    by = checked_order(order)

    def keys(jobs: JobTable, now: int) -> FloatArray:
        found = by(jobs, now).astype(np.float64)
        for i in range(len(found)):
            if now - jobs.submit[i] > seconds:
                found[i] = -np.inf
        return found

    return _made(keys, (order,), longest_waiting_first, (order, seconds))


@cache
def paired(primary: OrderKeys, backfilling: OrderKeys) -> OrderKeys:
    """Return two orders as one: the keys by the first, which says who is the head, and behind them those by the second.

    Only policies that backfill take such keys, twice as many as there are jobs; see
    :func:`~planbatch.baselines.head_of_queue.both_keys`.
    """
    of_head, of_others = checked_order(primary), checked_order(backfilling)

    def keys(jobs: JobTable, now: int) -> FloatArray:
        n = len(jobs.submit)
        both = np.empty(2 * n)
        first, second = of_head(jobs, now), of_others(jobs, now)
        for i in range(n):
            both[i] = first[i]
            both[n + i] = second[i]
        return both

    return _made(keys, (primary, backfilling), paired, (primary, backfilling))


def _made(
    keys: OrderKeys, parts: tuple[Any, ...], maker: Callable[..., Any], arguments: tuple[Any, ...]
) -> OrderKeys:
    """Return keys compiled if all their parts are; other processes make them of the same arguments."""
    made: Any = keys
    if all(map(is_compiled, parts)):
        made = made_kernel(keys)
        made.compile(ORDER_KEYS.signature)
    made.__dict__["made_by"] = (maker, arguments)
    histories = [history for history in map(history_of, parts) if history is not None]
    if any(history != histories[0] for history in histories):
        raise ValueError("order: two orders that ask for different histories cannot stand together")
    if histories:
        made.__dict__["history"] = histories[0]
    return made  # type: ignore[no-any-return]
