"""The specification of a parameter search: workload, spans, policy, parameters and goals, as frozen data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.policy import Policy
from planbatch.experiments.studies.metrics import Metric
from planbatch.experiments.studies.spec import WorkloadSpec
from planbatch.planner.settings import Setting

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
    """A search of a policy's parameters; the settings are the keys of its file, which docs/tuning.md explains."""

    policy: Annotated[str, Setting("A policy with parameters in braces.")]
    workload: Annotated[WorkloadSpec, Setting("The log.", in_files=dict)]
    past: Annotated[str, Setting("The span that is tuned on.")]
    later: Annotated[tuple[str, ...], Setting("The spans that are held out.")]
    parameters: Annotated[Mapping[str, Range | tuple[str, ...]], Setting("Ranges and choices.", in_files=dict)]
    goals: Annotated[tuple[Metric, ...], Setting("Metrics to be minimised.", in_files=str)]
    trials: Annotated[int, Setting("How many settings are tried.")] = 50
    seed: Annotated[int, Setting("Seed of the search and the replays.")] = 0
    default: Annotated[str, Setting("What it is compared with; by default, without parameters.")] = ""
    #: Where the spans are in a file, named in errors, such as ``tune.toml, line 7``.
    places: Mapping[str, str] = field(default_factory=dict, compare=False)

    def text(self, values: Mapping[str, object]) -> str:
        """Return the name of the policy with these parameters."""
        return PLACE.sub(lambda place: short_text(values[place[1]]), self.policy)

    def make(self, values: Mapping[str, object]) -> Policy:
        """Make the policy with these parameters; ``ValueError`` if one is out of its range."""
        return make_policy(self.text(values))


def short_text(value: object) -> str:
    """Write a parameter with at most three digits, so that names stay short; whole numbers and words as they are."""
    return f"{value:.3g}" if isinstance(value, float) else str(value)
