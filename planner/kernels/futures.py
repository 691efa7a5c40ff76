"""Scenarios of a round: what its jobs could turn out to take, and the profile that its running jobs then leave."""

from typing import NamedTuple

import numpy as np

from planbatch.planner.kernels.native import kernel, shared_kernel
from planbatch.planner.kernels.profile import new_amount_tables, new_amounts
from planbatch.planner.model import FloatArray, IntArray
from planbatch.planner.round import RoundArrays


class Futures(NamedTuple):
    """K scenarios of a round of n waiting jobs, drawn once, so that all its plans are judged in the same ones.

    Attributes
    ----------
    run : int64 array, shape (K, n)
        Run times of the waiting jobs (s).
    length_within, length_above : int64 arrays, shape (K, n)
        Their length classes; see :class:`~planbatch.planner.kernels.decode.JobClasses`.
    times, size, free : int64 arrays, shapes (K, p), (K,) and (K, p) or (K, p, R)
        The profile that each scenario begins with, in the first ``size`` entries of a row, and behind them the guard.
    order, start, at, left, cost : arrays, shapes (n,), (n,), (p + n + 2,), (p + n + 2,) or (p + n + 2, R), and (K,)
        Written while a plan is judged: an order, the starts that it decodes to, the profile that these leave, and what
        each scenario costs.
    risk : float
        The share of the scenarios, the cheapest ones, that do not count.
    """

    run: IntArray
    length_within: IntArray
    length_above: IntArray
    times: IntArray
    size: IntArray
    free: IntArray
    order: IntArray
    start: IntArray
    at: IntArray
    left: IntArray
    cost: FloatArray
    risk: float


@shared_kernel
def new_futures(arrays: RoundArrays, count: int, room: int, risk: float) -> Futures:
    """Make room for so many scenarios, in whose profiles there are at most ``room`` entries."""
    n = len(arrays.planned) if count else 0
    return Futures(
        np.empty((count, n), np.int64),
        np.empty((count, n), np.int64),
        np.empty((count, n), np.int64),
        np.empty((count, room), np.int64),
        np.empty(count, np.int64),
        new_amount_tables(arrays, count, room),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(room + n + 2, np.int64),
        new_amounts(arrays, room + n + 2),
        np.empty(count),
        risk,
    )


@kernel
def chosen_columns(table: IntArray, which: IntArray) -> IntArray:
    """Return copies of the columns with these indices, in their order."""
    chosen = np.empty((len(table), len(which)), np.int64)
    for k in range(len(table)):
        for i in range(len(which)):
            chosen[k, i] = table[k, which[i]]
    return chosen


@shared_kernel
def chosen_futures(futures: Futures, which: IntArray) -> Futures:
    """Return the same scenarios of some of the waiting jobs, in their order."""
    return Futures(
        chosen_columns(futures.run, which),
        chosen_columns(futures.length_within, which),
        chosen_columns(futures.length_above, which),
        futures.times,
        futures.size,
        futures.free,
        np.empty(len(which), np.int64),
        np.empty(len(which), np.int64),
        futures.at,
        futures.left,
        futures.cost,
        futures.risk,
    )
