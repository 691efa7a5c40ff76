"""Orders: functions ``keys(jobs, now) -> float64 array``.

The job with the smallest key comes first; equal keys keep FCFS order. The formulas are in the core (``core/orders``);
a user's own order is plain Python, checked in every round.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from planbatch import _core
from planbatch.planner.columns import FloatArray
from planbatch.planner.display import counted
from planbatch.planner.failures import USER_ERRORS, failure
from planbatch.planner.history.catalogue import required_history
from planbatch.planner.history.history import History
from planbatch.planner.model import JobTable

OrderKeys = Callable[[JobTable, int], FloatArray]


class OrderError(ValueError):
    """An order raised, or returned something else than one number for each waiting job.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import order_by
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> try:
    ...     order_by(lambda jobs, now: [1.0, float("nan")], problem.jobs, problem.now)
    ... except pb.OrderError as error:
    ...     print(error)
    order <lambda> returned a key that is NaN in the round at 0
    """


@dataclass(frozen=True)
class CheckedOrder:
    """A user's order, whose errors name it and the round."""

    order: Callable[..., object]  #: ``keys(jobs, now)``
    name: str  #: what messages call it
    values: tuple[Any, ...] = ()  #: its further arguments
    history: History | None = None  #: what it needs to know of the past

    def __call__(self, jobs: JobTable, now: int) -> FloatArray:
        """Return the keys; ``OrderError`` if the order raises, or does not return one number for each job."""
        where = f"in the round at {now}"
        try:
            keys = self.order(jobs, now, *self.values)
        except USER_ERRORS as error:
            raise OrderError(f"order {self.name} {failure(error, where)}") from error
        values = _numbers(keys)
        if values.shape != jobs.submit.shape:
            text = " ".join(repr(keys).split())
            raise OrderError(
                f"order {self.name} returned {text:.60} {where}: expected one number for each of "
                f"{counted(len(jobs.submit), 'job')}"
            )
        if np.isnan(values).any():
            raise OrderError(f"order {self.name} returned a key that is NaN {where}")
        return values


def _numbers(keys: object) -> FloatArray:
    """Return keys as an array, or an empty one if they are no numbers: numpy would also read texts and dates."""
    try:
        array = np.asarray(keys)
        return np.array(array, dtype=np.float64) if array.dtype.kind in "biufO" else np.empty(0)
    except (ValueError, TypeError, OverflowError):
        return np.empty(0)


def core_order(order: OrderKeys) -> _core.QueueOrder:
    """Return an order as the compiled core calls it."""
    accepted = accept_order(order, order_name(order), ())
    return accepted if isinstance(accepted, _core.QueueOrder) else _core.PythonOrder(accepted)


def order_name(order: object) -> str:
    """Return what messages call a user's order."""
    return str(getattr(order, "__name__", type(order).__name__)).replace("_", "-")


def accept_order(order: object, name: str, values: tuple[Any, ...]) -> OrderKeys:
    """Return an order ready for use: one of the core unchanged, a user's with its checks."""
    if isinstance(order, _core.QueueOrder | CheckedOrder):
        return order
    if not callable(order):
        raise ValueError(f"order: {order!r} is neither a function nor a name")
    return CheckedOrder(order, name, values, required_history(f"order {name}", order))
