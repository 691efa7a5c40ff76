"""Messages of Batsim's protocol, version 4: ``{"now": t, "events": [{"timestamp", "type", "data"}]}``."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Batsim's clock is this much, at most, behind the second that it means (s): two events of one instant may be apart.
TOLERANCE = 0.01


@dataclass(frozen=True)
class Event:
    """One event of a message.

    Attributes
    ----------
    time : float
        When it happened, in simulated seconds.
    type : str
        Its type, such as ``JOB_SUBMITTED``.
    data : mapping
        What belongs to it.
    """

    time: float
    type: str
    data: Mapping[str, Any]

    def get(self, field: str) -> Any:
        """Give a field of the data.

        Raises
        ------
        ValueError
            If it is missing; names the event and the field.
        """
        if field not in self.data:
            raise ValueError(
                f"Batsim's {self.type}: there is no {field}; planbatch speaks Batsim 4"
            )
        return self.data[field]

    def number(self, row: Any, field: str) -> float:
        """Give a number in a row of the data, such as a job.

        Raises
        ------
        ValueError
            If there is none; names the event and the field.
        """
        if not isinstance(row, Mapping):
            raise ValueError(f"Batsim's {self.type}: {str(row)[:40]!r} is no object")
        found: Any = row.get(field)
        known = isinstance(found, int | float) and not isinstance(found, bool)
        if not known or not math.isfinite(found):
            raise ValueError(f"Batsim's {self.type}: {field} is {found!r}, no number")
        return float(found)


@dataclass(frozen=True)
class Message:
    """What Batsim sends.

    Attributes
    ----------
    now : float
        The time, in simulated seconds.
    events : tuple of Event
        What happened, in order.
    """

    now: float
    events: tuple[Event, ...]


def parse_message(text: bytes | str) -> Message:
    """Read a message.

    Raises
    ------
    ValueError
        If it is none of version 4; one sentence.
    """
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise ValueError(
            "Batsim's message is not JSON: planbatch speaks Batsim 4, version 5 sends flatbuffers"
        ) from None
    if not isinstance(data, dict) or not isinstance(data.get("events"), list):
        raise ValueError("Batsim's message has no list of events; planbatch speaks Batsim 4")
    return Message(_time(data.get("now")), tuple(map(_event, data["events"])))


def _event(given: Any) -> Event:
    if not isinstance(given, dict) or not isinstance(given.get("type"), str):
        raise ValueError("Batsim's message has an event without a type")
    data = given.get("data")
    return Event(
        _time(given.get("timestamp")), given["type"], data if isinstance(data, dict) else {}
    )


def _time(given: Any) -> float:
    plain = isinstance(given, int | float) and not isinstance(given, bool)
    if not plain or not math.isfinite(given) or given < 0:
        raise ValueError(f"Batsim's message has the time {given!r}, which is no number of seconds")
    return float(given)


def write_reply(now: float, events: list[tuple[str, Mapping[str, Any]]]) -> bytes:
    """Write a reply: types and data of events that happen now."""
    rows = [{"timestamp": now, "type": kind, "data": dict(data)} for kind, data in events]
    return json.dumps({"now": now, "events": rows}).encode()


def whole_second(now: float) -> int:
    """Give the second that a time of Batsim's means: 22.001 and 21.995 are 22."""
    return math.floor(now + TOLERANCE)
