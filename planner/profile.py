"""The availability profile of a round, for policies and notebooks in plain Python; see :mod:`kernels.profile`."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from planbatch.planner.kernels.profile import (
    earliest_index,
    fill_profile,
    fits_at,
    give_between,
    index_at,
    room_for,
    take_between,
)
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
    >>> problem = pb.Round.of(
    ...     capacity=8, now=100, running=[(4, 200)], waiting=[(10, 8, 100), (20, 4, 300), (30, 2, 50)]
    ... )
    >>> profile = pb.Profile(problem)
    >>> profile.times.tolist(), profile.free.tolist()
    ([100, 200], [4, 8])
    >>> profile.earliest(8, 100)
    200
    >>> profile.reserve(4, 100, 50)
    >>> profile.earliest(4, 50)
    150
    """

    def __init__(self, problem: Round) -> None:
        self.capacities = problem.capacities
        arrays = problem.arrays
        room = room_for(arrays, 8)
        self._times = np.zeros(room, dtype=np.int64)
        shape = (room,) if len(self.capacities) == 1 else (room, len(self.capacities))
        self._free = np.zeros(shape, dtype=np.int64)
        self._size = int(fill_profile(arrays, self._times, self._free))

    @property
    def times(self) -> IntArray:
        """Breakpoints (s), ascending; shape (k,)."""
        return self._times[: self._size].copy()

    @property
    def free(self) -> IntArray:
        """Free amounts from each breakpoint until the next; shape (k,) for processors alone, otherwise (k, K)."""
        return self._free[: self._size].copy()

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        return iter(zip(self.times.tolist(), self.free.tolist(), strict=True))

    def _demand(self, demand: Demand) -> Any:
        """Return a demand, checked, in the form of the kernels."""
        amounts = np.atleast_1d(np.asarray(demand, dtype=np.int64))
        if amounts.shape != self.capacities.shape:
            raise ValueError(
                f"demand: expected {len(self.capacities)} amounts, got shape {amounts.shape}"
            )
        if amounts[0] < 1 or (amounts < 0).any() or (amounts > self.capacities).any():
            raise ValueError(
                f"demand: {amounts.tolist()} is outside 1 … {self.capacities.tolist()}"
            )
        return int(amounts[0]) if self._free.ndim == 1 else amounts

    def earliest(self, demand: Demand, walltime: int, after: int | None = None) -> int:
        """Return the earliest start (s), not before ``after``, at which a demand is free for the walltime.

        Raises
        ------
        ValueError
            If the demand is more than the machine has.
        """
        amounts = self._demand(demand)
        if after is not None and after > self._times[0]:
            if self.fits(demand, after, after + walltime):
                return after
            first = index_at(self._times, self._size, after) + 1
        else:
            first = 0
        i = earliest_index(self._times, self._free, self._size, amounts, walltime, first)
        return int(self._times[i])

    def fits(self, demand: Demand, start: int, end: int) -> bool:
        """Return whether a demand is free from ``start`` to ``end``."""
        amounts = self._demand(demand)
        return bool(fits_at(self._times, self._free, self._size, amounts, start, end))

    def reserve(self, demand: Demand, start: int, walltime: int) -> None:
        """Take a demand from ``start`` for ``walltime`` seconds.

        Raises
        ------
        ValueError
            If it is not free, or ``start`` lies before the profile.
        """
        if start < self._times[0]:
            raise ValueError(
                f"start: {start} lies before the profile, which begins at {self._times[0]}"
            )
        if not self.fits(demand, start, start + walltime):
            raise ValueError(f"demand: {demand} is not free from {start} to {start + walltime}")
        self._change(take_between, demand, start, walltime)

    def release(self, demand: Demand, start: int, walltime: int) -> None:
        """Give back what :meth:`reserve` took."""
        self._change(give_between, demand, start, walltime)

    def _change(self, change: Any, demand: Demand, start: int, walltime: int) -> None:
        if self._size + 2 > len(self._times):
            self._times = np.concatenate([self._times, np.zeros_like(self._times)])
            self._free = np.concatenate([self._free, np.zeros_like(self._free)])
        amounts, end = self._demand(demand), start + walltime
        self._size = change(self._times, self._free, self._size, start, end, amounts)
