"""The orders by name."""

from typing import Any

import numpy as np

from planbatch import _core
from planbatch.planner.columns import Permutation
from planbatch.planner.history.history import history_of
from planbatch.planner.model import JobTable
from planbatch.planner.orders.multifactor import multifactor
from planbatch.planner.orders.order import OrderError, OrderKeys, accept_order, core_order, order_name
from planbatch.planner.orders.text import OrderText, take_apart
from planbatch.planner.registry.reference import is_one
from planbatch.planner.registry.registry import Registry

ORDERS: dict[str, Any] = {
    "submit": _core.SubmitOrder(),
    "shortest": _core.ShortestFirst(),
    "longest": _core.LongestFirst(),
    "smallest": _core.SmallestFirst(),
    "largest": _core.LargestFirst(),
    "smallest-area": _core.SmallestAreaFirst(),
    "largest-area": _core.LargestAreaFirst(),
    "earliest-deadline": _core.EarliestDeadlineFirst(),
    "regular-first": _core.RegularFirst(),
    "lxf": _core.LargestExpansionFirst(),
    "wfp1": _core.Wfp1(),
    "wfp3": _core.Wfp3(),
    "unicef": _core.Unicef(),
    "fat": _core.Fat(),
    "srf": _core.SmallestRatioFirst(),
    "f1": _core.F1(),
    "f2": _core.F2(),
    "f3": _core.F3(),
    "f4": _core.F4(),
    "expected-area": _core.ExpectedAreaFirst(),
    "expected-slowdown": _core.ExpectedSlowdownFirst(),
    "multifactor": multifactor,
    # The same by the names that studies use.
    "fcfs": _core.SubmitOrder(),
    "sjf": _core.ShortestFirst(),
    "saf": _core.SmallestAreaFirst(),
}
"""The orders by name.

Examples
--------
>>> import planbatch as pb
>>> sorted(pb.ORDERS)[:4]
['earliest-deadline', 'expected-area', 'expected-slowdown', 'f1']
"""


#: The orders, packages' and users' own among them.
ORDER_NAMES = Registry("order", ORDERS, ("jobs", "now"), accept_order, "orders",
                       others={("start", "jobs", "now"): "plan:{}", ("problem", "rng"): "{}"})  # fmt: skip


def order_text(text: str) -> OrderText:
    """Take the text of an order apart; see :func:`as_order`."""

    def is_order(part: str) -> bool:
        return is_one(part, ORDER_NAMES.known) or is_one(part, ORDER_NAMES.plugins())

    return take_apart(text, is_order)


def as_order(order: OrderKeys | str) -> OrderKeys:
    """Return an order unchanged, or make it of its name.

    Parameters
    ----------
    order : callable or str
        A function ``keys(jobs, now)``, a name of :data:`ORDERS`, or ``FILE.py:name`` or ``MODULE:name``; a suffix
        ``@T``, such as ``@20h``, puts jobs that have waited longer than T first, in FCFS order.

    Raises
    ------
    ValueError
        If there is no order of this name, or these are two.
    """
    if not isinstance(order, str):
        return accept_order(order, order_name(order), ())
    parts = order_text(order)
    if parts.backfilling is not None:
        raise ValueError(
            f"order: {order!r} are two, one for the head of the queue and one for backfilling; here only one counts"
        )
    return _with_threshold(parts.primary, parts.threshold)


def as_orders(order: OrderKeys | str) -> OrderKeys:
    """Return :func:`as_order` for policies that backfill: ``PRIMARY/BACKFILLING`` names two orders.

    The first says which job is the head of the queue, the second in which order others may pass it; a threshold holds
    for both.

    Raises ``ValueError`` if there is no order of a name.
    """
    parts = order_text(order) if isinstance(order, str) else OrderText("")
    if parts.backfilling is None:
        return as_order(order)
    primary, backfilling = (
        core_order(_with_threshold(part, parts.threshold)) for part in (parts.primary, parts.backfilling)
    )
    histories = [one for one in map(history_of, (primary, backfilling)) if one is not None]
    if any(history != histories[0] for history in histories):
        raise ValueError("order: two orders that ask for different histories cannot be combined")
    return _core.PairOfOrders(primary, backfilling)


def _with_threshold(name: str, threshold: int | None) -> OrderKeys:
    order: OrderKeys = ORDER_NAMES.make(name)
    if threshold is None:
        return order
    return _core.LongestWaitingFirst(core_order(order), threshold)


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
    >>> from planbatch.planner import order_by
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> order_by("smallest-area", problem.jobs, problem.now).tolist()
    [1, 0]
    """
    values = as_order(order)(jobs, now)
    if np.isnan(values).any():
        raise OrderError(f"order {order} returned a key that is NaN in the round at {now}")
    return np.argsort(values, kind="stable")
