"""Slurm's advance reservations: what ``scontrol show reservations`` prints, as text or as JSON."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from planbatch.experiments.live.slurm.hostlist import expand
from planbatch.experiments.live.slurm.objects import Printed, Row, each_row, object_in
from planbatch.experiments.live.slurm.values import moment, number, text, tres, words

#: How long a reservation without an end is taken to be (s).
ENDLESS = 366 * 86400
#: So far ahead a reservation that repeats is looked at (s); its period by its flag (manual page of scontrol).
AHEAD = 7 * 86400
_PERIODS = {"HOURLY": 3600, "DAILY": 86400, "WEEKLY": 7 * 86400}
_FIELD = re.compile(r"(?:^|\s)([A-Z][A-Za-z]*)=(\S*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class LiveReservation:
    """One advance reservation.

    Attributes
    ----------
    name : str
        Its name.
    start, end : int
        When it begins and ends (s); of one that repeats, the next time.
    nodes : tuple of str
        Names of its nodes; empty if it is of licences only.
    cpus : int, optional
        How many CPUs of them are reserved, in all; None for all of theirs.
    flags : tuple of str
        Such as ``MAINT`` and ``DAILY``, in capitals.
    whom : str
        Users, groups or accounts that may use it, with commas.
    """

    name: str
    start: int
    end: int
    nodes: tuple[str, ...] = ()
    cpus: int | None = None
    flags: tuple[str, ...] = ()
    whom: str = ""

    def times(self, now: int) -> Iterator[tuple[int, int]]:
        """Give begin and end of each time from ``now`` on: one, or those of the next seven days if it repeats (s)."""
        period = next((_PERIODS[flag] for flag in self.flags if flag in _PERIODS), None)
        workdays = {"WEEKDAY": range(5), "WEEKEND": range(5, 7)}
        days = next((workdays[flag] for flag in self.flags if flag in workdays), None)
        step = 86400 if days is not None else period
        start, end, first = self.start, self.end, True
        while first or (step is not None and start < now + AHEAD):
            weekday = (start // 86400 + 3) % 7  # 1970 began on a Thursday
            if end > now and (first or days is None or weekday in days):
                yield start, end
            start, end, first = start + (step or 0), end + (step or 0), False


def parse_reservations(printed: Printed) -> tuple[LiveReservation, ...]:
    """Return the reservations in what ``scontrol show reservations`` printed, with ``-o`` or ``--json``.

    Raises
    ------
    ValueError
        If it is cut off, or a field cannot be read; one sentence that names the reservation.
    """
    data = object_in(printed, "scontrol")
    if data is not None:
        return tuple(each_row(data, "reservations", "name", "scontrol", _of_row))
    return tuple(_of_line(line) for line in str(printed).splitlines() if _tells(line))


def _tells(line: str) -> bool:
    """Whether a line is a reservation; a ``ValueError`` if it is neither that nor says that there are none."""
    if not line.strip() or line.startswith("No reservations in the system"):
        return False
    if not line.startswith("ReservationName="):
        raise ValueError(
            f"scontrol: {line[:60]!r} is no reservation of scontrol -o show reservations"
        )
    return True


def _of_line(line: str) -> LiveReservation:
    found = dict(reversed(_FIELD.findall(line)))
    name = found["ReservationName"]
    try:
        return LiveReservation(
            name,
            moment(found["StartTime"]),
            moment(found["EndTime"]) or moment(found["StartTime"]) + ENDLESS,
            expand(text(found["Nodes"])),
            tres(found.get("TRES", "")).get("cpu"),
            tuple(filter(None, found.get("Flags", "").split(","))),
            _whom(*(text(found.get(kind)) for kind in ("Users", "Groups", "Accounts"))),
        )
    except KeyError as error:
        raise ValueError(
            f"scontrol: reservation {name[:40]}: {error} is missing; is it cut off?"
        ) from None
    except ValueError as error:
        raise ValueError(f"scontrol: reservation {name[:40]}: {error}") from None


def _of_row(row: Row) -> LiveReservation:
    start = number(row["start_time"], "start_time") or 0
    return LiveReservation(
        str(row["name"]),
        start,
        number(row["end_time"], "end_time") or start + ENDLESS,
        expand(text(row["node_list"])),
        tres(str(row.get("tres") or "")).get("cpu"),
        words(row.get("flags")),
        _whom(*(text(row.get(kind)) for kind in ("users", "groups", "accounts"))),
    )


def _whom(*lists: str) -> str:
    return ",".join(filter(None, lists))
