"""Scenarios: sets of run times, drawn from the ratios of run time and request of users' past jobs."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from planbatch import _core
from planbatch.planner.arguments import short_repr
from planbatch.planner.round import Round

#: More scenarios would take hours per replay.
MOST_SCENARIOS = 1000


@dataclass(frozen=True)
class Scenarios:
    """How many scenarios evaluate a plan, and which of them count. Experimental: it may change in any release.

    Attributes
    ----------
    count : int
        How many are drawn in each round.
    risk : float
        From 0 to below 1: the cost of a plan is the mean over the most expensive (1 − risk) of them, the conditional
        value at risk; 0 for the mean of all.

    Raises
    ------
    ValueError
        If one is out of its range; names it.

    Examples
    --------
    >>> from planbatch.planner import Scenarios
    >>> str(Scenarios(8, risk=0.9))
    'scenarios=8,risk=0.9'
    """

    count: int = 8
    risk: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.count, Integral) or not 1 <= self.count <= MOST_SCENARIOS:
            raise ValueError(f"scenarios: {short_repr(self.count)} is not a number from 1 to {MOST_SCENARIOS:,}")
        if not isinstance(self.risk, Real) or not 0 <= self.risk < 1:
            raise ValueError(f"risk: {short_repr(self.risk)} is not from 0 to below 1, such as 0.9")

    def __str__(self) -> str:
        return f"scenarios={self.count}" + (f",risk={self.risk:g}" if self.risk else "")

    @property
    def parameters(self) -> dict[str, float]:
        """The two by the names of their parameters."""
        return {"scenarios": self.count, "risk": self.risk}

    def draw(self, problem: Round, rng: np.random.Generator) -> _core.Scenarios:
        """Draw the scenarios of a round."""
        return _core.Scenarios.draw(problem.core, self.count, float(self.risk), rng)
