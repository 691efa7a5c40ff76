"""Values as Slurm writes them: numbers in either dialect of JSON, times and durations in text, lists of resources.

Up to 22.05 a number is a plain number, or null; from 23.02 on it is ``{"set", "infinite", "number"}``, and states and
flags are lists.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

#: What Slurm's C code calls NO_VAL and INFINITE, of 16, 32 and 64 bits: no number, and no limit.
_NO_NUMBER = frozenset(
    (0xFFFE, 0xFFFFFFFE, 0xFFFFFFFFFFFFFFFE, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)
)
_NO_TEXT = frozenset(("", "(null)", "null", "none", "n/a", "unknown", "none assigned"))
_CLOCK = re.compile(r"^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$", re.ASCII)
_UNITS = {"": 1.0, "K": 1 / 1024, "M": 1.0, "G": 1024.0, "T": 1024.0**2, "P": 1024.0**3}
_AMOUNT = re.compile(r"^(\d+(?:\.\d*)?)([KMGTP]?)$", re.ASCII)
_GRES = re.compile(r"^(?:gres[:/])?gpu(?:[:/=]([^:=()]+))?(?:[:=](\d+))?(?:\(.*\))?$", re.ASCII)


def number(value: Any, field: str = "") -> int | None:
    """Return a number of either dialect; None if there is none, or it is infinite.

    >>> number(5), number({"set": True, "infinite": False, "number": 5}), number("5")
    (5, 5, 5)
    >>> number(None), number({"set": False, "infinite": True, "number": 0})
    (None, None)

    Raises
    ------
    ValueError
        If it is something else; names the field.
    """
    if isinstance(value, Mapping):
        if value.get("infinite") or not value.get("set", True):
            return None
        value = value.get("number")
    if value is None or value == "":
        return None
    if isinstance(value, str) and re.fullmatch(r"-?\d+", value, re.ASCII):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise ValueError(f"{field}: {str(value)[:60]!r} is not a whole number")
    return int(value)


def limit(value: Any, field: str = "") -> int | None:
    """Return a number of either dialect, None also for those that stand for none or for no limit."""
    found = number(value, field)
    return None if found in _NO_NUMBER else found


def words(value: Any) -> tuple[str, ...]:
    """Return states or flags in capitals: a list, or one text.

    >>> words("RUNNING"), words(["idle", "drain"]), words(None)
    (('RUNNING',), ('IDLE', 'DRAIN'), ())
    """
    if value is None or value == "":
        return ()
    return tuple(str(item).upper() for item in (value if isinstance(value, list) else [value]))


def text(value: Any) -> str:
    """Return a text; what stands for none is empty.

    >>> text("(null)"), text(None), text("a b")
    ('', '', 'a b')
    """
    found = "" if value is None else str(value)
    return "" if found.strip().lower() in _NO_TEXT else found


def moment(written: str) -> int:
    """Return a time in seconds since 1970, 0 if it is not known; dates are in UTC.

    >>> moment("1795279967"), moment("2026-11-21T16:52:47"), moment("Unknown")
    (1795279967, 1795279967, 0)
    """
    if not text(written):
        return 0
    if written.isascii() and written.isdigit():
        return int(written)
    try:
        return int(datetime.fromisoformat(written).replace(tzinfo=UTC).timestamp())
    except ValueError:
        raise ValueError(f"{written[:40]!r} is no time such as 2026-11-21T16:52:47") from None


def seconds(written: str) -> int | None:
    """Return a duration; None for no limit.

    >>> seconds("1-02:03:04"), seconds("2:00"), seconds("30"), seconds("UNLIMITED")
    (93784, 120, 1800, None)
    """
    if not text(written) or written.upper() in (
        "UNLIMITED",
        "INFINITE",
        "PARTITION_LIMIT",
        "NOT_SET",
        "INVALID",
    ):
        return None
    match = _CLOCK.match(written)
    if match is None:
        raise ValueError(f"{written[:40]!r} is no duration such as 1-02:03:04")
    days, first, second, third = (int(part) if part else None for part in match.groups())
    if days is not None:  # hours[:minutes[:seconds]]
        return ((days * 24 + (first or 0)) * 60 + (second or 0)) * 60 + (third or 0)
    if third is not None:
        return ((first or 0) * 60 + (second or 0)) * 60 + third
    return (first or 0) * 60 + (second or 0)


def tres(written: str) -> dict[str, int]:
    """Return the amounts in a list of trackable resources; memory in MB.

    >>> tres("cpu=16,mem=2000M,node=2,billing=16,gres/gpu=4")
    {'cpu': 16, 'mem': 2000, 'node': 2, 'billing': 16, 'gres/gpu': 4}
    """
    found = {}
    for pair in filter(None, text(written).split(",")):
        name, _, amount = pair.rpartition("=")
        match = _AMOUNT.match(amount.upper())
        if name and match:
            scale = _UNITS[match[2]] if name == "mem" else 1.0
            found[name] = int(float(match[1]) * scale)
    return found


def gpus_in(written: str) -> int:
    """Return the GPUs in a list of generic resources, in every form that Slurm has had.

    >>> gpus_in("gpu:2"), gpus_in("gres:gpu:a100:4"), gpus_in("gres/gpu=3"), gpus_in("gpu"), gpus_in("nic:1")
    (2, 4, 3, 1, 0)
    >>> gpus_in("gpu:a100:4(S:0-1),gpu:t4:2(IDX:0,1)")
    6
    """
    total = 0
    for item in re.findall(r"[^,(]+(?:\([^)]*\))?", text(written)):
        match = _GRES.match(item.strip())
        if match is None:
            continue
        kind, amount = match.groups()
        if amount is None and kind is not None and kind.isdigit():
            kind, amount = None, kind
        total += int(amount) if amount is not None else 1
    return total


def gpus_of_tres(amounts: Mapping[str, int]) -> int:
    """Return the GPUs among trackable resources: those of all kinds, or else the sum over the kinds."""
    if "gres/gpu" in amounts:
        return amounts["gres/gpu"]
    return sum(amount for name, amount in amounts.items() if name.startswith("gres/gpu:"))
