"""Sorting and copying columns in kernels: small kernels, where numba's own would take longer to compile than to run."""

from typing import Any

import numpy as np

from planbatch.planner.columns import Permutation
from planbatch.planner.kernels.native import borrowing_kernel, shared_kernel

#: Runs of this many entries are sorted by insertion before they are merged.
RUN = 16


@borrowing_kernel
def copy_column(target: Any, source: Any) -> None:
    """Copy the entries of one column into another."""
    for i in range(len(source)):
        target[i] = source[i]


@borrowing_kernel
def fill_column(target: Any, value: Any) -> None:
    """Write a number into every entry of a column."""
    for i in range(len(target)):
        target[i] = value


@borrowing_kernel
def sort_runs(keys: Any, order: Permutation) -> None:
    """Sort each run of ``RUN`` entries of an order by their keys; equal ones keep their places."""
    n = len(order)
    for first in range(0, n, RUN):
        for i in range(first + 1, min(first + RUN, n)):
            entry = order[i]
            key = keys[entry]
            place = i
            while place > first and keys[order[place - 1]] > key:
                order[place] = order[place - 1]
                place -= 1
            order[place] = entry


@borrowing_kernel
def merge_runs(keys: Any, order: Permutation, merged: Permutation, length: int) -> None:
    """Merge pairs of sorted runs of ``length`` entries of an order into another."""
    n = len(order)
    for first in range(0, n, 2 * length):
        middle = min(first + length, n)
        last = min(first + 2 * length, n)
        left, right = first, middle
        for k in range(first, last):
            if right == last or (left < middle and keys[order[left]] <= keys[order[right]]):
                merged[k] = order[left]
                left += 1
            else:
                merged[k] = order[right]
                right += 1


@shared_kernel
def stable_order(keys: Any) -> Permutation:
    """Return the indices that sort a column; equal entries keep their order (``np.argsort(keys, kind="stable")``).

    Keys must not be NaN.
    """
    n = len(keys)
    order = np.empty(n, np.int64)
    for i in range(n):
        order[i] = i
    sort_runs(keys, order)
    if n <= RUN:
        return order
    merged = np.empty(n, np.int64)
    length = RUN
    while length < n:
        merge_runs(keys, order, merged, length)
        order, merged = merged, order
        length *= 2
    return order
