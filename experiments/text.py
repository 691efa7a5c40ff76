"""How numbers are written for people: durations, shares, changes; one place for tables and pictures."""

import re

#: Units of time (s), largest first. A unit is used for two and more: 90 min says more than 1.5 h.
_UNITS = (("d", 86400), ("h", 3600), ("min", 60))


def duration(seconds: float) -> str:
    """Write a duration in the unit that suits it.

    >>> duration(0), duration(119), duration(120), duration(5400), duration(86400 * 333)
    ('0 s', '119 s', '2.0 min', '90.0 min', '333 d')
    """
    for name, length in _UNITS:
        if seconds >= 2 * length:
            value = seconds / length
            return f"{value:,.0f} {name}" if value >= 99.95 else f"{value:.1f} {name}"
    return f"{seconds:.0f} s"


def share(value: float) -> str:
    """Write a share of one as a percentage.

    >>> share(0.6975)
    '69.8%'
    """
    return f"{value:.1%}"


def change(value: float, base: float) -> str:
    """Write a value's change against a base in percent; a dash if the base is zero.

    >>> change(80.0, 100.0), change(100.0, 100.0), change(1.0, 0.0)
    ('-20.0%', '0.0%', '–')
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


def counted(count: int, thing: str) -> str:
    """Write how many things there are.

    >>> counted(1, "cell"), counted(2000, "cell")
    ('1 cell', '2,000 cells')
    """
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


def slug(words: str) -> str:
    """Write a name so that it fits files, anchors and labels.

    >>> slug("KTH-SP2 (actual estimates)")
    'KTH-SP2-actual-estimates'
    """
    return re.sub(r"[^A-Za-z0-9.]+", "-", words).strip("-.") or "unnamed"
