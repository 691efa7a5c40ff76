"""Orders of waiting jobs: sort keys that put a queue, or a first permutation, into order.

An order is a function ``keys(jobs, now) -> float64 array``; the job with the smallest key comes first, equal keys
keep FCFS order. Undecorated Python works everywhere; under ``numba.njit`` it also runs inside the compiled replay.
"""

from typing import Any

import numpy as np

from planbatch.planner.checked_orders import checked_keys
from planbatch.planner.columns import Permutation
from planbatch.planner.composed_orders import OrderKeys, longest_waiting_first, paired
from planbatch.planner.expectation import expected_area, expected_slowdown
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
from planbatch.planner.kernels.published_orders import (
    f1,
    f2,
    f3,
    f4,
    fat,
    largest_expansion_first,
    smallest_ratio_first,
    unicef,
    wfp1,
    wfp3,
)
from planbatch.planner.kernels.signatures import ORDER_KEYS
from planbatch.planner.model import JobTable
from planbatch.planner.multifactor import multifactor
from planbatch.planner.plugins.compiling import compiled_or_plain
from planbatch.planner.plugins.order_text import OrderText, take_apart
from planbatch.planner.plugins.reference import is_one
from planbatch.planner.plugins.registry import Registry

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
    "lxf": largest_expansion_first,
    "wfp1": wfp1,
    "wfp3": wfp3,
    "unicef": unicef,
    "fat": fat,
    "srf": smallest_ratio_first,
    "f1": f1,
    "f2": f2,
    "f3": f3,
    "f4": f4,
    "expected-area": expected_area,
    "expected-slowdown": expected_slowdown,
    "multifactor": multifactor,
    # The same by the names that studies use.
    "fcfs": submit_order,
    "sjf": shortest_first,
    "saf": smallest_area_first,
}
"""The orders by name.

Examples
--------
>>> import planbatch as pb
>>> sorted(pb.ORDERS)[:4]
['earliest-deadline', 'expected-area', 'expected-slowdown', 'f1']
"""


def _accept(order: Any, name: str, values: tuple[Any, ...]) -> OrderKeys:
    if not callable(order):
        raise ValueError(f"order: {order!r} is neither a function nor a name")
    if order in ORDERS.values() or "made_by" in vars(order):
        return order  # type: ignore[no-any-return]
    return compiled_or_plain(f"order {name}", order, ORDER_KEYS.signature, values)


#: The orders, packages' and users' own among them.
ORDER_NAMES = Registry("order", ORDERS, ("jobs", "now"), _accept, "orders")


def order_text(text: str) -> OrderText:
    """Take the text of an order apart; see :func:`as_order`."""

    def is_order(part: str) -> bool:
        return is_one(part, ORDER_NAMES.known) or is_one(part, ORDER_NAMES.registered())

    return take_apart(text, is_order)


def as_order(order: OrderKeys | str) -> OrderKeys:
    """Return an order unchanged, or make it of its name.

    Parameters
    ----------
    order : callable or str
        A function ``keys(jobs, now)``, a name of :data:`ORDERS`, or ``FILE.py:name`` or ``MODULE:name``; behind a name
        ``@T``, such as ``@20h``, has jobs that have waited for longer than T come first, in FCFS order. Functions in
        plain Python are compiled where numba can.

    Raises
    ------
    ValueError
        If there is no order of this name, or these are two.
    """
    if not isinstance(order, str):
        return _accept(order, getattr(order, "__name__", "order"), ())
    parts = order_text(order)
    if parts.backfilling is not None:
        raise ValueError(
            f"order: {order!r} are two, one for the head of the queue and one for backfilling; here only one counts"
        )
    return _with_threshold(parts.primary, parts.threshold)


def as_orders(order: OrderKeys | str) -> OrderKeys:
    """Return :func:`as_order` for policies that backfill: ``PRIMARY/BACKFILLING`` names two orders.

    The first says which job is the head of the queue, the second in which order others may pass it; a threshold holds
    for both. See :func:`~planbatch.planner.composed_orders.paired`.

    Raises
    ------
    ValueError
        If there is no order of a name.
    """
    parts = order_text(order) if isinstance(order, str) else OrderText("")
    if parts.backfilling is None:
        return as_order(order)
    primary, backfilling = (
        _with_threshold(part, parts.threshold) for part in (parts.primary, parts.backfilling)
    )
    return paired(primary, backfilling)


def _with_threshold(name: str, threshold: int | None) -> OrderKeys:
    order: OrderKeys = ORDER_NAMES.make(name)
    return order if threshold is None else longest_waiting_first(order, threshold)


def order_by(order: OrderKeys | str, jobs: JobTable, now: int) -> Permutation:
    """Return the permutation of ``jobs`` by an order or its name; equal keys keep FCFS order.

    Parameters
    ----------
    order : callable or str
        ``keys(jobs, now)``, float64 of shape (n,), the smallest first; or a name of :data:`ORDERS`.
    jobs : JobTable
        The waiting jobs.
    now : int
        The time of the round (s).

    Returns
    -------
    int64 array, shape (n,)
        Indices of the jobs, the first in the queue first.

    Raises
    ------
    ValueError
        If there is no order of this name; as ``OrderError``, if it raises or does not return one number per job.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.order_by("smallest-area", problem.jobs, problem.now).tolist()
    [1, 0]
    """
    keys = (
        as_order(order) if isinstance(order, str) else order
    )  # compiling takes longer than one call
    return np.argsort(checked_keys(keys, jobs, now), kind="stable")
