"""One search of a comparison, reproducible, and its checked result."""

import hashlib
from dataclasses import dataclass

import numpy as np

from planbatch.experiments.rounds.best_known import content_hash
from planbatch.experiments.runs.task import ProgressCallback
from planbatch.planner.budget import Budget
from planbatch.planner.model import IntArray
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Optimizer
from planbatch.planner.round import Round
from planbatch.planner.soundness import searched


@dataclass(frozen=True)
class Solution:
    """The plan that one search returned."""

    #: Cost of the plan; cost of the best first plan.
    cost: float
    seed_cost: float
    evaluations: int  # plans evaluated besides the first ones
    seconds: float  # wall-clock time (s)
    status: str  # how the search ended
    lower_bound: float  # the bound that the search itself proved; NaN if none
    start: IntArray  # the plan; shape (n,)


@dataclass(frozen=True)
class Search:
    """A search to be run: a task for :func:`run_tasks`."""

    problem: Round
    optimizer: Optimizer
    objective: Objective  # what plans cost
    budget: Budget
    #: Seed. With the round's content and the names of optimizer and objective it gives the random numbers, so
    #: results depend neither on the number of processes nor on what else is compared.
    seed: int

    def rng(self) -> np.random.Generator:
        """Return the random numbers of this search."""
        names = (content_hash(self.problem), self.optimizer.name, self.objective.name, self.seed)
        digest = hashlib.sha256("|".join(map(str, names)).encode()).digest()
        return np.random.default_rng(np.random.SeedSequence(int.from_bytes(digest, "big")))

    def __call__(self, report: ProgressCallback | None = None) -> Solution:
        """Search; ``OptimizerError`` if the optimizer raises, the plan is invalid or its cost is wrong."""
        result = searched(self.optimizer, self.problem, self.objective, self.budget, self.rng())
        return Solution(
            float(result.cost),
            float(result.seed_cost),
            int(result.evaluations),
            float(result.seconds),
            str(result.status),
            float(result.lower_bound),
            result.plan.start,
        )
