"""What orders return is checked: one key for each waiting job, and none that is NaN; keys may be infinite."""

from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from planbatch.planner.model import FloatArray, JobTable


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
    order <lambda> returned a key that is NaN
    """


def order_name(order: Any) -> str:
    """Return what messages call an order."""
    return str(getattr(order, "__name__", type(order).__name__)).replace("_", "-")


def checked_keys(order: Any, jobs: JobTable, now: int) -> FloatArray:
    """Return the keys of an order in plain Python.

    Raises
    ------
    OrderError
        If it raises, or does not return one number for each job; names it.
    """
    try:
        keys = order(jobs, now)
    except OrderError:
        raise
    except Exception as error:
        raise OrderError(
            f"order {order_name(order)} raised {type(error).__name__}: {error}"
        ) from error
    try:
        values = np.array(keys, dtype=np.float64)
    except (ValueError, TypeError):
        values = np.empty(0)
    if values.shape != jobs.submit.shape:
        shown = " ".join(repr(keys).split())
        raise OrderError(
            f"order {order_name(order)} returned {shown:.60}: expected one number for each of {len(jobs.submit)} jobs"
        )
    if np.isnan(values).any():
        raise OrderError(f"order {order_name(order)} returned a key that is NaN")
    return values


def checked_order(order: Any) -> Any:
    """Return an order whose keys are checked; compiled ones check them themselves (:mod:`plugins.compiling`)."""
    if isinstance(order, Dispatcher) or "made_by" in vars(order):
        return order

    def keys(jobs: JobTable, now: int) -> FloatArray:
        return checked_keys(order, jobs, now)

    keys.__name__ = order_name(order)
    return keys
