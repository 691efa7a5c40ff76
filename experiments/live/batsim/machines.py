"""Machines by number: sets of intervals such as ``0-3 8``, and which of the free ones a job gets."""

from collections.abc import Collection, Iterable

#: More machines than any platform has.
MOST = 10_000_000


def parse_machines(text: str) -> frozenset[int]:
    """Read a set of machines.

    >>> sorted(parse_machines("0-3 8"))
    [0, 1, 2, 3, 8]
    >>> sorted(parse_machines("5,7-8"))
    [5, 7, 8]

    Raises
    ------
    ValueError
        If it is none.
    """
    found: set[int] = set()
    for part in text.replace(",", " ").split():
        numbers = part.split("-")
        if len(numbers) > 2 or not all(one.isascii() and one.isdecimal() for one in numbers):
            raise ValueError(f"machines {text[:60]!r}: {part[:20]!r} is no interval such as 0-3")
        low, high = int(numbers[0]), int(numbers[-1])
        if not low <= high < MOST:
            raise ValueError(f"machines {text[:60]!r}: {part[:20]!r} is no interval such as 0-3")
        found.update(range(low, high + 1))
    return frozenset(found)


def write_machines(machines: Iterable[int]) -> str:
    """Write a set of machines, as few intervals as there can be.

    >>> write_machines([8, 0, 2, 1])
    '0-2 8'
    """
    intervals: list[list[int]] = []
    for machine in sorted(machines):
        if intervals and intervals[-1][1] == machine - 1:
            intervals[-1][1] = machine
        else:
            intervals.append([machine, machine])
    return " ".join(str(low) if low == high else f"{low}-{high}" for low, high in intervals)


def choose(free: Collection[int], count: int, contiguous: bool) -> tuple[int, ...] | None:
    """Choose machines for a job: the lowest ones, or the lowest range of neighbours.

    Parameters
    ----------
    free : collection of int
        The free machines.
    count : int
        How many it needs.
    contiguous : bool
        Whether they must be neighbours.

    Returns
    -------
    tuple of int, or None
        None if there are not so many, or not side by side.
    """
    ordered = sorted(free)
    if not contiguous:
        return tuple(ordered[:count]) if len(ordered) >= count else None
    for first in range(len(ordered) - count + 1):
        if ordered[first + count - 1] == ordered[first] + count - 1:
            return tuple(ordered[first : first + count])
    return None
