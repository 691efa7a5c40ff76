"""Rounds whose optimal makespan is known: a rectangle of processors and time, cut into jobs without remainder.

Jobs of a round need no neighbouring processors, so the optimum is at most the height of the rectangle; the area of the
jobs fills the machine until then, so it is no less. Hopper (2000) and Burke, Kendall, Whitwell (2004) made the
instances of strip packing in this way. In a guillotine cut every piece is cut from edge to edge; otherwise half of the
cuts are pinwheels, five pieces that no such cut divides.
"""

import numpy as np

from planbatch.planner.round import Round

#: The smallest side of a piece that is cut by a pinwheel.
PINWHEEL = 3


def packed_round(jobs: int, seed: int, *, capacity: int = 128, height: int = 3600, guillotine: bool = True) -> Round:
    """Cut a rectangle of processors and seconds at random into jobs that all wait at 0.

    The optimal makespan is ``height`` (s); with ``guillotine``, every cut goes from edge to edge. ``ValueError`` if the
    rectangle has fewer units than there are jobs.

    >>> problem = packed_round(30, seed=1)
    >>> int((problem.jobs.procs * problem.jobs.walltime).sum()) == problem.capacity * 3600
    True
    """
    if not 1 <= jobs <= capacity * height:
        raise ValueError(f"jobs: {jobs} cannot be cut from {capacity} processors × {height} s")
    rng = np.random.default_rng([jobs, seed, capacity, height, guillotine])
    pieces = [(capacity, height)]
    while len(pieces) < jobs:
        area = np.array([wide * high for wide, high in pieces], dtype=np.float64)
        at = int(rng.choice(len(pieces), p=area / area.sum()))
        wide, high = pieces[at]
        spins = not guillotine and len(pieces) + 4 <= jobs and min(wide, high) >= PINWHEEL
        if spins and rng.random() < 0.5:
            pieces[at : at + 1] = pinwheel(wide, high, rng)
        else:
            pieces[at : at + 1] = halves(wide, high, rng)
    order = rng.permutation(len(pieces))
    return Round.of(capacity=capacity, now=0, waiting=[(0, *pieces[i]) for i in order])


def halves(wide: int, high: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Cut a piece in two, anywhere; a unit stays whole."""
    units = wide - 1 + high - 1
    if units == 0:
        return [(wide, high)]
    # Sides of unlike units: processors and seconds are cut equally often.
    if high == 1 or (wide > 1 and rng.random() < 0.5):
        cut = int(rng.integers(1, wide))
        return [(cut, high), (wide - cut, high)]
    cut = int(rng.integers(1, high))
    return [(wide, cut), (wide, high - cut)]


def pinwheel(wide: int, high: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Cut a piece in five: four around one in the middle."""
    left, right = sorted(rng.choice(np.arange(1, wide), size=2, replace=False).tolist())
    low, top = sorted(rng.choice(np.arange(1, high), size=2, replace=False).tolist())
    return [(right, low), (wide - right, top), (wide - left, high - top), (left, high - low), (right - left, top - low)]
