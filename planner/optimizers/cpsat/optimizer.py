"""The CP-SAT optimizer: a constraint model of intervals and cumulative resources, solved by OR-Tools."""

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from planbatch.planner.arguments import number, whole
from planbatch.planner.bounds import terms_bound
from planbatch.planner.bounds.separable import ROW_ITERATIONS
from planbatch.planner.budget import Budget, Clock
from planbatch.planner.decoder import decode
from planbatch.planner.display import brief_repr
from planbatch.planner.objective import Objective, UnsupportedObjectiveError
from planbatch.planner.optimizer import Result, Status
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.optimizers.cpsat.model import RoundModel, finest_unit, scale
from planbatch.planner.optimizers.first_plan import FirstPlan, first_plan
from planbatch.planner.round import Round
from planbatch.planner.soundness import true_cost
from planbatch.planner.terms import Terms

#: Up to this many jobs, the proof takes most of the time: no model in coarse time, and all of the solver's searches.
FEW_JOBS = 15
#: Otherwise, the one complete search that one thread interleaves with neighbourhood searches (measured on real rounds).
SUBSOLVERS = ["quick_restart_no_lp"]
#: Iterations of the subgradient method that measure how long all of them take.
PILOT = 20
#: Least time of a pilot (s per job), and time of a model (s per job, s) without its prices; on a slow machine.
PILOT_PER_JOB, MODEL_PER_JOB, MODEL = 1e-4, 1e-3, 0.05
#: Threads at most.
MOST_WORKERS = 1024
#: A step is started only if this multiple of its estimated time remains.
CAUTION = 3.0
#: Time by which the solver may exceed its limit (s).
SOLVER_RESERVE = 0.02


@dataclass(frozen=True)
class CpSat:
    """Constraint programming with OR-Tools' CP-SAT, from the plan of a short annealing.

    Jobs are intervals under a cumulative constraint, running jobs are fixed intervals. The start of a job is bounded
    by the reduced costs of the Lagrangian bound: a later one would cost more than the best plan. Equal jobs start in
    a fixed order. For short queues, the model also has the least excess of each start over the job's share of the
    Lagrangian bound, which makes proofs possible. The search is hinted with the best plan, and
    every plan that it finds is decoded, so that the result is feasible to the second and never worse than the best
    first plan.

    Squared terms are approximated from below by tangents, so the solver's bound stays a bound. If the horizon is
    long, a first part of the budget goes to a model in coarse time, with durations rounded up; its plans are hints for
    the model in seconds. Only the latter's bound is used.

    With a budget of evaluations only, the search ends at a deterministic time and depends on the seed of ``rng``
    alone (with one worker). A time limit in seconds is not reproducible: CP-SAT may stop anywhere. Such a limit is
    kept: the bound and the model are only started if the remaining seconds are several times their time, as measured
    and estimated in the call itself; the seconds that they leave, or all if they do not fit, are annealed.

    Attributes
    ----------
    workers : int
        Threads of the solver.
    time_per_evaluation : float
        The solver's deterministic time that stands for one evaluation; about as many seconds.
    units : int
        Coarse time has at most about so many units until the end of the best first plan.
    coarse_share : float
        The share of the budget for the model in coarse time.
    annealed : float
        The share of the budget that is annealed first; a tenth of it if the proof takes most of the time.
    name : str
        Name of the optimizer in tables.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import CpSat
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> result = pb.solve(problem, "wait", CpSat(), evaluations=100)
    >>> result.cost, result.status
    (25.0, <Status.OPTIMAL: 'optimal'>)
    """

    __repr__ = brief_repr

    workers: int = 1
    time_per_evaluation: float = 1e-4
    units: int = 300
    coarse_share: float = 0.6
    annealed: float = 0.5
    name: str = "cp-sat"

    #: The searches of the external solver cannot be replayed.
    replayable = False

    def __post_init__(self) -> None:
        whole("workers", self.workers, 1, most=MOST_WORKERS)
        number("time_per_evaluation", self.time_per_evaluation, "a positive number")
        whole("units", self.units, 1)
        for name in ("coarse_share", "annealed"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name}: {getattr(self, name)} is not in 0 … 1, 1 excluded")

    def supports(self, objective: Objective) -> bool:
        """Return whether the objective declares its terms or states its cost to CP-SAT."""
        return objective.terms is not None or objective.cp_cost is not None

    def optimize(self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator) -> Result:
        """Search for a plan; see :class:`~planbatch.planner.optimizer.Optimizer`.

        Raises
        ------
        UnsupportedObjectiveError
            If the objective declares neither terms nor ``cp_cost``.
        """
        clock = budget.start()
        if not self.supports(objective):
            raise UnsupportedObjectiveError(f"objective {objective.name} declares neither terms nor cp_cost")
        first = first_plan(problem, objective)
        run = _CpSatRun(self, problem, objective, first, clock, rng)
        if len(problem):
            run.search()
        best = run.best
        proven = run.lower_bound >= best.cost * (1 - 1e-12)
        status = Status.OPTIMAL if proven else Status.FINISHED
        status = Status.INTERRUPTED if run.interrupted else status
        bound = min(run.lower_bound, best.cost)
        plan = (best.start, best.order, best.cost)
        return Result.of_search(*plan, first.cost, clock, objective.compiled, status, bound)


class _CpSatRun:
    """The state of one call of :meth:`CpSat.optimize`."""

    def __init__(
        self,
        optimizer: CpSat,
        problem: Round,
        objective: Objective,
        first: FirstPlan,
        clock: Clock,
        rng: np.random.Generator,
    ) -> None:
        self.optimizer, self.problem, self.objective = optimizer, problem, objective
        self.clock, self.rng = clock, rng
        self.best = first
        self.interrupted = False
        self.lower_bound = float("nan") if len(problem) else first.cost
        self.terms: Terms | None = None
        if objective.terms is not None and len(problem):
            self.terms = objective.terms_of(problem)

    def search(self) -> None:
        """Anneal, prove a bound, solve the model in coarse time and in seconds; anneal what is left of the seconds."""
        import ortools.sat.python.cp_model  # noqa: F401 (takes time: in a warm-up, not later)

        few = len(self.problem) <= FEW_JOBS
        self.anneal(self.optimizer.annealed * (0.1 if few else 1.0))
        if self.interrupted:
            return
        took = self.prove()
        solver_seed = int(self.rng.integers(2**31))
        last = int((self.best.start + self.problem.jobs.walltime).max()) - self.problem.now
        finest = finest_unit(self.problem, self.terms)
        coarse = max(1, -(-last // self.optimizer.units))
        model = MODEL + MODEL_PER_JOB * len(self.problem) + 2 * took
        if coarse > finest and self.optimizer.coarse_share > 0 and not few:
            self.solve(solver_seed, coarse, self.optimizer.coarse_share, model)
        self.solve(solver_seed, finest, 1.0, model)
        if self.clock.budget.seconds is not None and not self.lower_bound >= self.best.cost:
            self.anneal(1.0)

    def anneal(self, share: float) -> None:
        """Anneal from the best plan within a share of what is left of the budget."""
        evaluations = self.clock.budget.evaluations
        if evaluations is not None:
            evaluations = int(share * (evaluations - self.clock.evaluations))
        seconds = None
        if self.clock.budget.seconds is not None:
            seconds = max(0.0, share * self.clock.remaining)
        if evaluations == 0 or seconds == 0:
            return
        problem = replace(self.problem, planned=self.best.start)
        result = Annealing().optimize(
            problem, self.objective, replace(self.clock.budget, seconds=seconds, evaluations=evaluations), self.rng
        )
        self.clock.evaluations += result.evaluations
        self.interrupted = result.status is Status.INTERRUPTED
        if result.cost < self.best.cost:
            self.best = FirstPlan(result.permutation, result.plan.start, result.cost)

    def prove(self) -> float:
        """Prove a bound in at most a tenth of the time left; return the seconds that all iterations would take."""
        if self.terms is None:
            return 0.0
        iterations = ROW_ITERATIONS
        if self.clock.budget.seconds is not None:
            if self.clock.remaining < CAUTION * PILOT_PER_JOB * len(self.problem):
                return float("inf")
            began = perf_counter()
            self.lower_bound = terms_bound(self.problem, self.terms, self.best.cost, PILOT)
            each = (perf_counter() - began) / PILOT
            iterations = min(ROW_ITERATIONS, int(0.1 * self.clock.remaining / each))
        if iterations > PILOT:
            began = perf_counter()
            bound = terms_bound(self.problem, self.terms, self.best.cost, iterations)
            self.lower_bound = float(np.fmax(bound, self.lower_bound))
            each = (perf_counter() - began) / iterations
        return ROW_ITERATIONS * each

    def solve(self, seed: int, unit: int, share: float, setup: float) -> None:
        """Solve the model in units of time within a share of what is left; its set-up takes about so many seconds."""
        from ortools.sat.python import cp_model

        if self.lower_bound >= self.best.cost or self.clock.remaining < CAUTION * setup:
            return
        scaled = scale(self.problem, self.terms, unit)
        hint = decode(scaled.problem, self.best.order).start
        model = RoundModel(scaled, self.objective, self.problem, hint)
        solver = cp_model.CpSolver()
        if not self._limit(solver.parameters, share):
            return
        solver.parameters.random_seed = seed
        solver.parameters.num_workers = self.optimizer.workers
        if self.optimizer.workers == 1:
            # One thread takes turns between complete searches and neighbourhood searches.
            solver.parameters.interleave_search = True
            if len(self.problem) > FEW_JOBS:
                solver.parameters.subsolvers.extend(SUBSOLVERS)
        collector = _plans_of(model.starts)
        status = solver.solve(model.model, collector)
        evaluations = solver.response_proto.deterministic_time / self.optimizer.time_per_evaluation
        self.clock.evaluations += int(np.ceil(evaluations))
        if self.clock.budget.evaluations is not None:
            self.clock.evaluations = min(self.clock.evaluations, self.clock.budget.evaluations)
        for starts in collector.plans:
            self._take(starts)
        if self.terms is not None and unit == 1 and status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            bound = model.cost_of(solver.best_objective_bound)
            # Starts that cannot pay were cut off, hence never more than the cost.
            self.lower_bound = float(np.fmax(self.lower_bound, min(bound, self.best.cost)))

    def _limit(self, parameters: Any, share: float) -> bool:
        """Limit a search to a share of what is left; return False if nothing is left."""
        clock = self.clock
        if clock.budget.evaluations is not None:
            remaining = clock.budget.evaluations - clock.evaluations
            parameters.max_deterministic_time = max(0.0, remaining * share) * self.optimizer.time_per_evaluation
            if remaining <= 0:
                return False
        if clock.budget.seconds is not None:
            left_seconds = share * (clock.remaining - SOLVER_RESERVE)
            parameters.max_time_in_seconds = max(0.0, left_seconds)
            return left_seconds > 0
        return True

    def _take(self, starts: list[int]) -> None:
        """Decode a plan in units of time, and keep it if it is better."""
        order = np.argsort(np.array(starts), kind="stable")
        plan = decode(self.problem, order)
        if (plan.start > self.problem.jobs.latest).any():
            return
        start = plan.start.copy()  # writable, as kernels are compiled for
        cost = true_cost(self.problem, self.objective, start)
        if cost < self.best.cost:
            self.best = FirstPlan(order, start, cost)


def _plans_of(starts: list[Any]) -> Any:
    """Return a callback of the solver that collects the plans it finds, each better than the one before."""
    from ortools.sat.python import cp_model

    class Plans(cp_model.CpSolverSolutionCallback):
        def __init__(self) -> None:
            super().__init__()
            self.plans: list[list[int]] = []

        def on_solution_callback(self) -> None:
            self.plans.append([self.value(start) for start in starts])

    return Plans()
