"""How numbers are written for people: durations, shares, changes; one place for tables and pictures."""

#: Units of time, largest first: name, length (s), from which multiple of it the unit is used.
_UNITS = (("d", 86400, 2.0), ("h", 3600, 1.0), ("min", 60, 1.0))


def duration(seconds: float) -> str:
    """Write a duration in the unit that suits it: three digits say all that people compare.

    >>> duration(0), duration(59), duration(90), duration(7200), duration(86400 * 333)
    ('0 s', '59 s', '1.5 min', '2.0 h', '333 d')
    """
    if seconds < 0:
        return f"-{duration(-seconds)}"
    for name, length, least in _UNITS:
        # What rounds up to the next unit is written in the next unit: 59.99 min is 1.0 h.
        if seconds >= (least - 0.05 / length) * length - 0.5:
            value = seconds / length
            return f"{value:,.0f} {name}" if value >= 99.95 else f"{value:.1f} {name}"
    return f"{seconds:.0f} s"


def share(value: float) -> str:
    """Write a share of one as a percentage.

    >>> share(0.6975)
    '69.8 %'
    """
    return f"{100 * value:.1f} %"


def change(value: float, base: float) -> str:
    """Write a value's change against a base in percent; a dash where there is no such thing.

    >>> change(80.0, 100.0), change(100.0, 100.0), change(1.0, 0.0)
    ('-20.0 %', '0.0 %', '–')
    """
    if base <= 0:
        return "–"
    percent = round(100 * (value - base) / base, 1)
    return f"{percent:+,.0f} %" if abs(percent) >= 1000 else f"{percent or 0.0:{'+' if percent else ''}.1f} %"


def number(value: float) -> str:
    """Write a positive number with about three digits.

    >>> number(1.234), number(92.87), number(6825.67)
    ('1.23', '92.9', '6,826')
    """
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:,.{digits}f}"
