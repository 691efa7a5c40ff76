"""Orders of waiting jobs: sort keys that put a queue, or a first permutation, into order.

An order is a function ``keys(jobs, now) -> float64 array``; the job with the smallest key comes first, equal keys
keep FCFS order. The formulas are in the core (``core/orders``); a user's order is plain Python.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from planbatch import _core
from planbatch.planner.columns import FloatArray, Permutation
from planbatch.planner.durations import seconds_of
from planbatch.planner.histories import asked_history
from planbatch.planner.history import History, history_of
from planbatch.planner.model import JobTable
from planbatch.planner.plugins.order_text import OrderText, take_apart
from planbatch.planner.plugins.reference import is_one
from planbatch.planner.plugins.registry import Registry

OrderKeys = Callable[[JobTable, int], FloatArray]


class OrderError(ValueError):
    """An order raised, or returned something else than one number for each waiting job.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> try:
    ...     pb.order_by(lambda jobs, now: [1.0, float("nan")], problem.jobs, problem.now)
    ... except pb.OrderError as error:
    ...     print(error)
    order <lambda> returned a key that is NaN in the round at 0
    """


@dataclass(frozen=True)
class CheckedOrder:
    """A user's order, whose errors name it and the round.

    Attributes
    ----------
    order : callable
        ``keys(jobs, now)``.
    name : str
        What messages call it.
    values : tuple
        Its further arguments.
    history : History, optional
        What it needs to know of the past.
    """

    order: Any
    name: str
    values: tuple[Any, ...] = ()
    history: History | None = None

    def __call__(self, jobs: JobTable, now: int) -> FloatArray:
        """Return the keys.

        Raises
        ------
        OrderError
            If the order raises, or does not return one number for each job.
        """
        where = f"in the round at {now}"
        try:
            keys = self.order(jobs, now, *self.values)
        except Exception as error:
            raise OrderError(
                f"order {self.name} raised {type(error).__name__} {where}: {error}"
            ) from error
        try:
            values = np.array(keys, dtype=np.float64)
        except (ValueError, TypeError):
            values = np.empty(0)
        if values.shape != jobs.submit.shape:
            shown = " ".join(repr(keys).split())
            raise OrderError(
                f"order {self.name} returned {shown:.60} {where}: expected one number for each of "
                f"{len(jobs.submit)} jobs"
            )
        if np.isnan(values).any():
            raise OrderError(f"order {self.name} returned a key that is NaN {where}")
        return values


def core_order(order: OrderKeys) -> _core.QueueOrder:
    """Return an order as the compiled core calls it."""
    return order if isinstance(order, _core.QueueOrder) else _core.PythonOrder(_checked(order))


def _checked(order: OrderKeys) -> CheckedOrder:
    if isinstance(order, CheckedOrder):
        return order
    return _accept(order, _name(order), ())  # type: ignore[return-value]


def _name(order: Any) -> str:
    return str(getattr(order, "__name__", type(order).__name__)).replace("_", "-")


def multifactor(
    age: float = 1000.0,
    fairshare: float = 10000.0,
    size: float = 0.0,
    max_age: str = "7d",
    half_life: str = "7d",
) -> OrderKeys:
    """Slurm's multifactor priority: the weighted sum of age, fair-share and size, largest first.

    Age is min(1, w / max_age), fair-share 2^(−U / S) with U the part that the user has in the decayed use of all and
    S the same share for every user so far, size n / N. Use accrues while jobs run, by the processors that they hold.
    Slurm computes use every five minutes, here it is up to date in every round; Slurm's priorities are whole numbers,
    these are not.

    Parameters
    ----------
    age, fairshare, size : float
        PriorityWeightAge, PriorityWeightFairshare, PriorityWeightJobSize.
    max_age, half_life : str
        PriorityMaxAge and PriorityDecayHalfLife, as durations.

    Raises
    ------
    ValueError
        If a weight is negative or a duration is none.
    """
    for name, weight in (("age", age), ("fairshare", fairshare), ("size", size)):
        if not weight >= 0:
            raise ValueError(f"multifactor: {name}: the weight {weight} is negative")
    lengths = []
    for name, text in (("max_age", max_age), ("half_life", half_life)):
        try:
            lengths.append(seconds_of(text))
        except ValueError as error:
            raise ValueError(f"multifactor: {name}: {error}") from None
        if not lengths[-1] > 0:
            raise ValueError(f"multifactor: {name}: {text} is not positive")
    return _core.Multifactor(float(age), float(fairshare), float(size), *map(float, lengths))


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


def _accept(order: Any, name: str, values: tuple[Any, ...]) -> OrderKeys:
    if isinstance(order, _core.QueueOrder):
        return order
    if isinstance(order, CheckedOrder):
        return order
    if not callable(order):
        raise ValueError(f"order: {order!r} is neither a function nor a name")
    return CheckedOrder(order, name, values, asked_history(f"order {name}", order))


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
        A function ``keys(jobs, now)``, a name of :data:`ORDERS`, or ``FILE.py:name`` or ``MODULE:name``; a suffix
        ``@T``, such as ``@20h``, puts jobs that have waited longer than T first, in FCFS order.

    Raises
    ------
    ValueError
        If there is no order of this name, or these are two.
    """
    if not isinstance(order, str):
        return _accept(order, _name(order), ())
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

    Raises
    ------
    ValueError
        If there is no order of a name.
    """
    parts = order_text(order) if isinstance(order, str) else OrderText("")
    if parts.backfilling is None:
        return as_order(order)
    primary, backfilling = (
        core_order(_with_threshold(part, parts.threshold))
        for part in (parts.primary, parts.backfilling)
    )
    wanted = [found for found in map(history_of, (primary, backfilling)) if found is not None]
    if any(history != wanted[0] for history in wanted):
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
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.order_by("smallest-area", problem.jobs, problem.now).tolist()
    [1, 0]
    """
    keys = as_order(order) if isinstance(order, str) else order
    if not isinstance(keys, _core.QueueOrder):
        keys = _checked(keys)
    values = keys(jobs, now)
    if np.isnan(values).any():
        raise OrderError(f"order {order} returned a key that is NaN in the round at {now}")
    return np.argsort(values, kind="stable")
