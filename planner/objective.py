"""The objective of a search; the formulas are in ``objectives``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from planbatch.planner.model import IntArray, JobTable
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms

Cost = Callable[[IntArray, JobTable, int], float]


class ObjectiveError(ValueError):
    """An objective raised, or returned something that is not a finite number."""


class UnsupportedObjectiveError(ValueError):
    """An optimizer was given an objective that it cannot work on."""


@dataclass(frozen=True)
class Objective:
    """A cost of plans, to be minimised.

    Attributes
    ----------
    name : str
        Its name in tables.
    cost : callable
        ``cost(start, jobs, now) -> float``: the planned starts (int64 array, s, one per waiting job), the waiting
        jobs (:class:`~planbatch.planner.model.JobTable`) and the time of the round (s). Plain Python, or compiled by
        ``numba.njit`` (then it runs inside the compiled search).
    terms : callable, optional
        ``terms(jobs, now) -> Terms``: the cost as a sum, or the largest, of one term per job. With it, lower bounds,
        branch and bound and CP-SAT work on the objective.
    bound : callable, optional
        ``bound(problem, upper, iterations) -> float``: a lower bound of the cost of every plan, for objectives
        without terms; see :func:`lower_bound`.
    cp_cost : callable, optional
        ``cp_cost(model, starts, jobs, now)``: states the cost to CP-SAT, for objectives without terms; see
        :mod:`optimizer`.
    """

    name: str
    cost: Cost
    terms: Callable[[JobTable, int], Terms] | None = None
    bound: Callable[[Round, float | None, int], float] | None = None
    cp_cost: Callable[..., Any] | None = None

    @property
    def compiled(self) -> bool:
        """Whether ``cost`` can run inside compiled kernels."""
        return isinstance(self.cost, Dispatcher)


def checked(objective: Objective, now: int) -> Cost:
    """Return the cost function of an objective, whose errors name the objective and the round."""

    def cost(start: IntArray, jobs: JobTable, when: int) -> float:
        try:
            value = objective.cost(start, jobs, when)
        except Exception as error:
            raise ObjectiveError(
                f"objective {objective.name} raised {type(error).__name__} in the round at {now}: {error}"
            ) from error
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
            raise ObjectiveError(
                f"objective {objective.name} returned {type(value).__name__}, not a number, "
                f"in the round at {now}"
            )
        return float(value)

    return cost


def not_finite(objective: Objective, now: int) -> ObjectiveError:
    """Return the error for a cost that is NaN or infinite."""
    return ObjectiveError(
        f"objective {objective.name} returned a cost that is not a finite number in the round at {now}"
    )
