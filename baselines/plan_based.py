"""Plan-based scheduling: in every round an optimizer searches for the plan to act on (Zheng et al. 2016)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from planbatch import _core
from planbatch.baselines.policy import CorePolicy, Traits
from planbatch.baselines.promise import Promise, as_promise
from planbatch.planner.budget import DEFAULT_OPTIMIZER, REPLAY_EVALUATIONS, Budget, budget_of
from planbatch.planner.decoder import decode
from planbatch.planner.history.expectation import RUN_TIMES
from planbatch.planner.history.history import History
from planbatch.planner.model import NEVER
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.optimizer import Optimizer, Result, SearchInterrupted, Status, core_policy
from planbatch.planner.optimizers import as_optimizer, check_supported
from planbatch.planner.plan import Plan
from planbatch.planner.registry.objective import as_objective
from planbatch.planner.round import Round
from planbatch.planner.soundness import checked_search


@dataclass(frozen=True, init=False)
class PlanBased:
    """An optimizer and an objective as a policy: ``PlanBased("squared-wait", "tabu", evaluations=200)``.

    Attributes
    ----------
    objective : Objective
        What plans cost; given as an objective, a function ``cost(start, jobs, now)``, or a name.
    optimizer : Optimizer
        What searches for them; given as an optimizer or a name.
    budget : Budget
        For how long, in each round; given as ``evaluations`` (100 by default), ``seconds``,
        or both.
    promise : Promise, optional
        What jobs are promised when they are first planned. Every later plan keeps it: the search takes no plan that
        does not, and the plan of the round before, decoded again in the order of its starts, always does.
        Text is read by :meth:`Promise.parse`.
    name : str, optional
        What tables call it; ``plan-`` and the name of the objective by default.

    Raises
    ------
    ValueError
        If there is no objective or optimizer of a name, or a budget is out of its range. As
        ``UnsupportedObjectiveError``, if the optimizer cannot work on the objective.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> mine = pb.PlanBased("squared-wait", evaluations=50, name="mine")
    >>> pb.replay(workload, mine).policy
    'mine'
    """

    objective: Objective
    optimizer: Optimizer
    budget: Budget
    promise: Promise | None
    name: str = field(compare=False)

    def __init__(
        self,
        objective: Objective | Cost | str,
        optimizer: Optimizer | Callable[..., Any] | str = DEFAULT_OPTIMIZER,
        *,
        evaluations: int | None = None,
        seconds: float | None = None,
        promise: Promise | str | None = None,
        name: str | None = None,
    ) -> None:
        set_field = partial(object.__setattr__, self)  # the class is frozen
        set_field("objective", as_objective(objective))
        set_field("optimizer", as_optimizer(optimizer))
        set_field("budget", budget_of(evaluations, seconds, REPLAY_EVALUATIONS))
        set_field("promise", as_promise(promise))
        set_field("name", name or f"plan-{self.objective.label}")
        check_supported(self.optimizer, self.objective)
        _ = self.history  # refuses two

    def __repr__(self) -> str:
        promise = f"promise {self.promise}" if self.promise else "no promise"
        name = "" if self.name == f"plan-{self.objective.label}" else f"{self.name}: "
        return f"PlanBased({name}{self.objective.label} by {self.optimizer.name}, {self.budget} per round, {promise})"

    @property
    def traits(self) -> Traits:
        """It searches; its parameters are names of objective and optimizer, the budget, the promise, any scenarios."""
        scenarios, seconds = self.objective.scenarios, self.budget.seconds
        if seconds is not None:
            effort = max(seconds, 1e-6) * 1e6
        else:  # the core evaluates a plan in microseconds
            effort = 20.0 + (self.budget.evaluations or 0) * (50 if self._core_policy() is None else 1)
        return Traits(
            searches=True,
            timed=seconds is not None,
            effort=effort,
            needs_deadlines=self.objective.needs_deadlines,
            parameters={
                "objective": self.objective.name,
                "optimizer": self.optimizer.name,
                "evaluations": self.budget.evaluations,
                "seconds": seconds,
                "promise": "none" if self.promise is None else str(self.promise),
                **({} if scenarios is None else scenarios.parameters),
            },
        )

    @property
    def history(self) -> History | None:
        """The history that the objective or the optimizer's first plans ask for.

        Raises
        ------
        ValueError
            If they ask for different histories.
        """
        shared: History | None = getattr(self.optimizer, "history", None)
        own = self.objective.history
        if shared is None or own in (shared, RUN_TIMES):  # the latter has expectations, too
            return own
        if own is not None:
            raise ValueError(
                f"{self.name}: the objective asks for another history than the first plans of {self.optimizer.name}, "
                "and a replay has one"
            )
        return shared

    def core_form(self) -> CorePolicy | None:
        """The same policy for replays in the compiled core, or None if the optimizer searches in Python."""
        core = self._core_policy()
        if core is None:
            return None
        return CorePolicy(self.name, core, self.traits, self.history, self.promise)

    def _core_policy(self) -> _core.Policy | None:
        return core_policy(self.optimizer, self.objective, self.budget, self.promise is not None)

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan | Result:
        """Search for a plan; a round in which nothing can start keeps the plan as it is.

        With promises, such a round plans new jobs after the others, so that they get their promise.
        """
        return self.search(problem, rng) if problem.any_fits else self._previous_plan(problem)

    def search(self, problem: Round, rng: np.random.Generator) -> Result:
        """Search for a plan, whether anything can start now or not.

        Raises
        ------
        SearchInterrupted
            If the search was interrupted.
        """
        objective = self.objective.for_round(problem, rng)
        result = checked_search(self.optimizer, problem, objective, self.budget, rng)
        if result.status is Status.INTERRUPTED:
            raise SearchInterrupted(
                f"optimizer {self.optimizer.name} returned the status INTERRUPTED in the round at {problem.now}; "
                "of a search that ends by itself, it is FINISHED"
            )
        return result

    def _previous_plan(self, problem: Round) -> Plan:
        if self.promise is not None:
            return decode(problem, np.argsort(problem.planned, kind="stable"))
        return Plan(np.where(problem.planned > problem.now, problem.planned, NEVER))
