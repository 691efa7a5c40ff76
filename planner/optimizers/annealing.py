"""Simulated annealing over permutations; the search itself is in the core (``core/annealing``)."""

from dataclasses import dataclass

import numpy as np

from planbatch import _core
from planbatch.planner.arguments import whole
from planbatch.planner.budget import Budget, Clock
from planbatch.planner.decoder import decode
from planbatch.planner.display import brief_repr
from planbatch.planner.history.expectation import EXPECTED_RUN_TIMES
from planbatch.planner.history.history import History
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.objective import Objective, not_finite
from planbatch.planner.optimizer import Result, Status
from planbatch.planner.optimizers.first_plan import (
    EXPECTED_PLANS,
    FIRST_PLANS,
    FIRST_PLANS_OF_LONG_QUEUES,
    KNOWN_PLANS,
    LONG_QUEUE,
)
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round

#: The parameters of the search in the order in which the core takes them.
SETTING = (
    "hottest", "coldest", "cooling", "moves", "growth", "swap", "near", "large", "front", "eject", "block",
    "per_job", "by_start", "front_jobs", "tournaments",
)  # fmt: skip
#: More evaluations than any search makes.
UNLIMITED = 1 << 60
#: The longest that the core searches by itself (s), before the watch of the budget is called.
LONGEST_PORTION = 0.05


@dataclass(frozen=True)
class Annealing:
    """Simulated annealing over permutations, from the best of several first plans.

    Zheng et al. 2016, Algorithm 1, with remove-and-insert moves and swaps. The paper leaves the probability open: a
    worse neighbour is accepted with exp(-delta / (T * s)), s being the cost of the best plan minus the cost if every
    job started now, the part that planning can influence; with ``per_job``, s is divided by the number of jobs. Cooling
    goes in fixed cycles of evaluations with reheats, so a search stopped by the clock is the beginning of a longer one.

    The additions were measured on rounds of 9 to 300 jobs. Many permutations decode to the same plan, so an accepted
    one becomes the order of its plan's starts: then neighbouring positions are close in time. Distances are
    log-uniform; of two jobs the larger is moved more often, and pairs that start together are skipped. Up to six jobs
    are enumerated if the budget allows.

    In rounds of more than ``front_jobs`` jobs the search begins with the first ``front_jobs`` jobs of the best first
    plan; the others follow in their order, and the plan is taken only if it is better as a whole. After two evaluations
    per job the front becomes eight times as wide, until it holds the whole queue. In rounds of more than 1,000 jobs,
    whole orders of a parametric family are tried after the first front (``core/annealing/whole_orders.hpp``).

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
    swap, near, large, front, eject, block : float
        Probabilities: that a move swaps two jobs; that its distance is log-uniform, rather than uniform; that the
        larger of two jobs is moved; that a job near the front is moved, at the beginning of the search; that a job is
        pulled forward, and random ones of those that run then follow it, until it fits
        (``core/annealing/ejection.hpp``); that a few neighbouring jobs move together.
    per_job : bool
        Whether temperatures are relative to the cost of one job, rather than of all.
    by_start : bool
        Whether permutations that are accepted become the order of the starts.
    front_jobs : int
        Number of jobs in the first front.
    tournaments : bool
        Whether tournaments, hopping and beams search the whole queue; see :meth:`hybrid`.
    first_plans : tuple of str
        The plans to start from, among :data:`KNOWN_PLANS`; ``expected-area`` and ``expected-slowdown`` ask for the
        past of users.
    name : str
        Name of the optimizer in tables.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import Annealing
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> result = pb.solve(problem, "wait", Annealing(cooling=0.8, moves=20), evaluations=100)
    >>> result.plan.start.tolist(), result.cost
    ([50, 0], 25.0)
    """

    __repr__ = brief_repr

    hottest: float = 0.03
    coldest: float = 3e-4
    cooling: float = 0.9
    moves: int = 10
    growth: float = 1.0
    swap: float = 0.3
    near: float = 1.0
    large: float = 0.5
    front: float = 1.0
    eject: float = 0.0
    block: float = 0.0
    per_job: bool = True
    by_start: bool = True
    front_jobs: int = 50
    tournaments: bool = False
    first_plans: tuple[str, ...] = FIRST_PLANS
    name: str = "annealing"

    def __post_init__(self) -> None:
        if not 0 < self.coldest < self.hottest:
            raise ValueError(f"coldest, hottest: 0 < {self.coldest} < {self.hottest} does not hold")
        if not 0 < self.cooling < 1:
            raise ValueError(f"cooling: {self.cooling} is not between 0 and 1")
        whole("moves", self.moves, 1)
        whole("front_jobs", self.front_jobs, 2)
        if not 1 <= self.growth < np.inf:
            raise ValueError(f"growth: {self.growth} is not a number, 1 or more")
        for name in ("swap", "near", "large", "front", "eject", "block"):
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

    @classmethod
    def hybrid(cls, name: str = "hybrid") -> "Annealing":
        """The default search: it never freezes, and knows no budget.

        Annealing in tournaments and basin hopping, by turns. Tournaments: short cycles from the first plan, of two that
        are equally long the better goes on for twice as long, and so on. Hopping: a few jobs of the best plan move
        anywhere (in rounds of more than 30 jobs, before some of the cycles), a cycle follows, and its plan is taken
        unless it is worse; cycles grow with the square root of the evaluations. If more than 200 jobs wait, the front
        goes first. Jobs are also pulled forward past those that run then (``eject``), and move in blocks. A second
        criterion of the objective (:attr:`Objective.guide`) decides between plans of like cost; for the makespan it is
        the mean end of the work, and in the first cycle, the only one of short searches, also the mean start; for
        deadlines the mean squared wait.

        Beside it an iterative beam search builds plans job by job, in passes of growing width. If the makespan comes
        first, it gets three of four evaluations, a node that is expanded counting as one, and prefers plans that waste
        little; the search ends when the makespan is proven to be optimal. If the cost adds up over jobs, which the
        search learns from the objective alone (``core/beam/marginal_cost.hpp``), beams get more of the evaluations
        the more jobs wait; five nodes count as one, and a node is as good as its cost and an estimate of what the jobs
        left will cost (``core/beam/cost_guide.hpp``). If deadlines alone count, or come first, the jobs that have one
        are searched alone in every other turn. What was tried is in ``benchmarks/tried.md``.

        Parameters
        ----------
        name : str
            Name of the optimizer in tables.
        """
        return cls(hottest=0.1, swap=0.7, eject=0.5, block=0.15, tournaments=True, name=name)

    @property
    def setting(self) -> list[float]:
        """Return the parameters for the core."""
        return [float(getattr(self, name)) for name in SETTING]

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

    def policy(self, objective: Objective, budget: Budget, promised: bool) -> _core.Policy | None:
        """Return the search as a policy of the core, for budgets in evaluations; see :func:`core_policy`."""
        if budget.seconds is not None or budget.evaluations is None:
            return None
        scenarios, first = objective.scenarios, self.first_numbers.tolist()
        judged = (0, 0.0) if scenarios is None else (scenarios.count, scenarios.risk)
        return _core.PlanBased(objective.core, self.setting, first, budget.evaluations, promised, *judged)

    def optimize(self, problem: Round, objective: Objective, budget: Budget, rng: np.random.Generator) -> Result:
        """Search for a plan; see :class:`~planbatch.planner.optimizer.Optimizer`.

        Raises
        ------
        ObjectiveError
            If the objective raises, or returns anything but a finite number.
        """
        clock = budget.start()
        if not len(problem):
            nothing = np.zeros(0, dtype=np.int64)
            empty = (nothing, nothing, 0.0, 0.0, clock)
            return Result.of_search(*empty, objective.compiled, Status.OPTIMAL)
        run = _AnnealingRun(self, problem, objective, clock, rng)
        try:
            status = run.search()
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        native = objective.compiled
        return Result.of_search(*run.best(), run.seed_cost, clock, native, status)


class _AnnealingRun:
    """One call of :meth:`Annealing.optimize`: the core searches, in portions that the clock allows."""

    def __init__(
        self, optimizer: Annealing, problem: Round, objective: Objective, clock: Clock, rng: np.random.Generator
    ) -> None:
        self.problem, self.objective, self.clock, self.rng = problem, objective, clock, rng
        self.first_numbers = optimizer.first_numbers
        self.core = objective.search(problem, setting=optimizer.setting)
        self.seed_cost = float("inf")

    def best(self) -> tuple[IntArray, IntArray, float]:
        """Return the best starts, their order and their cost; without any, the previous plan, decoded again."""
        if np.isinf(self.core.cost):
            order = Plan(self.problem.planned).order()
            return decode(self.problem, order).start, order, self.core.cost
        return self.core.start, self.core.order, self.core.cost

    def require(self, finite: bool) -> None:
        """Raise unless all costs were finite numbers."""
        if not finite:
            raise not_finite(self.objective, self.problem.now)

    def search(self) -> Status:
        """Decode the first plans, then enumerate or anneal."""
        n = len(self.problem)
        decoding = self.decode_first_plans()
        # A stage ends with one more decoding of the whole queue.
        self.clock.reserve = 2.0 * decoding
        if n == 1:
            return Status.OPTIMAL
        if self.core.all_start_now():
            return Status.FINISHED  # all fit together: every order decodes to this plan
        limit = self.clock.budget.evaluations
        orders = _core.orders_to_try(n, UNLIMITED if limit is None else limit)
        if orders:
            self.clock.evaluations = orders
            self.require(self.core.enumerate())
            return Status.FINISHED
        return self.anneal()

    def portions_of_first_plans(self) -> list[IntArray]:
        """Return the numbers of the first plans, cut where the clock is read: one by one on long queues."""
        numbers, timed = self.first_numbers, self.clock.budget.seconds is not None
        if not timed or len(self.problem) <= LONG_QUEUE or KNOWN_PLANS[numbers[0]] != "previous":
            return [numbers]
        regular = numbers == KNOWN_PLANS.index("regular-first")
        decoded = numbers[~regular][:FIRST_PLANS_OF_LONG_QUEUES]
        if self.problem.jobs.deadline.min() != NEVER:
            decoded = np.append(decoded, numbers[regular])
        return list(decoded[:, None])

    def decode_first_plans(self) -> float:
        """Decode the first plans that there is time for, at least the first; return the time of each (s)."""
        began, each = self.clock.elapsed, 0.0
        portions = self.portions_of_first_plans()
        for count, numbers in enumerate(portions):
            if count and self.clock.remaining < 2.0 * each:
                break
            self.require(self.core.try_first_plans(numbers))
            each = (self.clock.elapsed - began) / (count + 1)
        self.seed_cost = self.core.cost
        return each / min(len(portions[0]), FIRST_PLANS_OF_LONG_QUEUES)

    def anneal(self) -> Status:
        """Anneal until the budget is used up or the plan is proven; the best is kept on an interrupt."""
        clock, core = self.clock, self.core
        try:
            while not core.proven():
                evaluations = clock.portion(0.0, most=UNLIMITED)
                if evaluations == 0:
                    return Status.FINISHED
                seconds = min(clock.remaining, clock.elapsed, LONGEST_PORTION)
                try:
                    self.require(core.advance(evaluations, self.rng, seconds))
                finally:
                    clock.evaluations = core.evaluations
                if clock.stopped(core.cost, lambda: core.start):
                    return Status.INTERRUPTED
            return Status.OPTIMAL
        finally:
            self.require(core.end_stage())
