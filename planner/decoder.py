"""The decoder: permutation → plan, each job in turn at its earliest feasible start."""

import numpy as np

from planbatch import _core
from planbatch.planner.arguments import expect
from planbatch.planner.columns import Permutation, permutation_of
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round

__all__ = ["Permutation", "decode"]


def decode(problem: Round, order: Permutation) -> Plan:
    """Return the plan of a permutation.

    Parameters
    ----------
    problem : Round
        The round.
    order : int array, shape (n,)
        Indices of the waiting jobs, each once.

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        If ``order`` is not a permutation of the round's jobs.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.decode(problem, [0, 1]).start.tolist(), pb.decode(problem, [1, 0]).start.tolist()
    ([0, 100], [50, 0])
    """
    expect("problem", problem, Round)
    if isinstance(order, np.ndarray) and order.dtype == np.int64 and order.ndim == 1:
        try:
            return Plan.of_core(_core.decode(problem.core, order))
        except ValueError:  # it is no permutation; what is said below
            pass
    try:
        indices = permutation_of(order, problem.ids)
    except ValueError as error:
        raise ValueError(f"order: not a permutation of the {len(problem)} waiting jobs, but {error}") from None
    return Plan(_core.decode(problem.core, indices) if len(problem) else indices, problem=problem)
