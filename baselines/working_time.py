"""Working time: a calendar of working periods, and backfilling that delays jobs that would end outside them.

"Any jobs that are estimated to be finished outside the work schedule will be delayed, as long as
their outputs are ready before the next working period." (Le Hai, Hoang, Trung and Thoai: A working
time deadline-based backfilling scheduling solution, ACOMP 2020, from the abstract.)
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from planbatch import _core
from planbatch.baselines.policy import CorePolicy, Traits
from planbatch.planner.model import BoolArray, IntArray, Workload
from planbatch.planner.optimizer import Result
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round

DAY_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
#: How far beyond the last submission and the longest walltime periods are laid out.
MARGIN = timedelta(days=400)
_HOURS = re.compile(r"^(\d{1,2})-(\d{1,2})$")
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")


@dataclass(frozen=True)
class Calendar:
    """When people work.

    Attributes
    ----------
    opens, closes : int
        Hours of the day, 0 … 24, between which people work.
    days : tuple of int
        Working days, 0 (Monday) … 6 (Sunday).
    holidays : tuple of date
        Days off, besides those not in ``days``.
    time_zone : str, optional
        Name in the IANA database; by default the one in the log's header, else UTC.

    Raises
    ------
    ValueError
        If there is no working hour, or no such day, hour or time zone.

    Examples
    --------
    >>> from planbatch.baselines import Calendar
    >>> Calendar.parse("9-18:Europe/Berlin")
    Calendar(opens=9, closes=18, days=(0, 1, 2, 3, 4), holidays=(), time_zone='Europe/Berlin')
    """

    opens: int = 9
    closes: int = 18
    days: tuple[int, ...] = (0, 1, 2, 3, 4)
    holidays: tuple[date, ...] = ()
    time_zone: str | None = None

    def __post_init__(self) -> None:
        if not (0 <= self.opens <= 24 and 0 <= self.closes <= 24):
            raise ValueError(f"calendar: hours {self.opens}-{self.closes} are outside 0-24")
        if self.closes <= self.opens or not self.days:
            raise ValueError(
                f"calendar: there is no working hour in {self.opens}-{self.closes} "
                f"on {len(self.days)} days a week; give hours such as 9-18"
            )
        if any(day not in range(7) for day in self.days):
            raise ValueError(f"calendar: days {self.days} are not all in 0 (Monday) … 6 (Sunday)")
        if self.time_zone is not None:
            _zone(self.time_zone)

    @classmethod
    def parse(cls, text: str) -> "Calendar":
        """Read a calendar: parts, separated by colons, each of which may be left out.

        Hours (``9-18``), days (``mon-fri`` or ``mon,wed``), a time zone (``Europe/Stockholm``,
        ``UTC``), and holidays (``2002-12-25,2002-12-26``). An empty text is the default calendar.
        """
        changes: dict[str, object] = {}
        for part in filter(None, (part.strip() for part in text.split(":"))):
            if match := _HOURS.match(part):
                changes |= {"opens": int(match[1]), "closes": int(match[2])}
            elif all(_DATE.match(item) for item in part.split(",")):
                changes["holidays"] = tuple(_date(item) for item in part.split(","))
            elif "/" in part or part.upper() in ("UTC", "GMT"):
                changes["time_zone"] = part
            else:
                changes["days"] = _days(part)
        return cls(**changes)  # type: ignore[arg-type]

    def periods(self, workload: Workload) -> IntArray:
        """Lay out the working periods of a workload, in the seconds of its log.

        Returns
        -------
        int64 array, shape (2k,)
            Alternately the beginning and the end (not included) of a period, ascending.

        Raises
        ------
        ValueError
            If the header does not say when the log starts, or no working hour is left.
        """
        if not len(workload):
            return np.zeros(0, dtype=np.int64)
        first, last = int(workload.submit[0]), int(workload.submit[-1] + workload.walltime.max())
        origin = workload.unix_start
        if origin is None:
            raise ValueError(
                f"calendar: the header of {workload.name} gives no UnixStartTime, so it is not known when people work"
            )
        return self.between(origin + first, origin + last, self.zone(workload)) - origin

    def between(self, first: int, last: int, zone: tzinfo) -> IntArray:
        """Lay out the periods from ``first`` to ``last`` and well beyond, in Unix time (s)."""
        day = (datetime.fromtimestamp(first, UTC) - timedelta(days=2)).astimezone(zone).date()
        end = (datetime.fromtimestamp(last, UTC) + MARGIN).date()
        bounds = []
        while day <= end:
            if day.weekday() in self.days and day not in self.holidays:
                midnight = datetime.combine(day, time(), zone)
                bounds += [_moment(midnight, self.opens), _moment(midnight, self.closes)]
            day += timedelta(days=1)
        if not bounds:
            raise ValueError("calendar: there is no working hour left; the holidays take them all")
        return merge_periods(np.array(bounds, dtype=np.int64))

    def zone(self, workload: Workload) -> tzinfo:
        """Return the calendar's time zone, else the one in the workload's header, else UTC."""
        if self.time_zone is not None:
            return _zone(self.time_zone)
        header = workload.header
        if name := header.get("TimeZoneString", "").strip():
            return _zone(name.split()[0])
        if match := re.match(r"-?\d+", header.get("TimeZone", "").strip()):
            return timezone(timedelta(seconds=int(match[0])))
        return UTC


def merge_periods(bounds: IntArray) -> IntArray:
    """Join periods that touch, as whole days do; shape (2k,) → (2j,)."""
    touching = np.flatnonzero(bounds[2::2] <= bounds[1:-1:2])
    return np.delete(bounds, np.concatenate([2 * touching + 1, 2 * touching + 2]))


def in_working_time(times: IntArray, periods: IntArray) -> BoolArray:
    """Mark the times (s) that lie within a period (:meth:`Calendar.periods`)."""
    return np.searchsorted(periods, times, side="right") % 2 == 1


def next_opening(times: IntArray, periods: IntArray) -> IntArray:
    """Return, for times (s) outside all periods, when the next one begins (s)."""
    at = np.searchsorted(periods, times, side="right")
    return periods[np.minimum(at, len(periods) - 1)]


@dataclass(frozen=True)
class WorkingTimeBackfilling:
    """Deadline-based backfilling with working-time deadlines (WDBF), not yet bound to a workload.

    The abstract leaves details open; they are decided as follows. A job is *estimated to be finished* at the
    end of the earliest slot (with its walltime) that the definitive reservations leave at its
    submission: when it would end as a regular job. If that is outside working time, the beginning of the next working
    period is its deadline; otherwise it is regular. This is decided once. From there on the algorithm is ``dbf``: in
    particular, a job that cannot meet that deadline is regular as well. Deadlines of the workload are ignored.

    Attributes
    ----------
    calendar : Calendar
        The work schedule.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.baselines import Calendar, WorkingTimeBackfilling
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> wdbf = WorkingTimeBackfilling(Calendar(opens=8, closes=17))
    >>> pb.metrics(pb.replay(workload, wdbf)).jobs
    100
    """

    calendar: Calendar = Calendar()

    name = "wdbf"
    #: Deadlines are what it is about, but it makes them itself.
    traits = Traits(about_deadlines=True, draws=False)

    def for_workload(self, workload: Workload) -> CorePolicy:
        """Return the policy with the working periods of a workload."""
        return self._with(self.calendar.periods(workload))

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan | Result:
        """Decide a round by itself: its times are Unix times, by the calendar's clocks or UTC."""
        zone = UTC if self.calendar.time_zone is None else _zone(self.calendar.time_zone)
        last = problem.now + int(problem.jobs.walltime.sum())
        return self._with(self.calendar.between(problem.now, last, zone))(problem, rng)

    def _with(self, periods: IntArray) -> CorePolicy:
        return CorePolicy(self.name, _core.DeadlineBackfilling(working_time=periods.tolist()), self.traits)


def _moment(midnight: datetime, hour: int) -> int:
    """Return the Unix time of an hour of the clock on a day (24: midnight after it)."""
    day = midnight + timedelta(days=hour // 24)
    return int(day.replace(hour=hour % 24).timestamp())


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"calendar: there is no time zone {name!r}") from error


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"calendar: there is no date {text}; write YYYY-MM-DD") from error


def _days(text: str) -> tuple[int, ...]:
    """Read ``mon-fri`` or ``mon,wed``."""
    days: list[int] = []
    for item in text.lower().split(","):
        first, _, last = item.partition("-")
        if first not in DAY_NAMES or (last or first) not in DAY_NAMES:
            raise ValueError(
                f"calendar: cannot read {text!r}; give hours (9-18), days (mon-fri), a time zone "
                "(Europe/Stockholm) or holidays (2002-12-25)"
            )
        begin, end = DAY_NAMES.index(first), DAY_NAMES.index(last or first)
        days += range(begin, end + 1) if begin <= end else [*range(begin, 7), *range(end + 1)]
    return tuple(dict.fromkeys(days))
