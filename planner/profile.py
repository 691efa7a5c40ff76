"""The availability profile of a round, for policies and notebooks in plain Python."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from planbatch import _core
from planbatch.planner.arguments import expect
from planbatch.planner.display import counted
from planbatch.planner.model import IntArray
from planbatch.planner.round import Round

#: A number of processors, or one number per resource.
Demand = int | Sequence[int] | IntArray


class Profile:
    """The availability profile of a round, for policies and notebooks in plain Python.

    Demands are numbers of processors or, with several resources, one number per resource, the processors first.

    Parameters
    ----------
    problem : Round
        The round; running jobs free their resources at their expected ends, windows at their ends.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import Profile
    >>> problem = pb.Round.of(
    ...     capacity=8, now=100, running=[(4, 200)], waiting=[(10, 8, 100), (20, 4, 300), (30, 2, 50)]
    ... )
    >>> profile = Profile(problem)
    >>> profile.times.tolist(), profile.free.tolist()
    ([100, 200], [4, 8])
    >>> profile.earliest(8, 100)
    200
    >>> profile.reserve(4, 100, 50)
    >>> profile.earliest(4, 50)
    150
    """

    def __init__(self, problem: Round) -> None:
        expect("problem", problem, Round)
        self.capacities = problem.capacities
        self._profile = _core.Profile(problem.core)

    def __repr__(self) -> str:
        first, last = int(self.times[0]), int(self.times[-1])
        return f"Profile({counted(len(self.times), 'breakpoint')} from {first:,} s to {last:,} s)"

    @property
    def times(self) -> IntArray:
        """Breakpoints (s), ascending; shape (k,)."""
        return self._profile.times

    @property
    def free(self) -> IntArray:
        """Free amounts from each breakpoint until the next; shape (k,) for processors alone, otherwise (k, K)."""
        return self._profile.free

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        return iter(zip(self.times.tolist(), self.free.tolist(), strict=True))

    def _demand(self, demand: Demand) -> IntArray:
        """Return a demand, checked."""
        amounts = np.atleast_1d(np.asarray(demand, dtype=np.int64))
        if amounts.shape != self.capacities.shape:
            raise ValueError(f"demand: expected {len(self.capacities)} amounts, got shape {amounts.shape}")
        if amounts[0] < 1 or (amounts < 0).any() or (amounts > self.capacities).any():
            raise ValueError(f"demand: {amounts.tolist()} is outside 1 … {self.capacities.tolist()}")
        return np.ascontiguousarray(amounts)

    def earliest(self, demand: Demand, walltime: int, after: int | None = None) -> int:
        """Return the earliest start (s), not before ``after``, at which a demand is free for the walltime.

        Raises
        ------
        ValueError
            If the demand is more than the machine has.
        """
        begins = int(self.times[0])
        first = begins if after is None else max(int(after), begins)
        return int(self._profile.earliest(self._demand(demand), int(walltime), first))

    def fits(self, demand: Demand, start: int, end: int) -> bool:
        """Return whether a demand is free from ``start`` to ``end``."""
        return bool(self._profile.fits(self._demand(demand), int(start), int(end - start)))

    def reserve(self, demand: Demand, start: int, walltime: int) -> None:
        """Take a demand from ``start`` for ``walltime`` seconds.

        Raises
        ------
        ValueError
            If it is not free, or ``start`` lies before the profile.
        """
        self._profile.reserve(self._demand(demand), int(start), int(walltime))

    def release(self, demand: Demand, start: int, walltime: int) -> None:
        """Give back what :meth:`reserve` took.

        Raises
        ------
        ValueError
            If more would be free than the machine has, or ``start`` lies before the profile.
        """
        self._profile.release(self._demand(demand), int(start), int(walltime))
