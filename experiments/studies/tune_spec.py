"""The specification of a parameter search: workload, spans, policy, parameters and goals, as frozen data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.policy import Policy
from planbatch.experiments.studies.metrics import Metric
from planbatch.experiments.studies.spec import WorkloadSpec

#: A parameter in the text of a policy.
PLACE = re.compile(r"\{([\w-]+)\}")
#: Metrics of which more is better; of all others, less.
MORE_IS_BETTER = frozenset({"utilisation", "no-wait"})


@dataclass(frozen=True)
class Range:
    """Numbers from ``low`` to ``high``, both included: whole ones if both are, and by their logarithm if ``log``."""

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"from is {self.low:g}, and to, {self.high:g}, is not above it")
        if self.log and not self.low > 0:
            raise ValueError(f"log: from is {self.low:g}, and should be above 0")

    @property
    def whole(self) -> bool:
        """Whether both ends are whole numbers as written."""
        return isinstance(self.low, int) and isinstance(self.high, int)


@dataclass(frozen=True)
class Tuning:
    """A search of a policy's parameters."""

    workload: WorkloadSpec  # the log; its span is replaced by those below
    past: str  # the span on which trials are replayed, ``FROM:TO``
    later: tuple[str, ...]  # the spans on which the best of them are judged
    policy: str  # the text of the policy, with parameters in braces: ``plan-aged-wait:{age}``
    parameters: Mapping[str, Range | tuple[str, ...]]  # numbers or choices for each
    goals: tuple[Metric, ...]  # the metrics to be made best; several give a Pareto front
    #: How many parameters are tried; seed of the sampler and of the replays.
    trials: int = 50
    seed: int = 0
    default: str = ""  # the policy to compare with, besides EASY
    #: Where the spans are in a file, named in errors, such as ``tune.toml, line 7``.
    places: Mapping[str, str] = field(default_factory=dict, compare=False)

    def text(self, values: Mapping[str, object]) -> str:
        """Return the name of the policy with these parameters."""
        return PLACE.sub(lambda place: written(values[place[1]]), self.policy)

    def make(self, values: Mapping[str, object]) -> Policy:
        """Make the policy with these parameters.

        Raises
        ------
        ValueError
            If a parameter is out of the policy's range.
        """
        return make_policy(self.text(values))


def written(value: object) -> str:
    """Write a parameter with at most three digits, so that names stay short; whole numbers and words as they are."""
    return f"{value:.3g}" if isinstance(value, float) else str(value)
