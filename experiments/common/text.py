"""How numbers are written for people: durations, times, shares, changes; and the callback that tells them."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from planbatch.planner.display import counted, duration, hms, unit_for

__all__ = [
    "Notify", "change", "clock_time", "counted", "duration", "durations", "hms", "number", "share", "signed_duration",
    "silent", "slug",
]  # fmt: skip
#: Called with a line for the user, such as a warning or what was read.
Notify = Callable[[str], None]


def silent(_line: str) -> None:
    """Say nothing."""


def durations(
    seconds: Sequence[float], *, like: Sequence[float] | None = None, sign: bool = False
) -> tuple[str, list[str]]:
    """Write durations for one column of a table: the unit, which all share, and the numbers, with as many decimals.

    The unit suits their median, zeros aside; or that of the durations ``like``, for columns that are compared with one
    another, which have a decimal more. NaN is written as a dash, and a duration too short for the decimals as less than
    their least. With ``sign`` they are changes: a sign stands before them.

    >>> durations([5400, 7200, 35000.0, 0])
    ('h', ['1.5', '2.0', '9.7', '0'])
    >>> durations([0.021, 7.561, 119]), durations([20, 86400, 90000, 950000])
    (('s', ['0.02', '7.56', '119.00']), ('h', ['<0.1', '24.0', '25.0', '263.9']))
    >>> durations([-900, 5400, 0, 3], like=[7200, 14400], sign=True)
    ('h', ['-0.25', '+1.50', '0', '0'])
    """
    positive = sorted(value for value in (seconds if like is None else like) if value > 0)
    median = positive[len(positive) // 2] if positive else 0.0
    unit, length = unit_for(median)
    whole = length == 1 and all(value == round(value) for value in positive)
    digits = 0 if median >= 99.95 * length or whole else 1
    if median < 9.995 * length and not whole and (length == 1 or like is not None):
        digits = 2
    least = 10.0**-digits

    def text(value: float) -> str:
        if value != value:
            return "–"
        short = abs(value / length) < least / 2
        if short and value and not sign:
            return f"<{least:.{digits}f}"
        return "0" if short else f"{value / length:{'+' if sign else ''},.{digits}f}"

    return unit, [text(value) for value in seconds]


def clock_time(seconds: float) -> str:
    """Write a time, in seconds since 1970, as clocks here show it.

    >>> len(clock_time(0))
    19
    """
    return f"{datetime.fromtimestamp(seconds):%Y-%m-%d %H:%M:%S}"


def signed_duration(seconds: float) -> str:
    """Write a change of a duration.

    >>> signed_duration(-7200.0), signed_duration(30.0), signed_duration(0.0)
    ('-2.0 h', '+30 s', '0 s')
    """
    sign = "-" if seconds < 0 else "+" if round(seconds) > 0 else ""
    return sign + duration(abs(seconds))


def share(value: float) -> str:
    """Write a share of one as a percentage.

    >>> share(0.6975)
    '69.8%'
    """
    return f"{value:.1%}"


def change(value: float, base: float) -> str:
    """Write a value's change against a base in percent; a dash if the base is zero.

    >>> change(80.0, 100.0), change(100.0, 100.0), change(1000.0, 50.0), change(1.0, 0.0)
    ('-20.0%', '0.0%', '+1,900%', '–')
    """
    if base <= 0:
        return "–"
    percent = round(100 * (value - base) / base, 1)
    if percent == 0:
        return "0.0%"
    return f"{percent:+,.0f}%" if abs(percent) >= 1000 else f"{percent:+.1f}%"


def number(value: float) -> str:
    """Write a positive number with about three digits.

    >>> number(1.234), number(92.87), number(6825.67)
    ('1.23', '92.9', '6,826')
    """
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:,.{digits}f}"


def slug(words: str) -> str:
    """Write a name so that it fits files, anchors and labels.

    >>> slug("KTH-SP2 (actual estimates)")
    'KTH-SP2-actual-estimates'
    """
    return re.sub(r"[^A-Za-z0-9.]+", "-", words).strip("-.") or "unnamed"
