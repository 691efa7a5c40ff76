"""Durations as text: ``12h``, ``90min``."""

import re

#: Seconds by unit.
UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(s|min|h|d)")


def seconds_of(text: str) -> int:
    """Read a duration as whole seconds (:func:`length_of`, rounded down).

    >>> seconds_of("1.5h")
    5400
    """
    return int(length_of(text))


def length_of(text: str) -> float:
    """Read a duration (s); ``ValueError`` if the text is none.

    >>> length_of("0.5s"), length_of("90min")
    (0.5, 5400.0)
    """
    match = _DURATION.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is no duration, such as 12h, 2d, 90min or 600s")
    return float(match[1]) * UNITS[match[2]]


def duration_text(seconds: float) -> str:
    """Write a duration in the largest unit of which it is a multiple.

    >>> duration_text(600), duration_text(60), duration_text(0.2)
    ('10min', '60s', '0.2s')
    """
    fits = [unit for unit, length in UNITS.items() if seconds > length and seconds % length == 0]
    unit = fits[-1] if fits else "s"
    return f"{seconds / UNITS[unit]:g}{unit}"
