"""What a prediction becomes when a job outlives it."""

from collections.abc import Callable

#: ``corrected(first, prediction, times, walltime)``: the first prediction, the one that is over (s), how often it was
#: corrected before, and the walltime (s); returns the next prediction, above the last one, at most the walltime.
Corrector = Callable[[int, int, int, int], int]

#: What :func:`incremental` adds to the first prediction (s): 1, 5, 15, 30 minutes, 1, 2, 5, 10, 20, 50, 100 hours.
STEPS = tuple(60 * minutes for minutes in (1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000))


def request(first: int, prediction: int, times: int, walltime: int) -> int:
    """Return the requested time."""
    return walltime


def incremental(first: int, prediction: int, times: int, walltime: int) -> int:
    """Return the first prediction and the next of ``STEPS`` (Tsafrir, Etsion, Feitelson, IEEE TPDS 2007)."""
    return min(first + STEPS[times], walltime) if times < len(STEPS) else walltime


def doubling(first: int, prediction: int, times: int, walltime: int) -> int:
    """Return twice the prediction."""
    return min(2 * prediction, walltime)


#: The correctors by name.
CORRECTORS: dict[str, Corrector] = {
    "request": request,
    "incremental": incremental,
    "doubling": doubling,
}
