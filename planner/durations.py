"""Durations as text: ``12h``, ``90min`` or ``90m``."""

import re

from planbatch.planner.display import short_repr

#: Seconds by unit, and the units in which durations are written.
UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}
WRITTEN = ("s", "min", "h", "d")
_DURATION = re.compile(rf"(\d+(?:\.\d*)?)\s*({'|'.join(UNITS)})")


def seconds_of(text: str, *, plain: bool = False) -> int:
    """Read a duration as whole seconds, rounded down; if ``plain``, a number without a unit is one of seconds.

    >>> seconds_of("1.5h"), seconds_of("90", plain=True)
    (5400, 90)
    """
    return int(length_of(f"{text}s" if plain and not text[-1:].isalpha() else text))


def length_of(text: str) -> float:
    """Read a duration (s); ``ValueError`` if the text is none.

    >>> length_of("0.5s"), length_of("90min")
    (0.5, 5400.0)
    """
    from planbatch.planner.model import NEVER  # help needs no numpy

    match = _DURATION.fullmatch(text.strip())
    if not match:
        raise ValueError(f"{short_repr(text)} is not a duration, such as 12h, 2d, 90min or 600s")
    length = float(match[1]) * UNITS[match[2]]
    if length >= NEVER:
        raise ValueError(f"{short_repr(text)} is too long")
    return length


def duration_text(seconds: float) -> str:
    """Write a duration in the largest unit of which it is a multiple.

    >>> duration_text(600), duration_text(60), duration_text(0.2)
    ('10min', '60s', '0.2s')
    """
    fits = [unit for unit in WRITTEN if seconds > UNITS[unit] and seconds % UNITS[unit] == 0]
    unit = fits[-1] if fits else "s"
    return f"{seconds / UNITS[unit]:g}{unit}"
