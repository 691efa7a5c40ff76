"""The availability profile: free processors as a step function of time.

A profile is two columns, ``times`` and ``free``: from ``times[i]`` until ``times[i + 1]``, ``free[i]`` processors
are free; the last entry holds for ever. This is the list of tuples (t, a) of Zheng et al. 2016, Section IV-C, kept
in arrays. The kernels below work on a prefix of length ``size`` of larger buffers and return the new size;
:class:`Profile` is the same for people.
"""

from collections.abc import Iterator

import numpy as np

from planner.model import IntArray
from planner.native import kernel
from planner.round import Round, RunningTable


@kernel
def fill_profile(
    now: int, capacity: int, running: RunningTable, times: IntArray, free: IntArray
) -> int:
    """Write the profile left by the running jobs (sorted by end) and return its size (at most m + 1)."""
    used = 0
    for i in range(len(running.procs)):
        used += running.procs[i]
    times[0] = now
    free[0] = capacity - used
    size = 1
    for i in range(len(running.procs)):
        if running.end[i] > times[size - 1]:
            times[size] = running.end[i]
            free[size] = free[size - 1]
            size += 1
        free[size - 1] += running.procs[i]
    return size


@kernel
def earliest_index(
    times: IntArray, free: IntArray, size: int, procs: int, walltime: int, first: int
) -> int:
    """Index of the first breakpoint, from ``first`` on, where ``procs`` are free for ``walltime`` seconds."""
    i = first
    while True:
        while free[i] < procs:
            i += 1
        end = times[i] + walltime
        j = i + 1
        while j < size and times[j] < end and free[j] >= procs:
            j += 1
        if j == size or times[j] >= end:
            return i
        i = j + 1


@kernel
def place(times: IntArray, free: IntArray, size: int, i: int, procs: int, walltime: int) -> int:
    """Take ``procs`` processors from breakpoint ``i`` on for ``walltime`` seconds; return the new size."""
    end = times[i] + walltime
    j = i
    while j < size and times[j] < end:
        free[j] -= procs
        j += 1
    if j == size or times[j] > end:
        for k in range(size, j, -1):
            times[k] = times[k - 1]
            free[k] = free[k - 1]
        times[j] = end
        free[j] = free[j - 1] + procs
        size += 1
    return size


@kernel
def index_at(times: IntArray, size: int, when: int) -> int:
    """Index of the last breakpoint that is not after ``when`` (0 where all are)."""
    low = 0
    high = size
    while high - low > 1:
        middle = (low + high) // 2
        if times[middle] <= when:
            low = middle
        else:
            high = middle
    return low


@kernel
def split_at(times: IntArray, free: IntArray, size: int, i: int, when: int) -> int:
    """Put a breakpoint at ``when`` behind breakpoint ``i``, unless one is there, and return the new size.

    ``i`` is the index of the last breakpoint that is not after ``when``.
    """
    if times[i] == when:
        return size
    for j in range(size, i + 1, -1):
        times[j] = times[j - 1]
        free[j] = free[j - 1]
    times[i + 1] = when
    free[i + 1] = free[i]
    return size + 1


@kernel
def change_between(
    times: IntArray, free: IntArray, size: int, start: int, end: int, amount: int
) -> int:
    """Add ``amount`` to the free processors from ``start`` to ``end`` and return the new size (at most + 2)."""
    first = index_at(times, size, start)
    size = split_at(times, free, size, first, start)
    if times[first] != start:
        first += 1
    last = index_at(times, size, end)
    size = split_at(times, free, size, last, end)
    if times[last] != end:
        last += 1
    for j in range(first, last):
        free[j] += amount
    return size


@kernel
def fits_at(times: IntArray, free: IntArray, size: int, procs: int, start: int, end: int) -> bool:
    """Whether ``procs`` are free from ``start`` to ``end``."""
    j = index_at(times, size, start)
    while j < size and times[j] < end:
        if free[j] < procs:
            return False
        j += 1
    return True


class Profile:
    """The availability profile of a round, for policies and notebooks in plain Python.

    Parameters
    ----------
    now : int
        Where the profile begins (s).
    capacity : int
        Processors of the machine.
    running : RunningTable
        The running jobs; their processors come back at their expected ends.
    """

    def __init__(self, now: int, capacity: int, running: RunningTable) -> None:
        self.capacity = capacity
        self._times = np.zeros(len(running.procs) + 16, dtype=np.int64)
        self._free = np.zeros(len(running.procs) + 16, dtype=np.int64)
        columns = RunningTable(running.procs.copy(), running.end.copy())
        self._size = fill_profile(now, capacity, columns, self._times, self._free)

    @classmethod
    def of(cls, problem: Round) -> "Profile":
        """The profile that a round begins with."""
        return cls(problem.now, problem.capacity, problem.running)

    @property
    def times(self) -> IntArray:
        """Breakpoints (s), ascending; shape (k,)."""
        return self._times[: self._size].copy()

    @property
    def free(self) -> IntArray:
        """Free processors from each breakpoint until the next; shape (k,)."""
        return self._free[: self._size].copy()

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(zip(self.times.tolist(), self.free.tolist(), strict=True))

    def earliest(self, procs: int, walltime: int, after: int | None = None) -> int:
        """The earliest start (s), not before ``after``, at which the processors are free for the walltime.

        Raises
        ------
        ValueError
            Where more processors are asked for than the machine has.
        """
        if not 1 <= procs <= self.capacity:
            raise ValueError(f"procs: {procs} is outside 1 … {self.capacity}")
        if after is not None and after > self._times[0]:
            if self.fits(procs, after, after + walltime):
                return after
            first = index_at(self._times, self._size, after) + 1
        else:
            first = 0
        i = earliest_index(self._times, self._free, self._size, procs, walltime, first)
        return int(self._times[i])

    def fits(self, procs: int, start: int, end: int) -> bool:
        """Whether the processors are free from ``start`` to ``end``."""
        return bool(fits_at(self._times, self._free, self._size, procs, start, end))

    def reserve(self, procs: int, start: int, walltime: int) -> None:
        """Take processors from ``start`` for ``walltime`` seconds.

        Raises
        ------
        ValueError
            Where they are not free, or ``start`` lies before the profile.
        """
        if start < self._times[0]:
            raise ValueError(
                f"start: {start} lies before the profile, which begins at {self._times[0]}"
            )
        if not self.fits(procs, start, start + walltime):
            raise ValueError(f"procs: {procs} are not free from {start} to {start + walltime}")
        self._change(start, start + walltime, -procs)

    def release(self, procs: int, start: int, walltime: int) -> None:
        """Give back what :meth:`reserve` took."""
        self._change(start, start + walltime, procs)

    def _change(self, start: int, end: int, amount: int) -> None:
        if self._size + 2 > len(self._times):
            self._times = np.concatenate([self._times, np.zeros_like(self._times)])
            self._free = np.concatenate([self._free, np.zeros_like(self._free)])
        self._size = change_between(self._times, self._free, self._size, start, end, amount)
