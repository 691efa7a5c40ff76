# Written by `python -m manual.stub`.
"""
The compiled core: decoding, searches, bounds, policies and the event loop.
"""

import enum
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import numpy.random
import numpy.typing
from numpy.typing import NDArray

import planbatch.planner.model

DIGEST: str = ...

class CostNotFinite(ValueError):
    pass

class BadKeys(ValueError):
    pass

class Cancelled(RuntimeError):
    pass

def set_leak_warnings(warn: bool) -> None:
    """
    Whether the end of the interpreter reports objects of the core that are still referenced.
    """

def cancel_all() -> None:
    """End what other threads compute at this moment."""

class Round:
    """A round as the core sees it: checked copies of all columns."""

    def __init__(
        self,
        *,
        now: int,
        capacities: NDArray[numpy.int64],
        running_end: NDArray[numpy.int64],
        running_amounts: NDArray[numpy.int64],
        submit: NDArray[numpy.int64],
        walltime: NDArray[numpy.int64],
        deadline: NDArray[numpy.int64],
        latest: NDArray[numpy.int64],
        user: NDArray[numpy.int64],
        amounts: NDArray[numpy.int64],
        past: NDArray[numpy.float64],
        planned: NDArray[numpy.int64],
        occupied: NDArray[numpy.int64],
        policy_state: NDArray[numpy.int64],
        window_start: NDArray[numpy.int64],
        window_end: NDArray[numpy.int64],
        window_amounts: NDArray[numpy.int64],
        ended_early: bool,
        history_rows: NDArray[numpy.int64],
        history_past: NDArray[numpy.float64],
        history_running: NDArray[numpy.int64],
    ) -> None: ...
    def __len__(self) -> int: ...

def decode(round: Round, order: NDArray[numpy.int64]) -> NDArray[numpy.int64]:
    """The starts of a permutation's plan (s)."""

def decode_repeatedly(round: Round, orders: NDArray[numpy.int64], times: int) -> int:
    """Decode orders again and again, for measurements."""

def feasible_promises(round: Round) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
    """Promised latest starts that can all be kept (s), and a plan that does."""

class Profile:
    """The availability profile of a round."""

    def __init__(self, round: Round) -> None: ...
    @property
    def times(self) -> NDArray[numpy.int64]: ...
    @property
    def free(self) -> NDArray[numpy.int64]: ...
    def earliest(self, demand: NDArray[numpy.int64], walltime: int, after: int) -> int: ...
    def fits(self, demand: NDArray[numpy.int64], start: int, walltime: int) -> bool: ...
    def reserve(self, demand: NDArray[numpy.int64], start: int, walltime: int) -> None: ...
    def release(self, demand: NDArray[numpy.int64], start: int, walltime: int) -> None: ...

class Scenarios:
    """
    What the jobs of a round could turn out to take, drawn once for all of its plans.
    """

    @staticmethod
    def draw(round: Round, count: int, risk: float, generator: numpy.random.Generator) -> Scenarios: ...
    def __len__(self) -> int: ...

class Objective:
    """A cost of plans: cost(start, jobs, now)."""

    def __call__(self, start: numpy.typing.ArrayLike, jobs: planbatch.planner.model.JobTable, now: int) -> float: ...
    @property
    def history(self) -> History | None:
        """What it needs to know of the past of users, if anything."""

class MeanWait(Objective):
    """
    (1/n) Σ (startᵢ − submitᵢ), in seconds (Zheng et al. 2016, Section IV-B, PLAN 1).
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class MeanSquaredWait(Objective):
    """
    (1/n) Σ (startᵢ − submitᵢ)², in seconds² (Zheng et al. 2016, Section IV-B, PLAN 2).
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class MeanFourthWait(Objective):
    """(1/n) Σ (startᵢ − submitᵢ)⁴, in seconds⁴."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class MeanAreaWait(Objective):
    """
    Σ procsᵢ · (startᵢ − submitᵢ) / Σ procsᵢ, in seconds: the mean wait of a processor's worth of work.
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class MeanUserWait(Objective):
    """
    (1/U) Σᵤ (1/nᵤ) Σᵢ (startᵢ − submitᵢ), in seconds: every one of the U users counts the same.
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class MeanResponse(Objective):
    """(1/n) Σ (startᵢ + walltimeᵢ − submitᵢ), in seconds."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class MeanBoundedSlowdown(Objective):
    """
    (1/n) Σ max(1, (waitᵢ + walltimeᵢ) / max(walltimeᵢ, 10 s)); planners know walltimes only.
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class MeanStretch(Objective):
    """(1/n) Σ (waitᵢ + walltimeᵢ) / walltimeᵢ."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class MeanExpectedSlowdown(Objective):
    """
    (1/n) Σ (startᵢ − submitᵢ) · E[1 / max(runᵢ, 10 s)]: what waits are expected to add to the bounded slowdown.
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Makespan(Objective):
    """
    Max (startᵢ + walltimeᵢ) − now, in seconds (Zheng et al. 2016, Section IV-B, PLAN 3).
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class TotalTardiness(Objective):
    """Σ max(0, startᵢ + walltimeᵢ − deadlineᵢ), in seconds."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class MaximumTardiness(Objective):
    """Max max(0, startᵢ + walltimeᵢ − deadlineᵢ), in seconds."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class MissedDeadlines(Objective):
    """
    How many jobs end after their deadline: Σ [startᵢ + walltimeᵢ > deadlineᵢ].
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class RegularWait(Objective):
    """
    Total tardiness first, then the mean wait of the jobs without a deadline (N'takpé and Suter 2017, Section 4).
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class MeanPoweredWait(Objective):
    """(1/n) Σ (startᵢ − submitᵢ)^power, in seconds^power."""

    def __init__(self, power: float) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class MeanAgedWait(Objective):
    """
    (1/n) Σ (1 + areaᵢ / mean area · (ageᵢ / scale)²) · (startᵢ − submitᵢ), in seconds.
    """

    def __init__(self, scale: float) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class MeanWeightedWait(Objective):
    """(1/n) Σ weightᵢ · (startᵢ − submitᵢ)^power."""

    def __init__(
        self,
        power: float = 2.0,
        area: float = -1.0,
        size: float = 0.0,
        length: float = 0.0,
        age: float = 0.0,
        run: float = 0.0,
        share: float = 0.0,
    ) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...
    def weights(self, jobs: planbatch.planner.model.JobTable, now: int) -> NDArray[numpy.float64]: ...

class WeightedSum(Objective):
    """Σ weightₖ · costₖ."""

    def __init__(self, weights: Sequence[float], objectives: Sequence[Objective]) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Lexicographic(Objective):
    """⌊cost₁ / step⌋ + cost₂ / (cost₂ + one day)."""

    def __init__(self, first: Objective, then: Objective, step: float) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Guided(Objective):
    """
    A cost, and a second criterion that guides searches between plans of like cost.
    """

    def __init__(self, objective: Objective, guide: Objective) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class PythonObjective(Objective):
    """A cost in plain Python."""

    def __init__(self, function: Callable[..., float]) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

    calls_python: bool = True

class CompiledObjective(Objective):
    """A user's cost as machine code."""

    def __init__(
        self,
        address: int,
        owner: object,
        plain: Callable[..., float],
        maker: Callable[..., CompiledObjective],
        arguments: tuple[Any, ...],
    ) -> None: ...
    def __reduce__(self) -> tuple[Callable[..., CompiledObjective], tuple[Any, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def squashed(cost: float) -> float:
    """cost / (cost + one day): grows with the cost and stays below one."""

class QueueOrder:
    """An order of waiting jobs: keys(jobs, now), the smallest first."""

    def __call__(self, jobs: planbatch.planner.model.JobTable, now: int) -> NDArray[numpy.float64]: ...
    @property
    def history(self) -> History | None:
        """What it needs to know of the past of users, if anything."""

class SubmitOrder(QueueOrder):
    """
    First come, first served: the order of the queue itself (the seed of conservative backfilling).
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class ShortestFirst(QueueOrder):
    """Smallest walltime first (SJF)."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class LongestFirst(QueueOrder):
    """Largest walltime first."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class SmallestFirst(QueueOrder):
    """Fewest processors first."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class LargestFirst(QueueOrder):
    """Most processors first."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class SmallestAreaFirst(QueueOrder):
    """
    Smallest area (processors × walltime) first: Smith's rule on one machine of all the processors.
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class LargestAreaFirst(QueueOrder):
    """Largest area (processors × walltime) first."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class EarliestDeadlineFirst(QueueOrder):
    """Earliest deadline first (EDF); jobs without a deadline come last."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class RegularFirst(QueueOrder):
    """
    The order of deadline-based backfilling: urgent jobs, those without a deadline, the others.
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class LargestExpansionFirst(QueueOrder):
    """Largest expansion factor first (LXF): key −(w + r) / r."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Wfp1(QueueOrder):
    """Largest w / r · n first: WFP3 without the cube."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Wfp3(QueueOrder):
    """
    Largest (w / r)³ · n first (WFP3): waits in multiples of the walltime, large jobs favoured.
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Unicef(QueueOrder):
    """
    Largest w / (log2(n) · r) first (UNICEF): small, short jobs are served fast, serial ones before all others.
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Fat(QueueOrder):
    """Largest w / r · n³ first (FAT): wide jobs before all others."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class SmallestRatioFirst(QueueOrder):
    """Smallest ratio of walltime to processors first (SRF): key r / n."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class F1(QueueOrder):
    """Smallest log10(r) · n + 870 · log10(s) first (F1)."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class F2(QueueOrder):
    """Smallest √r · n + 25,600 · log10(s) first (F2)."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class F3(QueueOrder):
    """Smallest r · n + 6,860,000 · log10(s) first (F3)."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class F4(QueueOrder):
    """Smallest r · √n + 530,000 · log10(s) first (F4)."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class ExpectedAreaFirst(QueueOrder):
    """Smallest expected area first: n · E[run]."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class ExpectedSlowdownFirst(QueueOrder):
    """
    Smallest n · E[run] / E[1 / max(run, 10 s)] first: the same rule, waits weighted as in the slowdown.
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Multifactor(QueueOrder):
    """
    Slurm's multifactor priority: the weighted sum of age, fair-share and size, largest first.
    """

    def __init__(self, age: float, fairshare: float, size: float, max_age: float, half_life: float) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class LongestWaitingFirst(QueueOrder):
    """
    Jobs that have waited longer than a threshold come first, FCFS among themselves.
    """

    def __init__(self, order: QueueOrder, seconds: int) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class PairOfOrders(QueueOrder):
    """One order for the head of the queue, another for backfilling."""

    def __init__(self, head: QueueOrder, backfilling: QueueOrder) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class PythonOrder(QueueOrder):
    """An order in plain Python."""

    def __init__(self, function: Callable[..., numpy.typing.ArrayLike]) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

    calls_python: bool = True

class History:
    """What a replay keeps up to date of the past of users."""

    @property
    def width(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def kept(self) -> int:
        """Numbers that are stored for each job."""

    @property
    def shared(self) -> int:
        """Numbers that are stored for all jobs."""

    def rows(self, users: int, jobs: int) -> int: ...

class ExpectedRunTimes(History):
    """Expected run times of the waiting jobs."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class RunTimes(ExpectedRunTimes):
    """Expected run times, and quantiles of their distributions."""

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class LastTwo(History):
    """
    Run times predicted as the mean of the user's last two (Tsafrir, Etsion, Feitelson, TPDS 2007).
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class ELoss(History):
    """
    Run times predicted by online regression (Gaussier, Glesser, Reis, Trystram, SC 2015).
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Boosted(History):
    """
    Run times predicted by boosted trees, which Python grows (Friedman, Annals of Statistics 2001).
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

    FEATURES: int = 13

    FIRST_FEATURE: int = 4

    MOST_TREES: int = 100

    DEPTH: int = 3

    TREES: int = 0

    BASE: int = 1

    ENDED: int = 2

    LEARNED: int = 3

    FIRST_TREE: int = 4

    @staticmethod
    def value(model: NDArray[numpy.float64], features: NDArray[numpy.float64]) -> float:
        """What the trees predict."""

class FairShare(History):
    """The decayed use of every user."""

    def __init__(self, half_life: float) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class PythonHistory(History):
    """A history in plain Python: update(events, state, jobs, now)."""

    def __init__(self, update: Callable[..., object], width: int, columns: int, kept: int, shared: int) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

    calls_python: bool = True

def corrected(corrector: int, predicted: int, elapsed: int, request: int) -> int:
    """
    What a job is believed to take that has run for longer than predicted (s).
    """

class OrderSearch:
    """
    A search over the permutations of a round: evaluates orders, and anneals.
    """

    def __init__(
        self,
        round: Round,
        objective: Objective,
        scenarios: Scenarios | None,
        setting: Sequence[float],
        relaxes: bool = True,
    ) -> None: ...
    def try_first_plans(self, numbers: NDArray[numpy.int64]) -> bool:
        """Decode first plans; False if a cost is not a finite number."""

    def evaluate(self, order: NDArray[numpy.int64]) -> float:
        """
        The cost of an order: infinite if it breaks a promise, NaN if it is not a finite number.
        """

    def soonest_cost(self) -> float:
        """The cost if every job could start now."""

    def planned_cost(self, order: NDArray[numpy.int64], start: NDArray[numpy.int64]) -> float:
        """
        The cost of the plan that an order was decoded to, whatever was promised.
        """

    def enumerate(self) -> bool:
        """Evaluate all permutations; False if a cost is not a finite number."""

    def advance(self, evaluations: int, generator: numpy.random.Generator, seconds: float = float("inf")) -> bool:
        """
        Anneal for so many evaluations or seconds; False if a cost is not a finite number.
        """

    def end_stage(self) -> bool:
        """
        Take over what the stage found; False if its cost is not a finite number.
        """

    def justify(self) -> bool:
        """
        Justify the plan for as long as it gets better; False if a cost is not a finite number.
        """

    def all_start_now(self) -> bool: ...
    def proven(self) -> bool:
        """Whether the plan is proven to be optimal."""

    @property
    def order(self) -> NDArray[numpy.int64]: ...
    @property
    def start(self) -> NDArray[numpy.int64]: ...
    @property
    def trial(self) -> NDArray[numpy.int64]: ...
    @property
    def evaluations(self) -> int:
        """Evaluations of annealing so far."""

    @property
    def cost(self) -> float: ...

def orders_to_try(jobs: int, evaluations: int) -> int:
    """The number of permutations if a budget allows trying them all, else 0."""

class Policy:
    """What decides rounds."""

    def decide(
        self, round: Round, generator: numpy.random.Generator
    ) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], int, float, float]: ...

class Easy(Policy):
    """
    EASY backfilling (Lifka, JSSPP 1995; Mu'alem and Feitelson, TPDS 2001).
    """

    def __init__(self, order: QueueOrder) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Replanned(Policy):
    """Decode the queue's order; earlier reservations are not kept."""

    def __init__(self, order: QueueOrder) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Conservative(Policy):
    """
    Conservative backfilling that keeps its reservations (Mu'alem and Feitelson, TPDS 2001).
    """

    def __init__(self) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class PlanBased(Policy):
    """Annealing searches for the plan to act on (Zheng et al. 2016)."""

    def __init__(
        self,
        objective: Objective,
        setting: Sequence[float],
        first_plans: Sequence[int],
        evaluations: int,
        promised: bool,
        scenarios: int,
        risk: float,
    ) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Serve(Policy):
    """
    The queue in its order: a blocked job blocks the others (FCFS), or is passed over (Best-fit).
    """

    def __init__(self, order: QueueOrder, passes_blocked: bool) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class BackfillBalanced(Policy):
    """Backfill Balanced (Leinberger, Karypis, Kumar 1999)."""

    def __init__(self, order: QueueOrder, one_a_round: bool) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class ImprovedBackfillBalanced(Policy):
    """Improved Backfill Balanced (Liu et al., NPC 2016)."""

    def __init__(self, order: QueueOrder, as_printed: bool) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class FirstReserved(Policy):
    """Backfilling around reservations for the first so many blocked jobs."""

    def __init__(self, order: QueueOrder, reservations: int) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Selective(Policy):
    """
    Reservations for jobs whose expansion factor exceeds a threshold (Srinivasan et al., JSSPP 2002).
    """

    def __init__(self, order: QueueOrder, factor: float) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Relaxed(Policy):
    """
    EASY that may delay the head by a part of its expected wait (Ward, Mahood, West, JSSPP 2002).
    """

    def __init__(self, order: QueueOrder, omega: float) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class SlackBased(Policy):
    """
    Jobs may be delayed up to their promised latest starts (Talby and Feitelson, IPPS 1999).
    """

    def __init__(self, order: QueueOrder) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Lookahead(Policy):
    """
    EASY that backfills the set that fills most (Shmueli and Feitelson, JSSPP 2003).
    """

    def __init__(self, order: QueueOrder, most_jobs: int) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class UrgentJobs(enum.Enum):
    """
    How jobs become urgent that would be late: in the algorithm of 2017, and in that of 2016.
    """

    ONE_AT_A_TIME = 0

    ALL_AT_ONCE = 1

class AdvanceOrder(enum.Enum):
    """
    The order in which definitive reservations move forward after an early end.
    """

    FCFS = 0

    TOGETHER = 1

    AS_JOINED = 2

    REGULAR_FIRST = 3

class DeadlineBackfilling(Policy):
    """
    Jobs with a deadline make room for those without (N'takpé and Suter, 2016 and 2017).
    """

    def __init__(
        self,
        urgent_jobs: UrgentJobs = UrgentJobs.ONE_AT_A_TIME,
        advance_order: AdvanceOrder = AdvanceOrder.FCFS,
        working_time: Sequence[int] = [],
    ) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Rollouts(Policy):
    """
    What starts now is chosen by simulating what would follow (Bertsekas and Castañon 1999).
    """

    def __init__(
        self,
        order: QueueOrder,
        objective: Objective,
        setting: Sequence[float],
        first_plans: Sequence[int],
        evaluations: int,
        samples: int | None,
        span: int,
        confidence: float,
        seconds: float | None,
    ) -> None: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

def simulate_easy(
    round: Round, waiting: int, run: NDArray[numpy.int64], chosen: NDArray[numpy.int64]
) -> NDArray[numpy.int64]:
    """The starts of EASY with given run times (s)."""

def draw_coming(round: Round, span: int, generator: numpy.random.Generator) -> tuple[int, NDArray[numpy.int64]]:
    """
    A moment of the past, and the rows of the jobs that came in so many seconds from then on.
    """

def best_candidate(
    total: NDArray[numpy.float64], square: NDArray[numpy.float64], samples: int, confidence: float
) -> int:
    """The candidate that is surely better than the first, or the first."""

class SimulationStatus(enum.Enum):
    """What the event loop waits for, or how it ended."""

    ROUND_DUE = 0

    CARRIED_OUT = 1

    PAUSED = 2

    LESSON_DUE = 3

    FINISHED = 4

    STUCK = 5

    BAD_START = 6

    OVER_CAPACITY = 7

def rounds_with_fit(
    times: NDArray[numpy.int64],
    submit: NDArray[numpy.int64],
    start: NDArray[numpy.int64],
    end: NDArray[numpy.int64],
    amounts: NDArray[numpy.int64],
    capacities: NDArray[numpy.int64],
) -> NDArray[numpy.bool_]:
    """In which rounds of a replay a waiting job fitted."""

class Simulation:
    """The event loop of a replay, which can be stepped."""

    def __init__(
        self,
        workload: dict[str, NDArray[numpy.int64]],
        history: History | None,
        keeps_jobs: bool,
        users: int,
        prediction: int,
        corrector: int,
        guards_promises: bool,
    ) -> None: ...
    def advance(self) -> SimulationStatus:
        """Move to the next round."""

    def run(self, policy: Policy, generator: numpy.random.Generator, seconds: float, rounds: int) -> SimulationStatus:
        """
        Run rounds for so long, until there were so many in all, or until something is due.
        """

    def commit(
        self,
        start: NDArray[numpy.int64],
        policy_state: numpy.typing.ArrayLike | None,
        evaluations: int,
        seed_cost: float,
        cost: float,
    ) -> SimulationStatus:
        """Carry out a plan."""

    def round(self) -> dict[str, Any]:
        """The columns of the round at this moment."""

    def schedule_lesson(self, when: int, started: int) -> None: ...
    def lesson_is_due(self) -> bool: ...
    def event_log(self) -> NDArray[numpy.int64]:
        """All events so far, a row per event."""

    def history_state(self) -> NDArray[numpy.float64] | None:
        """A copy of the numbers that the history keeps."""

    def set_history_state(self, numbers: NDArray[numpy.float64]) -> None: ...
    @property
    def now(self) -> int: ...
    @property
    def waiting(self) -> int: ...
    @property
    def started(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    @property
    def events(self) -> int:
        """Submissions, starts, ends and changes of the machine so far."""

    @property
    def start(self) -> NDArray[numpy.int64]: ...
    @property
    def first_planned(self) -> NDArray[numpy.int64]: ...
    @property
    def last_planned(self) -> NDArray[numpy.int64]: ...
    @property
    def latest(self) -> NDArray[numpy.int64]: ...
    @property
    def predicted(self) -> NDArray[numpy.int64]: ...
    def log(
        self,
    ) -> tuple[
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.float64],
        NDArray[numpy.float64],
    ]:
        """The columns of the log of rounds."""

class StepwisePlan:
    """A plan that is made job by job."""

    def __init__(self, round: Round, visible: int) -> None: ...
    @property
    def is_open(self) -> bool:
        """Whether a visible job could start now."""

    @property
    def start(self) -> NDArray[numpy.int64]: ...
    def observe(self) -> tuple[NDArray[numpy.float32], NDArray[numpy.float32], NDArray[numpy.uint8]]:
        """
        Features of the visible jobs and of the machine, and which decisions are allowed.
        """

    def place(self, job: int) -> None:
        """Place a visible job at its earliest start."""

class Environment:
    """A replay as a sequence of decisions with rewards."""

    def __init__(self, simulation: Simulation, visible: int, penalty: NDArray[numpy.float64]) -> None: ...
    @property
    def is_over(self) -> bool: ...
    def observe(self) -> tuple[NDArray[numpy.float32], NDArray[numpy.float32], NDArray[numpy.uint8]]: ...
    def step(self, action: int) -> float:
        """Take a decision; return the reward until the next one."""

JOB_FEATURES: int = 6

MACHINE_FEATURES: int = 6

class Market:
    """
    The Lagrangian relaxation of a round: what equal jobs demand, and capacity per bucket of time.
    """

    def __init__(
        self,
        *,
        edges: NDArray[numpy.float64],
        capacity: NDArray[numpy.float64],
        coef: NDArray[numpy.float64],
        size: NDArray[numpy.int64],
        many: NDArray[numpy.float64],
        duration: NDArray[numpy.float64],
        earliest: NDArray[numpy.float64],
        weight: NDArray[numpy.float64],
        origin: NDArray[numpy.float64],
        power: int,
    ) -> None: ...
    @property
    def origin(self) -> NDArray[numpy.float64]:
        """The origin of each entry's term (s after now)."""

    def __len__(self) -> int: ...
    def respond(self, price: NDArray[numpy.float64]) -> tuple[float, float]:
        """
        L at these prices, and the sum that its rounding errors are relative to.
        """

    def climb(
        self, price: NDArray[numpy.float64], upper: float, iterations: int
    ) -> tuple[float, NDArray[numpy.float64]]:
        """
        The best L met, less its rounding errors, and its prices; `upper` is the cost of a plan.
        """

    def climb_configurations(
        self,
        price: NDArray[numpy.float64],
        *,
        width: NDArray[numpy.int64],
        units: NDArray[numpy.int64],
        jobs: NDArray[numpy.int64],
        rooms: NDArray[numpy.int64],
        seconds: NDArray[numpy.float64],
        replaced: int,
        upper: float,
        iterations: int,
    ) -> tuple[float, Shares]:
        """
        The best bound of the configuration relaxation met from prices of the rows of capacity on, less its rounding errors, and the shares of it; configurations replace the first rows.
        """

class Shares:
    """
    By how much starts exceed the jobs' shares of the Lagrangian bound, at fixed prices.
    """

    def __init__(self, market: Market, price: NDArray[numpy.float64]) -> None: ...
    @property
    def base(self) -> float:
        """The Lagrangian bound at these prices."""

    @property
    def magnitude(self) -> float:
        """The sum that the rounding errors of the bound are relative to."""

    def breakpoints(self, entry: int) -> NDArray[numpy.float64]:
        """
        The starts between which the excess of an entry is monotone (s after now).
        """

    def excess(self, entry: int, when: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        """The excess of an entry that starts at these times (s after now)."""

    def latest(self, gap: float) -> NDArray[numpy.float64]:
        """
        The start of each entry from which on every excess is above the gap (s after now); or infinity.
        """

def most_value(
    sizes: NDArray[numpy.int64], value: NDArray[numpy.int64], count: NDArray[numpy.int64], room: int
) -> NDArray[numpy.int64]:
    """
    The largest value of items that fit side by side into each room 0 … room.
    """

class ProcessorBranchAndBound:
    """Branch and bound over the plans of a round of processors alone."""

    def __init__(
        self,
        *,
        times: NDArray[numpy.int64],
        free: NDArray[numpy.int64],
        amounts: NDArray[numpy.int64],
        walltime: NDArray[numpy.int64],
        latest: NDArray[numpy.int64],
        weight: NDArray[numpy.float64],
        origin: NDArray[numpy.float64],
        kind: NDArray[numpy.int64],
        entry: NDArray[numpy.int64],
        by_due: NDArray[numpy.int64],
        shares: Shares | None,
        largest: bool,
        power: int,
        slack: float,
        step: float,
        goal: float,
        remembered: int,
    ) -> None: ...
    def explore(self, nodes: int) -> int:
        """Visit up to so many further nodes; how many it were."""

    @property
    def begun(self) -> bool:
        """Whether a node has been visited."""

    @property
    def done(self) -> bool:
        """Whether every node has been visited or cut."""

    @property
    def best(self) -> float:
        """The least cost known."""

    @property
    def best_start(self) -> NDArray[numpy.int64]:
        """The starts of the plan found (s after now), 0 if none was."""

    @property
    def open_bound(self) -> float:
        """
        The least bound of a listed node that has not been visited, for sums of terms; or infinity.
        """

class ResourceBranchAndBound:
    """Branch and bound over the plans of a round of several resources."""

    def __init__(
        self,
        *,
        times: NDArray[numpy.int64],
        free: NDArray[numpy.int64],
        amounts: NDArray[numpy.int64],
        walltime: NDArray[numpy.int64],
        latest: NDArray[numpy.int64],
        weight: NDArray[numpy.float64],
        origin: NDArray[numpy.float64],
        kind: NDArray[numpy.int64],
        entry: NDArray[numpy.int64],
        by_due: NDArray[numpy.int64],
        shares: Shares | None,
        largest: bool,
        power: int,
        slack: float,
        step: float,
        goal: float,
        remembered: int,
    ) -> None: ...
    def explore(self, nodes: int) -> int:
        """Visit up to so many further nodes; how many it were."""

    @property
    def begun(self) -> bool:
        """Whether a node has been visited."""

    @property
    def done(self) -> bool:
        """Whether every node has been visited or cut."""

    @property
    def best(self) -> float:
        """The least cost known."""

    @property
    def best_start(self) -> NDArray[numpy.int64]:
        """The starts of the plan found (s after now), 0 if none was."""

    @property
    def open_bound(self) -> float:
        """
        The least bound of a listed node that has not been visited, for sums of terms; or infinity.
        """

class WindowBranchAndBound:
    """Branch and bound over the plans of a round with windows."""

    def __init__(
        self,
        *,
        times: NDArray[numpy.int64],
        free: NDArray[numpy.int64],
        amounts: NDArray[numpy.int64],
        walltime: NDArray[numpy.int64],
        latest: NDArray[numpy.int64],
        weight: NDArray[numpy.float64],
        origin: NDArray[numpy.float64],
        kind: NDArray[numpy.int64],
        entry: NDArray[numpy.int64],
        by_due: NDArray[numpy.int64],
        shares: Shares | None,
        largest: bool,
        power: int,
        slack: float,
        step: float,
        goal: float,
        remembered: int,
    ) -> None: ...
    def explore(self, nodes: int) -> int:
        """Visit up to so many further nodes; how many it were."""

    @property
    def begun(self) -> bool:
        """Whether a node has been visited."""

    @property
    def done(self) -> bool:
        """Whether every node has been visited or cut."""

    @property
    def best(self) -> float:
        """The least cost known."""

    @property
    def best_start(self) -> NDArray[numpy.int64]:
        """The starts of the plan found (s after now), 0 if none was."""

    @property
    def open_bound(self) -> float:
        """
        The least bound of a listed node that has not been visited, for sums of terms; or infinity.
        """
