"""CP-SAT: the round as a constraint model of intervals and a cumulative resource, solved by OR-Tools."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.bounds import terms_bound
from planner.budget import Budget, Clock
from planner.cpmodel import RoundModel, finest_unit, scale
from planner.decoder import decode
from planner.first_plan import FirstPlan, first_plan
from planner.objective import Objective, UnsupportedObjectiveError
from planner.optimizer import Result, Status
from planner.plan import Plan
from planner.round import Round
from planner.terms import Terms, check_terms

#: Up to so many jobs, the proof is what takes time: no model in coarse time, and all of the solver's searches.
FEW_JOBS = 15
#: Otherwise, the one complete search that one thread interleaves with neighbourhood searches (measured on real rounds).
SUBSOLVERS = ["quick_restart_no_lp"]


@dataclass(frozen=True)
class CpSat:
    """Constraint programming with OR-Tools' CP-SAT.

    Jobs are intervals under a cumulative constraint, running jobs are fixed intervals. The start of a job is bounded
    by the reduced costs of the Lagrangian bound: a later one would cost more than the best seed. Equal jobs start in
    a fixed order. Of short queues, the model also knows by how much each start exceeds the job's share of the
    Lagrangian bound at least, which is what makes proofs possible. The search is hinted with the best seed, and
    every plan that it finds is decoded, so that the result is feasible to the second and never worse than the seed.

    Squared terms are approximated from below by tangents, so the solver's bound stays a bound. Where the horizon is
    long, a first part of the budget goes to a model in coarse time, with durations rounded up; its plans start the
    model in seconds. Only the latter's bound is used.

    With a budget of evaluations only, the search ends at a deterministic time and depends on the seed of ``rng``
    alone (with one worker). A time limit in seconds is not reproducible: CP-SAT may stop anywhere.

    Attributes
    ----------
    workers : int
        Threads of the solver.
    time_per_evaluation : float
        The solver's deterministic time that stands for one evaluation; about as many seconds.
    units : int
        Coarse time has at most about so many units until the end of the best seed.
    coarse_share : float
        The share of the budget for the model in coarse time.
    name : str
        What tables call the optimizer.
    """

    workers: int = 1
    time_per_evaluation: float = 1e-4
    units: int = 300
    coarse_share: float = 0.6
    name: str = "cp-sat"

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ValueError(f"workers: {self.workers} is less than 1")
        if not self.time_per_evaluation > 0:
            raise ValueError(f"time_per_evaluation: {self.time_per_evaluation} is not positive")
        if self.units < 1:
            raise ValueError(f"units: {self.units} is less than 1")
        if not 0 <= self.coarse_share < 1:
            raise ValueError(f"coarse_share: {self.coarse_share} is not in 0 … 1, 1 excluded")

    def supports(self, objective: Objective) -> bool:
        """Objectives that declare their terms or state their cost to CP-SAT."""
        return objective.terms is not None or objective.cp_cost is not None

    def optimize(
        self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator
    ) -> Result:
        """Search for a plan; see :class:`~planner.optimizer.Optimizer`.

        Raises
        ------
        UnsupportedObjectiveError
            Where the objective declares neither terms nor ``cp_cost``.
        """
        clock = budget.start()
        if not self.supports(objective):
            raise UnsupportedObjectiveError(
                f"objective {objective.name} declares neither terms nor cp_cost"
            )
        seed = first_plan(problem, objective)
        run = _Run(self, problem, objective, seed)
        if len(problem):
            run.solve(clock, int(rng.integers(2**31)))
        best = run.best
        proven = run.lower_bound >= best.cost * (1 - 1e-12)
        return Result(
            plan=Plan(best.start),
            permutation=best.order,
            cost=best.cost,
            seed_cost=seed.cost,
            evaluations=clock.evaluations,
            seconds=clock.elapsed,
            native=objective.compiled,
            status=Status.OPTIMAL if proven else Status.FINISHED,
            lower_bound=min(run.lower_bound, best.cost),
        )


class _Run:
    """The state of one call of :meth:`CpSat.optimize`."""

    def __init__(
        self, optimizer: CpSat, problem: Round, objective: Objective, seed: FirstPlan
    ) -> None:
        self.optimizer, self.problem, self.objective = optimizer, problem, objective
        self.best = seed
        self.used = 0.0
        self.terms: Terms | None = None
        self.lower_bound = float("nan") if len(problem) else seed.cost
        if objective.terms is not None and len(problem):
            self.terms = check_terms(objective.terms(problem.jobs, problem.now), len(problem))
            self.lower_bound = terms_bound(problem, self.terms, seed.cost)

    def solve(self, clock: Clock, seed: int) -> None:
        """Solve the model in coarse time, where that is worth it, then the one in seconds."""
        last = int((self.best.start + self.problem.jobs.walltime).max()) - self.problem.now
        finest = finest_unit(self.problem, self.terms)
        coarse = max(1, -(-last // self.optimizer.units))
        few = len(self.problem) <= FEW_JOBS
        if coarse > finest and self.optimizer.coarse_share > 0 and not few:
            self._solve(clock, seed, coarse, self.optimizer.coarse_share)
        self._solve(clock, seed, finest, 1.0)

    def _solve(self, clock: Clock, seed: int, unit: int, share: float) -> None:
        """Solve the model in units of time within a share of what is left of the budget."""
        from ortools.sat.python import cp_model

        if self.lower_bound >= self.best.cost:
            return
        scaled = scale(self.problem, self.terms, unit)
        hint = decode(scaled.problem, self.best.order).start
        model = RoundModel(cp_model, scaled, self.objective, self.problem, hint)
        solver = cp_model.CpSolver()
        if not self._limit(solver.parameters, clock, share):
            return
        solver.parameters.random_seed = seed
        solver.parameters.num_workers = self.optimizer.workers
        if self.optimizer.workers == 1:
            # One thread takes turns between complete searches and neighbourhood searches.
            solver.parameters.interleave_search = True
            if len(self.problem) > FEW_JOBS:
                solver.parameters.subsolvers.extend(SUBSOLVERS)
        plans = _plans_of(cp_model, model.starts)
        status = solver.solve(model.model, plans)
        self.used += solver.response_proto.deterministic_time
        clock.evaluations = int(np.ceil(self.used / self.optimizer.time_per_evaluation))
        if clock.budget.evaluations is not None:
            clock.evaluations = min(clock.evaluations, clock.budget.evaluations)
        for starts in plans.found:
            self._take(starts)
        if self.terms is not None and unit == 1 and status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            bound = model.cost_of(solver.best_objective_bound)
            # Starts that cannot pay were cut off, hence never more than the cost.
            self.lower_bound = max(self.lower_bound, min(bound, self.best.cost))

    def _limit(self, parameters: Any, clock: Clock, share: float) -> bool:
        """Limit a search to a share of what is left; False where nothing is."""
        evaluations = clock.budget.evaluations
        if evaluations is not None:
            left = evaluations * self.optimizer.time_per_evaluation - self.used
            parameters.max_deterministic_time = max(0.0, left * share)
            if left <= 0:
                return False
        if clock.budget.seconds is not None:
            parameters.max_time_in_seconds = max(0.0, clock.remaining * share)
            return clock.remaining > 0
        return True

    def _take(self, starts: list[int]) -> None:
        """Decode a plan in units of time, and keep it if it is better."""
        order = np.argsort(np.array(starts), kind="stable")
        plan = decode(self.problem, order)
        if (plan.start > self.problem.jobs.latest).any():
            return
        cost = float(self.objective.cost(plan.start, self.problem.jobs, self.problem.now))
        if cost < self.best.cost:
            self.best = FirstPlan(order, plan.start, cost)


def _plans_of(cp_model: Any, starts: list[Any]) -> Any:
    """A callback of the solver that collects the plans it finds, each better than the one before."""

    class Plans(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.found: list[list[int]] = []

        def on_solution_callback(self) -> None:
            self.found.append([self.value(start) for start in starts])

    return Plans()
