"""Simulated annealing: the compiled search of the project."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import factorial
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types

from planbatch.planner.budget import Budget, Clock
from planbatch.planner.decoder import decode
from planbatch.planner.kernels.decode import JobClasses, classify, decode_once
from planbatch.planner.kernels.first_plans import SEEDS, SEEDS_OF_LONG_QUEUES, best_seed
from planbatch.planner.kernels.native import compiled_for, kernel
from planbatch.planner.kernels.profile import any_fits
from planbatch.planner.kernels.promises import with_feasible_promises
from planbatch.planner.kernels.signatures import (
    COST,
    FLOAT64_ARRAY,
    GENERATOR,
    INT64_ARRAY,
    JOB_CLASSES,
    ROUND_ARRAYS,
)
from planbatch.planner.model import NEVER, FloatArray, IntArray
from planbatch.planner.objective import Objective, ObjectiveError, checked, not_finite
from planbatch.planner.optimizer import Result, Status
from planbatch.planner.optimizers.annealing.kernels import (
    FIRST_SEED,
    WIDER,
    WINDOW,
    anneal,
    begin,
    begin_stage,
    end_stage,
    enumerate_orders,
    front_of,
    stage_length,
)
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round, RoundArrays

#: Rounds of up to so many jobs are solved by trying every permutation, where the budget allows it.
ENUMERATED = 6


@dataclass(frozen=True)
class Annealing:
    """Simulated annealing over permutations, from the best of several seeds.

    Zheng et al. 2016, Algorithm 1, with remove-and-insert moves and swaps. What it adds was measured on rounds of
    9–300 jobs: a permutation that is accepted becomes the order of its plan's starts, so that near places are near in
    time; distances are log-uniform; of two jobs the larger is moved more often, and of two that start together none.
    Temperatures are relative, see :func:`anneal`; cooling goes in fixed cycles of
    evaluations with reheats, so that a search stopped by the clock is the beginning of a longer one.

    In rounds of more than ``window`` jobs, the search begins with the first ``window`` jobs of the best seed; the
    others follow in the seed's order, and the plan is taken only if it is better as a whole. After two evaluations
    for each of these jobs the window becomes eight times as wide, until it holds the whole queue. These first
    evaluations, with few to spend the only ones, prefer the front of the queue, which is about to start.

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
        larger of two jobs is moved; that a job near the front is, while the search is young.
    per_job : bool
        Whether temperatures are relative to the cost of one job, rather than of all.
    by_start : bool
        Whether permutations that are accepted become the order of the starts.
    window : int
        How many jobs are searched at first.
    seeds : tuple of str
        The first plans, out of :data:`SEEDS`.
    name : str
        What tables call the optimizer.
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
    window: int = 50
    seeds: tuple[str, ...] = SEEDS
    name: str = "annealing"

    def __post_init__(self) -> None:
        if not 0 < self.coldest < self.hottest:
            raise ValueError(f"coldest, hottest: 0 < {self.coldest} < {self.hottest} does not hold")
        if not 0 < self.cooling < 1:
            raise ValueError(f"cooling: {self.cooling} is not between 0 and 1")
        for name, least in (("moves", 1), ("growth", 1), ("window", 2)):
            if getattr(self, name) < least:
                raise ValueError(f"{name}: {getattr(self, name)} is less than {least}")
        for name in ("swap", "near", "large", "front"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: {getattr(self, name)} is not a probability")
        unknown = [seed for seed in self.seeds if seed not in SEEDS]
        if unknown or not self.seeds:
            raise ValueError(f"seeds: {unknown or 'none'} not among {', '.join(SEEDS)}")

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
            window=10**9,
            seeds=("submit",),
            name="annealing-paper",
        )

    @property
    def params(self) -> tuple[float, ...]:
        """The parameters as the kernels take them."""
        numbers = (
            self.hottest, self.coldest, self.cooling, float(self.moves), self.growth,
            self.swap, self.near, self.large, self.front, float(self.per_job), float(self.by_start),
            float(self.window),
        )  # fmt: skip
        return numbers + tuple(float(SEEDS.index(seed)) for seed in self.seeds)

    def supports(self, objective: Objective) -> bool:
        """Any objective will do."""
        return True

    @property
    def decide(self) -> Callable[..., None]:
        """The compiled decision of a round, for compiled replays; takes (evaluations, *params)."""
        decision: Callable[..., None] = decide_annealing
        return decision

    def optimize(
        self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator
    ) -> Result:
        """Search for a plan; see :class:`~planbatch.planner.optimizer.Optimizer`.

        Raises
        ------
        ObjectiveError
            Where the objective raises, or returns anything but a finite number.
        """
        clock = budget.start()
        run = _Run(self, problem, objective, clock, rng)
        try:
            status = run.search()
        except ObjectiveError:
            raise
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        except Exception as error:
            raise ObjectiveError(
                f"objective {objective.name} raised {type(error).__name__} "
                f"in the round at {problem.now}: {error}"
            ) from error
        return Result(
            plan=Plan(run.start),
            permutation=run.order,
            cost=run.cost,
            seed_cost=run.seed_cost,
            evaluations=clock.evaluations,
            seconds=clock.elapsed,
            native=objective.compiled,
            status=status,
        )


class _Run:
    """The state of one call of :meth:`Annealing.optimize`."""

    def __init__(
        self,
        optimizer: Annealing,
        problem: Round,
        objective: Objective,
        clock: Clock,
        rng: np.random.Generator,
    ) -> None:
        self.problem, self.objective, self.clock, self.rng = problem, objective, clock, rng
        self.params = np.array(optimizer.params)
        self.window = optimizer.window
        n = len(problem)
        self.order = np.arange(n)
        self.start = np.full(n, problem.now, dtype=np.int64)
        self.cost = self.seed_cost = 0.0
        if n:
            # What an interrupt leaves before the first seed is evaluated: the order of the plan before.
            self.order = Plan(problem.planned).order()
            self.start = decode(problem, self.order).start.copy()
            self.cost = self.seed_cost = float("inf")
        self.kernels = compiled_kernels() if objective.compiled else INTERPRETED
        self.function = objective.cost if objective.compiled else checked(objective, problem.now)

    def finite(self, value: float) -> float:
        if not np.isfinite(value):
            raise not_finite(self.objective, self.problem.now)
        return float(value)

    def search(self) -> Status:
        """Seed, then enumerate or anneal."""
        n = len(self.order)
        if n == 0:
            return Status.OPTIMAL
        arrays = with_feasible_promises(self.problem.arrays)
        classes = classify(arrays)
        seeds = self.params[FIRST_SEED:].astype(np.int64)
        began = self.clock.elapsed  # loading the kernels is not what a decoding takes
        value = self.kernels.best_seed(
            arrays, classes, self.function, seeds, self.order, self.start
        )
        self.cost = self.seed_cost = self.finite(value)
        # A stage ends with one more decoding of the whole queue, which takes about as long as a seed did.
        self.clock.reserve = (
            2.0 * (self.clock.elapsed - began) / min(len(seeds), SEEDS_OF_LONG_QUEUES)
        )
        limit = self.clock.budget.evaluations
        if n == 1:
            return Status.OPTIMAL
        if self.start.max() == arrays.now:
            return Status.FINISHED  # all fit together: every order decodes to this plan
        if n <= ENUMERATED and (limit is None or limit >= factorial(n)):
            value = self.kernels.enumerate_orders(
                arrays, classes, self.function, self.cost, self.order, self.start
            )
            self.clock.evaluations = factorial(n)
            self.cost = self.finite(value)
            return Status.FINISHED
        window = min(self.window, n)
        while self.anneal_front(arrays, classes, window):
            window = min(WIDER * window, n)
        return Status.FINISHED

    def anneal_front(self, arrays: RoundArrays, classes: JobClasses, window: int) -> bool:
        """One stage: anneal the front of the best order, in portions; False when the budget is used up.

        The best is written back even on an interrupt.
        """
        clock = self.clock
        began = clock.elapsed
        front = front_of(arrays, self.order, window)
        inner = classify(front)
        search = self.kernels.begin_stage(front, inner, self.function, self.params)
        left = length = stage_length(window, len(self.order))
        portion = 16
        begun = clock.elapsed
        pace = begun - began  # a little more than one evaluation takes
        try:
            while left > 0:
                if left < length:
                    pace = (clock.elapsed - begun) / (length - left)
                count = clock.portion(pace, most=min(portion, left))
                if count == 0:
                    return False
                done = self.kernels.anneal(
                    front, inner, self.function, search, self.params, self.rng, count
                )
                if done < 0:
                    raise not_finite(self.objective, self.problem.now)
                clock.evaluations += done
                left -= done
                portion = min(portion * 2, 1 << 14)
        finally:
            value = self.kernels.end_stage(
                arrays, classes, self.function, self.cost, search.best, self.order, self.start
            )
            self.cost = self.finite(value)
        return True


@kernel
def decide_annealing(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """:meth:`Annealing.optimize` with a budget in evaluations (``params[0]``), wholly compiled.

    A round in which no waiting job fits cannot start anything: it keeps the plan as it is, and costs nothing. Only
    where promises are made (``params[1]``), new jobs are planned behind the others even then.
    """
    n = len(start)
    if not any_fits(arrays):
        if params[1] > 0.0:
            decode_once(arrays, np.argsort(arrays.planned, kind="mergesort"), start)
        else:
            for i in range(n):
                start[i] = arrays.planned[i] if arrays.planned[i] > arrays.now else NEVER
        return
    evaluations = int(params[0])
    setting = params[2:]
    permutation = np.arange(n)
    arrays = with_feasible_promises(arrays)
    classes = classify(arrays)
    best = best_seed(
        arrays, classes, cost, setting[FIRST_SEED:].astype(np.int64), permutation, start
    )
    report[1] = best
    tries = 1
    for i in range(2, min(n, ENUMERATED + 1) + 1):
        tries *= i
    if n == 1 or not np.isfinite(best) or start.max() == arrays.now:
        report[0] = 0.0  # nothing to choose: where all fit now, every order decodes to this plan
    elif n <= ENUMERATED and evaluations >= tries:
        best = enumerate_orders(arrays, classes, cost, best, permutation, start)
        report[0] = tries
    else:
        report[0] = evaluations
        window = min(int(setting[WINDOW]), n)
        while evaluations > 0 and np.isfinite(best):
            front = front_of(arrays, permutation, window)
            inner = classify(front)
            search = begin_stage(front, inner, cost, setting)
            count = min(evaluations, stage_length(window, n))
            if anneal(front, inner, cost, search, setting, rng, count) < 0:
                best = np.nan
            else:
                best = end_stage(arrays, classes, cost, best, search.best, permutation, start)
            evaluations -= count
            window = min(WIDER * window, n)
    report[2] = best


class _Kernels(NamedTuple):
    """The kernels that take a cost function."""

    best_seed: Callable[..., Any]
    enumerate_orders: Callable[..., Any]
    begin_stage: Callable[..., Any]
    anneal: Callable[..., Any]
    end_stage: Callable[..., Any]


@cache
def compiled_kernels() -> _Kernels:
    """The kernels, compiled for any compiled cost function."""
    column, table = INT64_ARRAY, FLOAT64_ARRAY
    empty = np.zeros(2, dtype=np.int64)
    search = typeof(
        getattr(begin, "py_func", begin)(empty, empty, np.zeros(2), 0.0, 0.0, np.ones(FIRST_SEED))
    )
    shared = (ROUND_ARRAYS, JOB_CLASSES, COST)
    signatures = (
        types.float64(*shared, column, column, column),
        types.float64(*shared, types.float64, column, column),
        search(*shared, table),
        types.int64(*shared, search, table, GENERATOR, types.int64),
        types.float64(*shared, types.float64, column, column, column),
    )
    return _Kernels(
        *(
            compiled_for(signature, function, error_model="numpy")
            for signature, function in zip(signatures, INTERPRETED, strict=True)
        )
    )


#: The same kernels for cost functions in plain Python: one source, interpreted around the compiled decoder.
INTERPRETED = _Kernels(
    *(
        getattr(function, "py_func", function)
        for function in (best_seed, enumerate_orders, begin_stage, anneal, end_stage)
    )
)
