"""Amounts of resources as they are written: numbers, and sizes of memory with a unit.

Memory is counted in KB, and 1 KB is 1,024 bytes.
"""

import re
from typing import Any

from numpy.typing import NDArray

UNITS = {"B": 1 / 1024, "KB": 1.0, "MB": 1024.0, "GB": 1024.0**2, "TB": 1024.0**3}
_AMOUNT = re.compile(r"^(\d+(?:\.\d*)?)\s*([KMGT]?)i?(B?)(?:/(processor|node))?$", re.IGNORECASE)
_COUNT = re.compile(r"^(\d+)(?:/(processor|node))?$", re.IGNORECASE)


def amount(text: str, flag: str) -> tuple[float, str]:
    """Read an amount such as ``1.5GB`` or ``1GB/processor``: in KB, and what it refers to ("" for the whole).

    Raises
    ------
    ValueError
        If it cannot be read; the message names the flag.
    """
    match = _AMOUNT.match(text.strip())
    if not match or not (match[2] or match[3] or float(match[1]) == 0):
        extra = ", and 1GB/processor" if "capacity" in flag else ""
        raise ValueError(f"{flag}: {text!r} is not an amount such as 512MB, 1.5GB or 1TB{extra}")
    if match[4] and "capacity" not in flag:
        raise ValueError(f"{flag}: {text!r} is for each {match[4]}; give an amount, such as 32MB")
    return float(match[1]) * UNITS[f"{match[2].upper()}B"], (match[4] or "").lower()


def count(text: str, flag: str) -> tuple[float, str]:
    """Read a number such as ``64`` or ``4/node``, and what it refers to, as :func:`amount` does."""
    match = _COUNT.match(text.strip())
    if not match:
        raise ValueError(f"{flag}: {text!r} is not a whole number such as 64, or 4/node")
    if match[2] and "capacity" not in flag:
        raise ValueError(f"{flag}: {text!r} is for each {match[2]}; give a number")
    return float(match[1]), (match[2] or "").lower()


def has_unit(text: str) -> bool:
    """Whether a text is a size of memory with its unit."""
    match = _AMOUNT.match(text.strip())
    return bool(match and (match[2] or match[3]))


def amount_text(kilobytes: float | NDArray[Any]) -> str:
    """Format an amount: in the largest unit that gives a number above 1, with at most two decimals."""
    value = float(kilobytes)
    unit = next((name for name in ("TB", "GB", "MB") if value >= UNITS[name]), "KB")
    return f"{value / UNITS[unit]:,.2f}".rstrip("0").rstrip(".") + f" {unit}"
