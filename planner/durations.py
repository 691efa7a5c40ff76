"""Durations as text: ``12h``, ``90min``."""

import re

#: Seconds by unit.
UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(s|min|h|d)")


def seconds_of(text: str) -> int:
    """Read a duration.

    Raises
    ------
    ValueError
        If the text is none.

    >>> seconds_of("1.5h")
    5400
    """
    match = _DURATION.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is no duration, such as 12h, 2d, 90min or 600s")
    return int(float(match[1]) * UNITS[match[2]])
