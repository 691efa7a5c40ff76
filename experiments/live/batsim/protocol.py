"""Batsim's protocol, version 4: messages, and sets of machines.

Messages are ``{"now": t, "events": [{"timestamp", "type", "data"}]}``; machines are intervals such as ``0-3 8``.
"""

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

#: Maximum error of Batsim's clock (s): events of one instant may differ by it.
TOLERANCE = 0.01


@dataclass(frozen=True)
class BatsimEvent:
    """One event of a message."""

    time: float  # when it happened, in simulated seconds
    type: str  # its type, such as ``JOB_SUBMITTED``
    data: Mapping[str, Any]  # what belongs to it

    def get(self, field: str) -> Any:
        """Return a field of the data; ``ValueError``, with event and field, if it is missing."""
        if field not in self.data:
            raise ValueError(f"Batsim's {self.type}: there is no {field}; planbatch speaks Batsim 4")
        return self.data[field]

    def number(self, row: object, field: str) -> float:
        """Return a number in a row of the data, such as a job; ``ValueError`` if there is none."""
        if not isinstance(row, Mapping):
            raise ValueError(f"Batsim's {self.type}: {str(row)[:40]!r} is no object")
        result = row.get(field)
        if isinstance(result, bool) or not isinstance(result, int | float) or not math.isfinite(result):
            raise ValueError(f"Batsim's {self.type}: {field} is {result!r}, no number")
        return float(result)


@dataclass(frozen=True)
class Message:
    """A message from Batsim."""

    now: float  # the time, in simulated seconds
    events: tuple[BatsimEvent, ...]  # what happened, in order


def parse_message(text: bytes | str) -> Message:
    """Read a message; ``ValueError`` of one sentence if it is none of version 4."""
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise ValueError(
            "Batsim's message is not JSON: planbatch speaks Batsim 4, version 5 sends flatbuffers"
        ) from None
    if not isinstance(data, dict) or not isinstance(data.get("events"), list):
        raise ValueError("Batsim's message has no list of events; planbatch speaks Batsim 4")
    return Message(_time(data.get("now")), tuple(map(_event, data["events"])))


def _event(row: object) -> BatsimEvent:
    if not isinstance(row, dict) or not isinstance(row.get("type"), str):
        raise ValueError("Batsim's message has an event without a type")
    data = row.get("data")
    return BatsimEvent(_time(row.get("timestamp")), row["type"], data if isinstance(data, dict) else {})


def _time(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise ValueError(f"Batsim's message has the time {value!r}, which is no number of seconds")
    return float(value)


def write_reply(now: float, events: list[tuple[str, Mapping[str, Any]]]) -> bytes:
    """Write a reply: types and data of events that happen now."""
    rows = [{"timestamp": now, "type": kind, "data": dict(data)} for kind, data in events]
    return json.dumps({"now": now, "events": rows}).encode()


def whole_second(now: float) -> int:
    """Return a time of Batsim as a whole second.

    >>> [whole_second(time) for time in (22.0003, 22.001, 21.995, 21.98)]
    [22, 22, 22, 21]
    """
    return math.floor(now + TOLERANCE)


#: More machines than any platform has.
MOST = 10_000_000


def parse_machines(text: str) -> frozenset[int]:
    """Read a set of machines; ``ValueError`` if it is none.

    >>> sorted(parse_machines("0-3 8"))
    [0, 1, 2, 3, 8]
    >>> sorted(parse_machines("5,7-8"))
    [5, 7, 8]
    """
    result: set[int] = set()
    for part in text.replace(",", " ").split():
        numbers = part.split("-")
        if len(numbers) > 2 or not all(one.isascii() and one.isdecimal() for one in numbers):
            raise ValueError(f"machines {text[:60]!r}: {part[:20]!r} is no interval such as 0-3")
        low, high = int(numbers[0]), int(numbers[-1])
        if not low <= high < MOST:
            raise ValueError(f"machines {text[:60]!r}: {part[:20]!r} is no interval such as 0-3")
        result.update(range(low, high + 1))
    return frozenset(result)


def write_machines(machines: Iterable[int]) -> str:
    """Write a set of machines in as few intervals as possible.

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
    """Choose machines for a job: the lowest ones, or the lowest contiguous range; None if there are not so many."""
    ordered = sorted(free)
    if not contiguous:
        return tuple(ordered[:count]) if len(ordered) >= count else None
    for first in range(len(ordered) - count + 1):
        if ordered[first + count - 1] == ordered[first] + count - 1:
            return tuple(ordered[first : first + count])
    return None
