"""Assigning processors to jobs: replays only count processors, but pictures and other tools show them.

In the order of starts (then of the file), a job takes the smallest block of free processors that holds it, the lowest
of those; if none does, the largest blocks one after the other until it has enough. So a job may have several pieces,
but only if the machine is fragmented.
"""

import numpy as np

from planbatch.planner.model import IntArray

#: Lowest processor, and how many.
ProcessorRange = tuple[int, int]


def assign(start: IntArray, end: IntArray, procs: IntArray, capacity: int) -> list[list[ProcessorRange]]:
    """Assign processors to every job; ``start`` and ``end`` (s) and ``procs`` have shape (n,).

    Returns for every job the lowest processor and the length of each piece, from low to high. ``ValueError`` if more
    processors are in use at once than the machine has.
    """
    pieces: list[list[ProcessorRange]] = [[] for _ in range(len(start))]
    free: list[ProcessorRange] = [(0, capacity)]
    by_end = np.argsort(end, kind="stable").tolist()
    starts, ends, sizes = start.tolist(), end.tolist(), procs.tolist()
    ended = 0
    for job in np.argsort(start, kind="stable").tolist():
        while ended < len(ends) and ends[by_end[ended]] <= starts[job]:
            free = release(free, pieces[by_end[ended]])
            ended += 1
        pieces[job] = take(free, sizes[job])
        if not pieces[job]:
            raise ValueError(f"more than {capacity} processors are in use at {starts[job]}")
    return pieces


def take(free: list[ProcessorRange], procs: int) -> list[ProcessorRange]:
    """Take processors out of the free blocks, which are sorted from low to high; nothing if there are too few."""
    fitting = [(count, low, i) for i, (low, count) in enumerate(free) if count >= procs]
    if fitting:
        count, low, i = min(fitting)
        free[i : i + 1] = [(low + procs, count - procs)] if count > procs else []
        return [(low, procs)]
    if sum(count for _, count in free) < procs:
        return []
    pieces: list[ProcessorRange] = []
    while procs:
        i = max(range(len(free)), key=lambda k: (free[k][1], -free[k][0]))
        low, count = free[i]
        width = min(count, procs)
        pieces.append((low, width))
        free[i : i + 1] = [(low + width, count - width)] if count > width else []
        procs -= width
    return sorted(pieces)


def release(free: list[ProcessorRange], pieces: list[ProcessorRange]) -> list[ProcessorRange]:
    """Return the free blocks with pieces added, blocks that touch joined."""
    result: list[ProcessorRange] = []
    for low, count in sorted(free + pieces):
        if result and result[-1][0] + result[-1][1] == low:
            result[-1] = (result[-1][0], result[-1][1] + count)
        else:
            result.append((low, count))
    return result
