"""Plan-based scheduling: in every round an optimizer searches for the plan to act on (Zheng et al. 2016)."""

from dataclasses import dataclass

import numpy as np

from planbatch.baselines.policy import CompiledPolicy
from planbatch.baselines.promise import Promise
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.kernels.profile import any_fits
from planbatch.planner.model import NEVER
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Optimizer, Result, Status
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round


@dataclass(frozen=True)
class PlanBased:
    """An optimizer and an objective as a policy.

    Attributes
    ----------
    objective : Objective
        What plans cost.
    optimizer : Optimizer
        What searches for them.
    budget : Budget
        For how long, in each round.
    promise : Promise, optional
        What jobs are promised when they are first planned. Every later plan keeps it: the search takes no plan that
        does not, and the plan of the round before, decoded again in the order of its starts, always does.
    """

    objective: Objective
    optimizer: Optimizer = Annealing()  # noqa: RUF009 (frozen)
    budget: Budget = Budget(evaluations=100)  # noqa: RUF009 (frozen)
    promise: Promise | None = None

    def __post_init__(self) -> None:
        if not self.optimizer.supports(self.objective):
            raise ValueError(
                f"optimizer {self.optimizer.name} cannot work on the objective {self.objective.name}"
            )

    @property
    def name(self) -> str:
        """``plan-`` and the name of the objective."""
        return f"plan-{self.objective.name}"

    def compiled_form(self) -> CompiledPolicy | None:
        """The same policy for the compiled replay, or None where a part of it is not compiled."""
        decide = getattr(self.optimizer, "decide", None)
        evaluations = self.budget.evaluations
        if decide is None or not self.objective.compiled or self.budget.seconds is not None:
            return None
        assert isinstance(self.optimizer, Annealing)
        assert evaluations is not None
        params = (float(evaluations), float(self.promise is not None), *self.optimizer.params)
        return CompiledPolicy(self.name, decide, cost=self.objective.cost, params=params)

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan | Result:
        """Search for a plan; a round in which nothing can start keeps the plan as it is.

        Where promises are made, such a round plans the jobs that are new behind the others, so that they get theirs.
        """
        if not any_fits(problem.arrays):
            if self.promise is not None:
                return decode(problem, Plan(problem.planned).order())
            return Plan(np.where(problem.planned > problem.now, problem.planned, NEVER))
        result = self.optimizer.optimize(problem, self.objective, self.budget, rng)
        if result.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        return result
