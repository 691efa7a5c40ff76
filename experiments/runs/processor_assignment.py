"""Assigning processors to jobs: replays only count processors, but pictures and other tools show them.

The rule, which the page's ``gantt.js`` follows as well: in the order of starts (then of the file), a job takes the
smallest block of free processors that holds it, the lowest of those; if none does, the largest blocks one after the
other until it has enough. So a job may have several pieces, but only if the machine is fragmented.
"""

import numpy as np

from planbatch.experiments.runs.read import Jobs

#: Lowest processor, and how many.
Piece = tuple[int, int]


def assign(jobs: Jobs, capacity: int) -> list[list[Piece]]:
    """Assign processors to every job.

    Parameters
    ----------
    jobs : Jobs
        Their starts, ends and sizes.
    capacity : int
        Processors of the machine.

    Returns
    -------
    list of list of (int, int)
        For every job the lowest processor and the length of each piece, from low to high.

    Raises
    ------
    ValueError
        If more processors are in use at once than the machine has.
    """
    pieces: list[list[Piece]] = [[] for _ in range(len(jobs))]
    free: list[Piece] = [(0, capacity)]
    starts = np.argsort(jobs.start, kind="stable").tolist()
    ends = np.argsort(jobs.end, kind="stable").tolist()
    start, end, procs = jobs.start.tolist(), jobs.end.tolist(), jobs.procs.tolist()
    next_end = 0
    for job in starts:
        while next_end < len(ends) and end[ends[next_end]] <= start[job]:
            free = released(free, pieces[ends[next_end]])
            next_end += 1
        pieces[job] = take(free, procs[job])
        if not pieces[job]:
            raise ValueError(f"more than {capacity} processors are in use at {start[job]}")
    return pieces


def take(free: list[Piece], procs: int) -> list[Piece]:
    """Take processors out of the free blocks, which are sorted from low to high; nothing if there are too few."""
    fitting = [(count, low, i) for i, (low, count) in enumerate(free) if count >= procs]
    if fitting:
        count, low, i = min(fitting)
        free[i : i + 1] = [(low + procs, count - procs)] if count > procs else []
        return [(low, procs)]
    if sum(count for _, count in free) < procs:
        return []
    mine: list[Piece] = []
    while procs:
        i = max(range(len(free)), key=lambda k: (free[k][1], -free[k][0]))
        low, count = free[i]
        used = min(count, procs)
        mine.append((low, used))
        free[i : i + 1] = [(low + used, count - used)] if count > used else []
        procs -= used
    return sorted(mine)


def released(free: list[Piece], pieces: list[Piece]) -> list[Piece]:
    """Return the free blocks with pieces added, blocks that touch joined."""
    result: list[Piece] = []
    for low, count in sorted(free + pieces):
        if result and result[-1][0] + result[-1][1] == low:
            result[-1] = (result[-1][0], result[-1][1] + count)
        else:
            result.append((low, count))
    return result
