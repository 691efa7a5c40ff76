"""One search of a round as a cell of a comparison: reproducible, warmed up, and not believed unseen."""

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from planbatch.experiments.rounds.best_known import content_hash, plan_faults, true_cost
from planbatch.planner.budget import Budget
from planbatch.planner.model import IntArray
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.optimizer import Optimizer
from planbatch.planner.optimizers import warm_up
from planbatch.planner.round import Round

#: By how much a cost may differ from what its plan costs, relatively.
COST_TOLERANCE = 1e-6
#: What this process has warmed up already.
_warm: set[tuple[type, str, str, Cost]] = set()


class UnsoundResultError(ValueError):
    """An optimizer returned no plan of its round, or not the cost of its plan."""


@dataclass(frozen=True)
class Found:
    """What one search came to.

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
        What the search itself proved; NaN for nothing.
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
    """A search to be run: a task for :func:`run_isolated`.

    Attributes
    ----------
    problem : Round
        The round.
    optimizer : Optimizer
        What searches.
    objective : Objective
        What plans cost.
    budget : Budget
        For how long.
    seed : int
        Which random numbers, together with the round's content and the names of optimizer and objective: so results
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

    def __call__(self) -> Found:
        """Search.

        Raises
        ------
        UnsoundResultError
            If the plan or its cost is not what it should be.
        """
        with suppress(
            Exception
        ):  # what cannot even warm up will fail below, with the round that matters
            warm_up_once(self.optimizer, self.objective)
        result = self.optimizer.optimize(self.problem, self.objective, self.budget, self.rng())
        self._check(result)
        return Found(
            float(result.cost),
            float(result.seed_cost),
            int(result.evaluations),
            float(result.seconds),
            str(result.status),
            float(result.lower_bound),
            result.plan.start,
        )

    def _check(self, result: Any) -> None:
        """Raise where the result is no plan of the round, or its cost another."""
        faults = plan_faults(self.problem, result.plan.start)
        if faults:
            raise UnsoundResultError(f"no plan of the round: {faults[0]}")
        cost = true_cost(self.problem, self.objective, result.plan.start)
        if not np.isclose(cost, result.cost, rtol=COST_TOLERANCE, atol=0):
            raise UnsoundResultError(
                f"cost {result.cost:.9g} claimed, but the plan costs {cost:.9g}"
            )


def warm_up_once(optimizer: Optimizer, objective: Objective) -> None:
    """Compile what a search runs, or load it from disk, if this process has not yet."""
    what = (type(optimizer), optimizer.name, objective.name, objective.cost)
    if what not in _warm:
        _warm.add(what)
        warm_up(optimizer, objective)
