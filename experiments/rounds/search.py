"""One search of a comparison: reproducible, warmed up, and its result checked."""

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
class Found:
    """The outcome of one search.

    Attributes
    ----------
    cost, seed_cost : float
        Cost of the plan; cost of the best first plan.
    evaluations : int
        Plans evaluated besides the first ones.
    seconds : float
        Wall-clock time (s), compilation excluded.
    status : str
        How the search ended.
    lower_bound : float
        The bound that the search itself proved; NaN if none.
    start : int64 array, shape (n,)
        The plan.
    """

    cost: float
    seed_cost: float
    evaluations: int
    seconds: float
    status: str
    lower_bound: float
    start: IntArray


@dataclass(frozen=True)
class Search:
    """A search to be run: a task for :func:`run_tasks`.

    Attributes
    ----------
    problem : Round
        The round.
    optimizer : Optimizer
        The optimizer.
    objective : Objective
        What plans cost.
    budget : Budget
        The budget.
    seed : int
        Seed. With the round's content and the names of optimizer and objective it gives the random numbers, so results
        depend neither on the number of processes nor on what else is compared.
    """

    problem: Round
    optimizer: Optimizer
    objective: Objective
    budget: Budget
    seed: int

    def rng(self) -> np.random.Generator:
        """Return the random numbers of this search."""
        names = (content_hash(self.problem), self.optimizer.name, self.objective.name, self.seed)
        digest = hashlib.sha256("|".join(map(str, names)).encode()).digest()
        return np.random.default_rng(np.random.SeedSequence(int.from_bytes(digest, "big")))

    def __call__(self, report: ProgressCallback | None = None) -> Found:
        """Search.

        Raises
        ------
        OptimizerError
            If the optimizer raises, the plan is invalid or its cost is wrong.
        """
        result = searched(self.optimizer, self.problem, self.objective, self.budget, self.rng())
        return Found(
            float(result.cost),
            float(result.seed_cost),
            int(result.evaluations),
            float(result.seconds),
            str(result.status),
            float(result.lower_bound),
            result.plan.start,
        )
