"""The objective of a search; the formulas are in ``objectives``."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from planbatch import _core
from planbatch.planner.failures import USER_ERRORS, failure
from planbatch.planner.history.expectation import RUN_TIMES
from planbatch.planner.history.history import History, history_of
from planbatch.planner.history.scenarios import Scenarios
from planbatch.planner.model import IntArray, JobTable
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms, check_terms

Cost = Callable[[IntArray, JobTable, int], float]
"""What users write: ``cost(start, jobs, now) -> float`` of the starts (int64, shape (n,), s), jobs and time (s).

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> def longest_wait(start, jobs, now):
...     return float((start - jobs.submit).max())
>>> pb.solve(problem, longest_wait).cost
50.0
"""


class ObjectiveError(ValueError):
    """An objective raised, or returned something that is not a finite number.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> try:
    ...     pb.solve(problem, lambda start, jobs, now: float("nan"))
    ... except pb.ObjectiveError as error:
    ...     print(error)
    objective <lambda> returned a cost that is not a finite number in the round at 0
    """


class UnsupportedObjectiveError(ValueError):
    """An optimizer was given an objective that it cannot work on.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> try:
    ...     pb.solve(problem, lambda start, jobs, now: 0.0, "cp-sat")
    ... except pb.UnsupportedObjectiveError as error:
    ...     print(error)
    optimizer cp-sat cannot work on the objective <lambda>, which declares neither terms nor a model
    """


@dataclass(frozen=True)
class Objective:
    """A cost of plans, to be minimised.

    Attributes
    ----------
    name : str
        Its name in tables.
    cost : callable
        ``cost(start, jobs, now) -> float``: the planned starts (int64 array, s, one per waiting job), the waiting
        jobs (:class:`~planbatch.planner.model.JobTable`) and the time of the round (s). One of the compiled core, or
        plain Python.
    terms : callable, optional
        ``terms(jobs, now) -> Terms``: the cost as a sum, or the largest, of one term per job. With it, lower bounds,
        branch and bound and CP-SAT work on the objective.
    bound : callable, optional
        ``bound(problem, upper, iterations) -> float``: a lower bound of the cost of every plan, for objectives
        without terms; see :func:`lower_bound`.
    cp_cost : callable, optional
        ``cp_cost(model, starts, jobs, now)``: states the cost to CP-SAT, for objectives without terms; see
        :mod:`optimizer`.
    guide : callable or Objective, optional
        A second criterion in the units of the cost: the search ``hybrid`` descends the sum of both, so that plans of
        equal cost are not a plateau. The best plan is that of the least cost. Makespan and deadlines have one.
    needs_deadlines : bool
        Whether every plan costs 0 if no job has a deadline; the command then warns.
    scenarios : Scenarios, optional
        In how many scenarios of run times plans are judged; by walltimes alone if there are none. Such an objective
        has neither terms nor a bound.
    futures : _core.Scenarios, optional
        Those of one round; see :meth:`for_round`.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> def longest_wait(start, jobs, now):
    ...     return float((start - jobs.submit).max())
    >>> mine = pb.Objective("longest-wait", longest_wait)
    >>> pb.solve(problem, mine).cost, mine.compiled
    (50.0, False)
    """

    name: str
    cost: Cost
    terms: Callable[[JobTable, int], Terms] | None = None
    bound: Callable[[Round, float | None, int], float] | None = None
    cp_cost: Callable[..., Any] | None = None
    guide: "Cost | Objective | None" = None
    needs_deadlines: bool = False
    scenarios: Scenarios | None = None
    futures: _core.Scenarios | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.cost, _core.Objective) and not callable(self.cost):
            raise ValueError(f"objective {self.name}: the cost {self.cost!r} is not a function")
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"objective: the name {self.name!r} is no text, or empty")

    def __repr__(self) -> str:
        return f"Objective({self.label}{'' if self.compiled else ', plain Python'})"

    @property
    def compiled(self) -> bool:
        """Whether ``cost`` is compiled, rather than plain Python."""
        return isinstance(self.cost, _core.Objective)

    @property
    def label(self) -> str:
        """Its name, and its scenarios after a colon."""
        return self.name if self.scenarios is None else f"{self.name}:{self.scenarios}"

    @property
    def history(self) -> History | None:
        """The history that it needs: that of run times for scenarios, or what the cost asks for."""
        return history_of(self.cost) if self.scenarios is None else RUN_TIMES

    def terms_of(self, problem: Round) -> Terms:
        """Return the terms of a round, checked.

        Raises
        ------
        UnsupportedObjectiveError
            If the objective declares none.
        """
        if self.terms is None:
            raise UnsupportedObjectiveError(f"objective {self.name} declares no terms")
        return check_terms(self.terms(problem.jobs, problem.now), len(problem))

    def for_round(self, problem: Round, rng: np.random.Generator) -> "Objective":
        """Return the objective for the searches of one round: with scenarios, the same for all of its plans."""
        if self.scenarios is None or self.futures is not None:
            return self
        return replace(self, futures=self.scenarios.draw(problem, rng))

    @cached_property
    def core(self) -> _core.Objective:
        """The cost as the compiled core calls it; errors of plain Python name the objective and the round."""
        own = self.cost
        if not isinstance(own, _core.Objective):
            own = _core.PythonObjective(CheckedCost(self.name, own))
        if self.guide is None:
            return own
        guide = self.guide
        if not isinstance(guide, Objective):
            guide = Objective(f"{self.name}, guide", guide)
        return _core.Guided(own, guide.core)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields, which is all that is sent to other processes."""
        return {name: value for name, value in vars(self).items() if name != "core"}

    def search(self, problem: Round, **options: Any) -> _core.OrderSearch:
        """Begin to search a round, which has at least one waiting job; see ``_core.OrderSearch``.

        Raises
        ------
        ValueError
            If the scenarios of the round have not been drawn.
        """
        if self.scenarios is not None and self.futures is None:
            raise ValueError(
                f"objective {self.name}: draw the round's scenarios before the search: "
                "objective.for_round(problem, rng)"
            )
        options.setdefault("setting", [])
        return _core.OrderSearch(problem.core, self.core, self.futures, **options)


@dataclass(frozen=True)
class CheckedCost:
    """A cost in plain Python, whose errors name it and the round."""

    name: str  #: the name of the objective
    cost: Cost  #: ``cost(start, jobs, now)``

    @property
    def history(self) -> History | None:
        """What the cost needs to know of the past."""
        return getattr(self.cost, "history", None)

    def __call__(self, start: IntArray, jobs: JobTable, now: int) -> float:
        """Return the cost; ``ObjectiveError`` if the function raises, or does not return a finite number."""
        try:
            value = self.cost(start, jobs, now)
        except USER_ERRORS as error:
            raise ObjectiveError(f"objective {self.name} {failure(error, f'in the round at {now}')}") from error
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise ObjectiveError(
                f"objective {self.name} returned {type(value).__name__}, not a number, in the round at {now}"
            )
        try:
            number = float(value)
        except OverflowError:  # a whole number of Python's may be larger
            number = np.inf
        if not np.isfinite(number):
            raise not_finite(self.name, now)
        return number


def not_finite(objective: Objective | str, now: int) -> ObjectiveError:
    """Return the error for a cost of an objective, or that of a name, that is NaN or infinite."""
    name = objective if isinstance(objective, str) else objective.name
    return ObjectiveError(f"objective {name} returned a cost that is not a finite number in the round at {now}")
