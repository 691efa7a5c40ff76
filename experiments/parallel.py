"""Applying a function to many things in parallel."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any


def parallel_map(function: Callable[[Any], Any], items: Iterable[Any], jobs: int = -1) -> list[Any]:
    """``list(map(function, items))`` in threads; kernels run free of the interpreter's lock.

    Parameters
    ----------
    function : callable
        What is applied; for instance one member of a :class:`planner.optimizers.portfolio.Portfolio`.
    items : iterable
        What it is applied to.
    jobs : int
        Threads; -1 for as many as there are cores.
    """
    from joblib import Parallel, delayed

    results: list[Any] = Parallel(n_jobs=jobs, backend="threading")(
        delayed(partial(function, item))() for item in items
    )
    return results
