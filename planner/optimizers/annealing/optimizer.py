"""Simulated annealing: the compiled search of the project."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types

from planbatch.planner.budget import Budget, Clock
from planbatch.planner.decoder import decode
from planbatch.planner.expectation import EXPECTED_RUN_TIMES
from planbatch.planner.history import History
from planbatch.planner.kernels.decode import classify
from planbatch.planner.kernels.evaluate import with_futures
from planbatch.planner.kernels.first_plans import (
    EXPECTED_PLANS,
    FIRST_PLANS,
    FIRST_PLANS_OF_LONG_QUEUES,
    KNOWN_PLANS,
    LONG_QUEUE,
    FirstOrder,
    best_first_plan,
    kept_plan,
)
from planbatch.planner.kernels.native import compiled_for, kernel, shared_kernel
from planbatch.planner.kernels.promises import with_feasible_promises
from planbatch.planner.kernels.signatures import (
    COST,
    GENERATOR,
    INT64_ARRAY,
    Report,
    round_types,
)
from planbatch.planner.kernels.sorting import copy_column
from planbatch.planner.model import NEVER, FloatArray, IntArray
from planbatch.planner.objective import (
    NotFiniteError,
    Objective,
    ObjectiveError,
    checked,
    not_finite,
)
from planbatch.planner.optimizer import CompiledSearch, Result, Status
from planbatch.planner.optimizers.annealing.kernels import Setting, annealing_setting
from planbatch.planner.optimizers.annealing.orders import RULES, SHIFTS
from planbatch.planner.optimizers.annealing.stages import (
    UNLIMITED,
    Stage,
    State,
    advance,
    empty_state,
    end_stage,
    enumerate_orders,
    orders_to_try,
    searches_orders,
)
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round, RoundArrays
from planbatch.planner.scenarios import Scenarios, draw_futures

#: Evaluations before the first look at the clock of a stage, and at most between two looks.
FIRST_PORTION, LARGEST_PORTION = 16, 1 << 14


@dataclass(frozen=True)
class Annealing:
    """Simulated annealing over permutations, from the best of several first plans.

    Zheng et al. 2016, Algorithm 1, with remove-and-insert moves and swaps. The additions were measured on rounds of
    9–300 jobs: a permutation that is accepted becomes the order of its plan's starts, so that near places are near in
    time; distances are log-uniform; of two jobs the larger is moved more often, and pairs that start
    together are avoided. Temperatures are relative, see :func:`anneal`; cooling goes in fixed cycles of evaluations
    with reheats, so that a search stopped by the clock is the beginning of a longer one.

    In rounds of more than ``front_jobs`` jobs, the search begins with the front of the best first plan, its first
    ``front_jobs`` jobs; the others follow in their order, and the plan is taken only if it is better as a whole. After
    two evaluations per job of the front it becomes eight times as wide, until it holds the whole queue. These first
    evaluations, with few to spend the only ones, prefer the jobs that are about to start.

    Attributes
    ----------
    hottest, coldest : float
        T0 and Tth: temperatures at which a cycle begins and ends.
    cooling : float
        r: the factor by which the temperature is lowered.
    moves : int
        N: evaluations at each temperature.
    growth : float
        The factor by which each cycle is longer than the one before.
    swap, near, large, front : float
        Probabilities: that a move swaps two jobs; that its distance is log-uniform, rather than uniform; that the
        larger of two jobs is moved; that a job near the front is moved, at the beginning of the search.
    per_job : bool
        Whether temperatures are relative to the cost of one job, rather than of all.
    by_start : bool
        Whether permutations that are accepted become the order of the starts.
    front_jobs : int
        Number of jobs in the first front.
    first_plans : tuple of str
        The plans to start from, among :data:`KNOWN_PLANS`; ``expected-area`` and ``expected-slowdown`` ask for the
        past of users.
    name : str
        Name of the optimizer in tables.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> result = pb.solve(problem, "wait", pb.Annealing(cooling=0.8, moves=20), budget=100)
    >>> result.plan.start.tolist(), result.cost
    ([50, 0], 25.0)
    """

    hottest: float = 0.03
    coldest: float = 3e-4
    cooling: float = 0.9
    moves: int = 10
    growth: float = 1.0
    swap: float = 0.3
    near: float = 1.0
    large: float = 0.5
    front: float = 1.0
    per_job: bool = True
    by_start: bool = True
    front_jobs: int = 50
    first_plans: tuple[str, ...] = FIRST_PLANS
    name: str = "annealing"

    def __post_init__(self) -> None:
        if not 0 < self.coldest < self.hottest:
            raise ValueError(f"coldest, hottest: 0 < {self.coldest} < {self.hottest} does not hold")
        if not 0 < self.cooling < 1:
            raise ValueError(f"cooling: {self.cooling} is not between 0 and 1")
        for name, least in (("moves", 1), ("growth", 1), ("front_jobs", 2)):
            if getattr(self, name) < least:
                raise ValueError(f"{name}: {getattr(self, name)} is less than {least}")
        for name in ("swap", "near", "large", "front"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: {getattr(self, name)} is not a probability")
        unknown = [name for name in self.first_plans if name not in KNOWN_PLANS]
        if unknown or not self.first_plans:
            raise ValueError(f"first_plans: {unknown or 'none'} not among {', '.join(KNOWN_PLANS)}")

    @classmethod
    def paper(cls) -> "Annealing":
        """The preset of Zheng et al. 2016, Section IV-C: (T0, Tth, N, r) = (1, 0.0001, 100, 0.9).

        Its 88 temperatures make 8,800 evaluations. It starts from the order of the queue, and its moves are
        remove-and-insert alone.
        """
        return cls(
            hottest=1.0,
            coldest=1e-4,
            moves=100,
            swap=0.0,
            near=0.0,
            large=0.0,
            front=0.0,
            per_job=False,
            by_start=False,
            front_jobs=10**9,
            first_plans=("submit",),
            name="annealing-paper",
        )

    @property
    def setting(self) -> Setting:
        """Return the parameters for the kernels."""
        kinds = Setting.__annotations__.items()  # whole numbers where fractions may be, too
        return Setting(*(kind(getattr(self, name)) for name, kind in kinds))

    @property
    def first_numbers(self) -> IntArray:
        """Return the numbers of the first plans."""
        return np.array([KNOWN_PLANS.index(name) for name in self.first_plans])

    @property
    def history(self) -> History | None:
        """What the first plans ask for of the past."""
        expected = not set(EXPECTED_PLANS).isdisjoint(self.first_plans)
        return EXPECTED_RUN_TIMES if expected else None

    def supports(self, objective: Objective) -> bool:
        """Return True: every objective is supported."""
        return True

    def compiled(
        self, objective: Objective, budget: Budget, promised: bool
    ) -> CompiledSearch | None:
        """Return the search as a kernel, for budgets in evaluations and compiled objectives."""
        if not objective.compiled or budget.seconds is not None or budget.evaluations is None:
            return None
        params = self.packed(budget.evaluations, promised, objective.scenarios)
        return CompiledSearch(decide_annealing, objective.cost, params, scenarios=True)

    def packed(
        self, evaluations: int, promised: bool = False, scenarios: Scenarios | None = None
    ) -> tuple[float, ...]:
        """Return the parameters of :func:`decide_annealing`."""
        judged = (0, 0.0) if scenarios is None else (scenarios.count, scenarios.risk)
        numbers = (evaluations, promised, *judged, *self.setting, *self.first_numbers)
        return tuple(float(number) for number in numbers)

    def optimize(
        self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator
    ) -> Result:
        """Search for a plan; see :class:`~planbatch.planner.optimizer.Optimizer`.

        Raises
        ------
        ObjectiveError
            If the objective raises, or returns anything but a finite number.
        """
        clock = budget.start()
        run = _Run(self, problem, objective, clock, rng)
        try:
            status = run.search()
        except ObjectiveError:
            raise
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
            run.keep_previous_plan()
        except Exception as error:
            raise ObjectiveError(
                f"objective {objective.name} raised {type(error).__name__} "
                f"in the round at {problem.now}: {error}"
            ) from error
        return Result(
            plan=Plan(run.state.start),
            permutation=run.state.order,
            cost=float(run.state.cost[0]),
            seed_cost=run.seed_cost,
            evaluations=clock.evaluations,
            seconds=clock.elapsed,
            native=objective.compiled,
            status=status,
        )


class _Run:
    """One call of :meth:`Annealing.optimize`."""

    def __init__(
        self,
        optimizer: Annealing,
        problem: Round,
        objective: Objective,
        clock: Clock,
        rng: np.random.Generator,
    ) -> None:
        self.problem, self.objective, self.clock, self.rng = problem, objective, clock, rng
        self.setting, self.first_numbers = optimizer.setting, optimizer.first_numbers
        self.state: State = empty_state(len(problem), optimizer.front_jobs)
        if not len(problem):
            self.state.cost[0] = 0.0
        self.seed_cost = float(self.state.cost[0])
        several = bool(problem.resources)
        self.kernels = compiled_kernels(several) if objective.compiled else INTERPRETED
        self.cost = objective.cost if objective.compiled else checked(objective, problem.now)

    def keep_previous_plan(self) -> None:
        """Decode the order of the previous plan, if no first plan has been decoded."""
        if len(self.problem) and np.isinf(self.state.cost[0]):
            self.state.order[:] = Plan(self.problem.planned).order()
            self.state.start[:] = decode(self.problem, self.state.order).start

    def require(self, finite: bool) -> None:
        """Raise unless all costs were finite numbers."""
        if not finite:
            raise not_finite(self.objective, self.problem.now)

    def search(self) -> Status:
        """Decode the first plans, then enumerate or anneal."""
        state, n = self.state, len(self.problem)
        if n == 0:
            return Status.OPTIMAL
        arrays = with_feasible_promises(self.problem.arrays)
        shared = (arrays, self.objective.classes(arrays), self.cost)
        decoding = self.decode_first_plans(shared)
        # A stage ends with one more decoding of the whole queue.
        self.clock.reserve = 2.0 * decoding
        if n == 1:
            return Status.OPTIMAL
        if state.start.max() == arrays.now:
            return Status.FINISHED  # all fit together: every order decodes to this plan
        limit = self.clock.budget.evaluations
        orders = orders_to_try(n, UNLIMITED if limit is None else limit)
        if orders:
            self.clock.evaluations = orders
            self.require(self.kernels.enumerate_orders(*shared, state))
        else:
            self.anneal(shared, decoding / n)
        return Status.FINISHED

    def portions_of_first_plans(self) -> list[IntArray]:
        """Return the numbers of the first plans, cut where the clock is looked at: one by one on long queues."""
        numbers, timed = self.first_numbers, self.clock.budget.seconds is not None
        if not timed or len(self.problem) <= LONG_QUEUE or numbers[0] != FirstOrder.PREVIOUS:
            return [numbers]
        regular = numbers == FirstOrder.REGULAR_FIRST
        decoded = numbers[~regular][:FIRST_PLANS_OF_LONG_QUEUES]
        if self.problem.jobs.deadline.min() != NEVER:
            decoded = np.append(decoded, numbers[regular])
        return list(decoded[:, None])

    def decode_first_plans(self, shared: tuple[Any, ...]) -> float:
        """Keep the best of the first plans that there is time for, at least the first; return the time of each (s)."""
        began, each = self.clock.elapsed, 0.0  # loading the kernels is not what a decoding takes
        portions = self.portions_of_first_plans()
        for done, numbers in enumerate(portions):
            if done and self.clock.remaining < 2.0 * each:
                break
            self.take_first_plan(shared, numbers)
            each = (self.clock.elapsed - began) / (done + 1)
        self.seed_cost = float(self.state.cost[0])
        return each / min(len(portions[0]), FIRST_PLANS_OF_LONG_QUEUES)

    def take_first_plan(self, shared: tuple[Any, ...], numbers: IntArray) -> None:
        """Decode first plans, and keep the best of them if it is better than what is known."""
        state, search = self.state, self.state.search
        best = self.kernels.best_first_plan(*shared, numbers, search.order, search.start)
        self.require(bool(np.isfinite(best)))
        if best < state.cost[0]:
            state.cost[0] = best
            state.order[:], state.start[:] = search.order, search.start

    def anneal(self, shared: tuple[Any, ...], pace: float) -> None:
        """Anneal in portions until the budget is used up; the best is kept even on an interrupt.

        ``pace`` is the assumed time of the first evaluations, in seconds per job of the front.
        """
        clock, stage = self.clock, self.state.stage
        try:
            while True:
                jobs, left = stage[Stage.FRONT], stage[Stage.LEFT]
                if searches_orders(self.state, self.setting):
                    jobs, left = len(self.problem), stage[Stage.ORDERS] % (RULES + SHIFTS)
                if left == 0:
                    portion, each = FIRST_PORTION, pace * jobs
                else:
                    portion = min(2 * portion, LARGEST_PORTION, left)
                count = clock.portion(each, most=int(portion))
                if count == 0:
                    break
                began = clock.elapsed
                self.require(
                    self.kernels.advance(*shared, self.state, self.setting, self.rng, count)
                )
                clock.evaluations += count
                each = (clock.elapsed - began) / count
        finally:
            self.require(self.kernels.end_stage(*shared, self.state))


class Decision(NamedTuple):
    """The input of a compiled decision.

    Attributes
    ----------
    evaluations : int
        The budget of the round.
    promised : bool
        Whether jobs are promised a latest start.
    scenarios : int
        In how many scenarios plans are judged; 0 for none.
    risk : float
        See :class:`~planbatch.planner.scenarios.Scenarios`.
    setting : Setting
        The parameters of the annealing.
    first_plans : int64 array
        The numbers of its first plans.
    """

    evaluations: int
    promised: bool
    scenarios: int
    risk: float
    setting: Setting
    first_plans: IntArray


SETTINGS = len(Setting._fields)


@kernel
def unpacked(params: FloatArray) -> Decision:
    """Return what :meth:`Annealing.packed` packed."""
    return Decision(
        int(params[0]),
        params[1] > 0.0,
        int(params[2]),
        params[3],
        annealing_setting(params[4:]),
        params[4 + SETTINGS :].astype(np.int64),
    )


@shared_kernel
def decide_annealing(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """:meth:`Annealing.optimize` with a budget in evaluations, wholly compiled.

    A round in which no waiting job fits cannot start anything: it keeps the plan, and uses no evaluation.
    """
    decision = unpacked(params)
    if kept_plan(arrays, decision.promised, start):
        return
    arrays = with_feasible_promises(arrays)
    classes = classify(arrays)
    if decision.scenarios > 0:
        futures = draw_futures(arrays, decision.scenarios, decision.risk, rng)
        classes = with_futures(classes, futures)
    state = empty_state(len(start), decision.setting.front_jobs)
    best = best_first_plan(arrays, classes, cost, decision.first_plans, state.order, state.start)
    state.cost[0] = best
    report[Report.SEED_COST] = best
    orders = orders_to_try(len(start), decision.evaluations)
    finite = bool(np.isfinite(best))
    if len(start) == 1 or not finite or state.start.max() == arrays.now:
        report[Report.EVALUATIONS] = 0.0  # all fit: every order decodes to this plan
    elif orders > 0:
        report[Report.EVALUATIONS] = orders
        finite = enumerate_orders(arrays, classes, cost, state)
    else:
        evaluations = decision.evaluations
        report[Report.EVALUATIONS] = evaluations
        finite = advance(arrays, classes, cost, state, decision.setting, rng, evaluations)
        finite = finite and end_stage(arrays, classes, cost, state)
    if not finite:
        raise NotFiniteError
    copy_column(start, state.start)
    report[Report.COST] = state.cost[0]


class _Kernels(NamedTuple):
    """The kernels that take a cost function."""

    best_first_plan: Callable[..., float]
    enumerate_orders: Callable[..., bool]
    advance: Callable[..., bool]
    end_stage: Callable[..., bool]


@cache
def compiled_kernels(several: bool) -> _Kernels:
    """Return the kernels, compiled for any compiled cost function, for one resource or for several."""
    column, state = INT64_ARRAY, typeof(empty_state(1, 1))
    setting = typeof(Annealing().setting)
    known = round_types(several)
    shared = (known.arrays, known.classes, COST)
    signatures = (
        types.float64(*shared, column, column, column),
        types.boolean(*shared, state),
        types.boolean(*shared, state, setting, GENERATOR, types.int64),
        types.boolean(*shared, state),
    )
    return _Kernels(
        *(
            compiled_for(signature, function, error_model="numpy")
            for signature, function in zip(signatures, INTERPRETED, strict=True)
        )
    )


#: The same kernels for cost functions in plain Python: one source, interpreted around the compiled decoder.
INTERPRETED = _Kernels(best_first_plan, enumerate_orders, advance, end_stage)
