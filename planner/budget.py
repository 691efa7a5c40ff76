"""The budget of a search, and the clock that ends it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real
from time import perf_counter

from planbatch.planner.arguments import short_repr, whole
from planbatch.planner.columns import IntArray
from planbatch.planner.display import counted

Watch = Callable[[float, IntArray, int], object]
"""``watch(cost, start, evaluations)``: sees the best plan of a search now and then; what is true ends the search."""

#: Plans that a search evaluates by default: in a round on its own (the preset of Zheng et al. 2016), and in each round
#: of a replay, which has thousands and begins each with the plan of the one before.
ROUND_EVALUATIONS, REPLAY_EVALUATIONS = 8800, 100
#: The optimizer that searches by default, in both.
DEFAULT_OPTIMIZER = "hybrid"
#: The rule, as help texts state it.
DEFAULT_EVALUATIONS = f"[default: {REPLAY_EVALUATIONS} per round of a replay, {ROUND_EVALUATIONS} in a single round]"


@dataclass(frozen=True)
class Budget:
    """The end of a search: a number of evaluations (reproducible), a number of seconds, or whichever comes first.

    Time may only end a search, never steer it: a search that the clock stops after k evaluations equals one with a
    budget of k evaluations.

    Attributes
    ----------
    seconds : float, optional
        Wall-clock time (s), seeding and decoding included.
    evaluations : int, optional
        Plans evaluated besides the first plans. With 0, the result is the best of these.
    watch : callable, optional
        See :data:`Watch`; :func:`solve` makes one of its callbacks.

    Raises
    ------
    ValueError
        If both are absent, or one is negative or not a number.

    Examples
    --------
    >>> from planbatch.planner import Budget
    >>> Budget(seconds=0.5, evaluations=8800)  # whichever is used up first
    Budget(seconds=0.5, evaluations=8800)
    """

    seconds: float | None = None
    evaluations: int | None = None
    watch: Watch | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.seconds is None and self.evaluations is None:
            raise ValueError("budget: give seconds, evaluations or both")
        if self.evaluations is not None:
            object.__setattr__(self, "evaluations", whole("evaluations", self.evaluations))
        seconds = self.seconds
        if seconds is not None:
            number = isinstance(seconds, Real) and not isinstance(seconds, bool)
            if not number or not 0 <= float(seconds) < float("inf"):
                raise ValueError(f"seconds: {short_repr(seconds)} is not a number of seconds, 0 or more")
            object.__setattr__(self, "seconds", float(seconds))

    def __str__(self) -> str:
        parts = [] if self.evaluations is None else [counted(self.evaluations, "evaluation")]
        parts += [] if self.seconds is None else [f"{self.seconds:g} s"]
        return " or ".join(parts)

    def start(self) -> "Clock":
        """Return a running clock; call this on the first line of a search."""
        return Clock(self)


def budget_of(evaluations: int | None, seconds: float | None, default: int) -> Budget:
    """Return the budget of these evaluations and seconds; of the default number of evaluations without both."""
    return Budget(seconds, default if evaluations is None and seconds is None else evaluations)


class Clock:
    """The clock of a running budget, for searches that work in portions.

    Parameters
    ----------
    budget : Budget
        The budget.

    Examples
    --------
    >>> from planbatch.planner import Budget
    >>> clock = Budget(seconds=60).start()
    >>> clock.elapsed < clock.remaining
    True
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.began = perf_counter()
        self.evaluations = 0
        #: Seconds that the search needs after its last evaluation, to decode and to finish.
        self.reserve = 0.0

    def __repr__(self) -> str:
        return f"Clock({self.elapsed:.3g} s and {self.evaluations:,} evaluations of {self.budget})"

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return perf_counter() - self.began

    @property
    def remaining(self) -> float:
        """Seconds left; infinite if the budget has none."""
        if self.budget.seconds is None:
            return float("inf")
        return self.budget.seconds - self.elapsed - self.reserve

    def stopped(self, cost: float, start: Callable[[], IntArray]) -> bool:
        """Show the best plan to the budget's watch, if any; return whether that ends the search."""
        watch = self.budget.watch
        return watch is not None and bool(watch(cost, start(), self.evaluations))

    def portion(self, cost: float, most: int = 1 << 20) -> int:
        """Return how many evaluations to do before the next check of the clock; 0 if the budget is used up.

        Parameters
        ----------
        cost : float
            Seconds that an evaluation is expected to take; only affects the size of the portion.
        most : int
            Limit of a portion.
        """
        evaluations = most
        if self.budget.evaluations is not None:
            evaluations = min(evaluations, self.budget.evaluations - self.evaluations)
        if self.budget.seconds is not None:
            remaining = self.remaining
            if remaining <= cost:
                return 0
            evaluations = min(evaluations, max(1, int(0.5 * remaining / max(cost, 1e-7))))
        return max(evaluations, 0)
