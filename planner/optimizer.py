"""The protocol of optimizers, and what they return."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import numpy as np

from planbatch import _core
from planbatch.planner.budget import Budget, Clock
from planbatch.planner.columns import IntArray, Permutation
from planbatch.planner.display import duration, html_table
from planbatch.planner.objective import Objective
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round


class Status(StrEnum):
    """How a search ended.

    Examples
    --------
    >>> from planbatch.planner import Status
    >>> [status.value for status in Status]
    ['finished', 'optimal', 'interrupted']
    """

    #: The budget is used up, or the search has nothing more to try.
    FINISHED = "finished"
    #: The plan is proven to be optimal.
    OPTIMAL = "optimal"
    #: The user interrupted the search; the plan is the best so far.
    INTERRUPTED = "interrupted"


class SearchInterrupted(KeyboardInterrupt):
    """A policy's search ended with the status ``INTERRUPTED``: by Ctrl-C, or because its optimizer says so."""


@dataclass(frozen=True)
class Result:
    """The outcome of one search.

    Attributes
    ----------
    plan : Plan
        The best plan found.
    permutation : int64 array, shape (n,)
        The order that decodes to it.
    cost : float
        Its cost.
    seed_cost : float
        Cost of the best first plan; ``cost`` is never above it.
    evaluations : int
        Plans evaluated besides the first plans.
    seconds : float
        Wall-clock time of the search (s).
    native : bool
        Whether the objective ran compiled.
    status : Status
        How the search ended.
    lower_bound : float
        A proven bound: no plan costs less. NaN if none is known: searches that prove nothing leave it to
        :func:`solve`, so that replays of thousands of rounds do not pay for it.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> result = pb.solve(problem, "wait")
    >>> result.cost, result.lower_bound, result.gap
    (25.0, 25.0, 0.0)
    >>> result.permutation.tolist()
    [1, 0]
    """

    plan: Plan
    permutation: Permutation
    cost: float
    seed_cost: float
    evaluations: int
    seconds: float
    native: bool
    status: Status = Status.FINISHED
    lower_bound: float = float("nan")

    @classmethod
    def of_search(
        cls, start: IntArray, order: Permutation, cost: float, seed_cost: float, clock: Clock,
        native: bool, status: Status, lower_bound: float = float("nan"),
    ) -> "Result":  # fmt: skip
        """Return the result of a search that ends now, with what its clock has counted."""
        spent = (clock.evaluations, clock.elapsed)
        return cls(Plan(start), order, cost, seed_cost, *spent, native, status, lower_bound)

    def __repr__(self) -> str:
        bound = "" if self.lower_bound != self.lower_bound else f", bound {self.lower_bound:,.6g}"
        return (
            f"Result(cost {self.cost:,.6g}{bound}, {self.status}, {self.evaluations:,} evaluations in "
            f"{self.seconds:.3g} s, {self.plan!r})"
        )

    def _repr_html_(self) -> str:
        """Return what notebooks show: costs, the bound and what the search took."""
        has_bound = self.lower_bound == self.lower_bound
        rows = [
            ["cost", f"{self.cost:,.6g}"],
            ["best first plan", f"{self.seed_cost:,.6g}"],
            ["lower bound", f"{self.lower_bound:,.6g}" if has_bound else "–"],
            ["gap", f"{self.gap:.2%}" if has_bound else "–"],
            ["status", str(self.status)],
            ["evaluations", f"{self.evaluations:,}"],
            ["time", f"{self.seconds:.3g} s" if self.seconds < 100 else duration(self.seconds)],
            ["objective", "compiled" if self.native else "plain Python"],
        ]
        return html_table((), rows, "Result of a search") + self.plan._repr_html_()

    def to_frame(self) -> Any:
        """Return the plan as a data frame; see :meth:`Plan.to_frame`."""
        return self.plan.to_frame()

    @property
    def gap(self) -> float:
        """The most by which the plan can be above the optimum: (cost − bound) / cost; NaN without a bound."""
        if self.cost == 0:
            return 0.0
        return (self.cost - self.lower_bound) / abs(self.cost)


class Optimizer(Protocol):
    """A search for a good plan. Optimizers hold parameters only; the state of a run lives in the call.

    An optimizer may also have a method ``policy``, see :func:`core_policy`.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.objectives import WAIT
    >>> optimizer = pb.make_optimizer("tabu")
    >>> optimizer.name, optimizer.supports(WAIT)
    ('tabu', True)
    """

    @property
    def name(self) -> str:
        """The name of the optimizer in tables."""
        ...

    def supports(self, objective: Objective) -> bool:
        """Return whether the optimizer can work on this objective."""
        ...

    def optimize(self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator) -> Result:
        """Search for a plan of low cost, never worse than the best first plan, within the budget."""
        ...


def core_policy(optimizer: Optimizer, objective: Objective, budget: Budget, promised: bool) -> _core.Policy | None:
    """Return a search as a policy of the compiled core, or None if the optimizer has none for this budget.

    Optimizers that have one define ``policy(objective, budget, promised) -> _core.Policy | None``; ``promised`` says
    whether jobs are promised a latest start. It draws from the generator what ``optimize`` would, and keeps the plan of
    rounds in which nothing can start. Others need not define it.
    """
    policy = getattr(optimizer, "policy", None)
    return None if policy is None else policy(objective, budget, promised)
