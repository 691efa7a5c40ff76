"""Working time, and backfilling that knows it."""

from datetime import date

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.working_time import Calendar, WorkingTimeBackfilling, in_working_time, merge_periods
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.planner.model import NEVER, Workload
from planbatch.planner.round import Round, RunningTable, job_table

HOUR = 3600
DAY = 24 * HOUR
#: 2024-01-01, a Monday, 0:00 UTC.
MONDAY = 1704067200


def week(*rows: tuple[int, int, int], zone: str = "UTC") -> Workload:
    """Give jobs of (submit, procs, walltime) in hours from a Monday, 0:00, on 4 processors."""
    submit, procs, walltime = np.array(rows).T
    seconds = walltime * HOUR
    header = {"UnixStartTime": str(MONDAY), "TimeZoneString": zone}
    ids = np.arange(len(rows))
    return Workload("week", 4, ids, submit * HOUR, procs, seconds, seconds, header=header)


def hours(calendar: Calendar, workload: Workload, count: int) -> list[float]:
    """Give the first bounds of the working periods from the first submission on, in hours."""
    periods = calendar.periods(workload)
    return (periods[periods >= workload.submit[0]][:count] / HOUR).tolist()


def test_periods_of_a_week():
    """Monday to Friday, 9 to 18, then the next Monday."""
    expected = [9, 18, 33, 42, 57, 66, 81, 90, 105, 114, 177, 186]
    assert hours(Calendar(), week((0, 1, 1)), 12) == expected


def test_holidays_and_days():
    """Holidays and days off have no period."""
    calendar = Calendar(days=(0, 1, 2), holidays=(date(2024, 1, 2),))
    assert hours(calendar, week((0, 1, 1)), 6) == [9, 18, 57, 66, 177, 186]


def test_time_zone_of_the_header_and_summer_time():
    """9 o'clock in Stockholm is 8:00 UTC in winter and 7:00 in summer."""
    workload = week((0, 1, 1), zone="Europe/Stockholm")
    periods = Calendar().periods(workload)
    assert periods[periods > 0][0] == 8 * HOUR
    july = 182 * DAY  # Monday, 2024-07-01
    assert periods[periods > july][0] == july + 7 * HOUR
    assert Calendar(time_zone="UTC").periods(workload)[-2] % DAY == 9 * HOUR


def test_time_zone_as_an_offset():
    """A header with an offset only, in seconds."""
    workload = week((0, 1, 1)).take(slice(None), header={"UnixStartTime": str(MONDAY), "TimeZone": "-28800"})
    periods = Calendar().periods(workload)
    assert periods[periods > 0][0] % DAY in (2 * HOUR, 17 * HOUR)
    assert (9 + 8) * HOUR in periods


def test_whole_days_are_one_period():
    """Periods that touch are one, so that midnight is working time."""
    assert merge_periods(np.array([0, 24, 24, 48, 60, 70])).tolist() == [0, 48, 60, 70]
    periods = Calendar(0, 24, (0, 1, 2, 3, 4, 5, 6)).periods(week((0, 1, 1)))
    assert len(periods) == 2


def test_working_time_includes_its_beginning_but_not_its_end():
    """9:00 is working time, 18:00 is not."""
    periods = np.array([9, 18])
    assert in_working_time(np.array([8, 9, 17, 18]), periods).tolist() == [False, True, True, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Calendar()),
        ("8-17", Calendar(8, 17)),
        ("mon,wed", Calendar(days=(0, 2))),
        ("sat-mon:UTC", Calendar(days=(5, 6, 0), time_zone="UTC")),
        (
            "9-18:mon-fri:Europe/Stockholm:2002-12-25,2002-12-26",
            Calendar(holidays=(date(2002, 12, 25), date(2002, 12, 26)), time_zone="Europe/Stockholm"),
        ),
    ],
)
def test_parse(text, expected):
    """Hours, days, time zone and holidays, each of which may be left out."""
    assert Calendar.parse(text) == expected


def test_a_calendar_needs_to_know_when_the_log_starts():
    """A log without a start time, and holidays that take every day, are refused."""
    with pytest.raises(ValueError, match="no UnixStartTime"):
        Calendar().periods(week((0, 1, 1)).take(slice(None), header={}))
    every = tuple(date.fromordinal(date(2023, 12, 1).toordinal() + i) for i in range(600))
    with pytest.raises(ValueError, match="holidays take them all"):
        Calendar(holidays=every).periods(week((0, 1, 1)))


def test_wdbf_delays_what_would_end_in_the_night():
    """
    N would end at 20:00, when nobody looks: it has until 9:00. D, submitted later, goes first.

    The machine is taken until 14:00 by a job of Monday, 8:00.

        conservative   |######|N     |D |        wdbf   |######|D |N     |
                       8      14     20 22              8      14 16     22
    """
    workload = week((8, 4, 6), (9, 4, 6), (10, 4, 2))
    conservative = replay(workload, make_policy("conservative"))
    assert (conservative.start // HOUR).tolist() == [8, 14, 20]
    trace = replay(workload, make_policy("wdbf"))
    assert trace.policy == "wdbf"
    assert (trace.start // HOUR).tolist() == [8, 16, 14]


def test_wdbf_keeps_the_next_opening():
    """
    N has until 9:00 of the next day; the second day job would push it beyond, and comes after it.

        |######|D |N     |E                                |
        8      14 16     22                                50
    """
    workload = week((8, 4, 6), (9, 4, 6), (10, 4, 2), (11, 4, 28))
    trace = replay(workload, make_policy("wdbf"))
    assert (trace.start // HOUR).tolist() == [8, 16, 14, 22]


def test_wdbf_without_nights_is_conservative_backfilling():
    """Where people always work, nothing is delayed."""
    workload = synthetic_workload(jobs=500, capacity=64, seed=2, load=1.0)
    always = WorkingTimeBackfilling(Calendar(0, 24, (0, 1, 2, 3, 4, 5, 6)))
    expected = replay(workload, make_policy("conservative")).start
    assert (replay(workload, always).start == expected).all()
    assert (replay(workload, make_policy("wdbf")).start != expected).any()


def test_wdbf_on_a_single_round():
    """
    A round's times count from 1970 (a Thursday), 0:00, UTC: what would end at 20:00 may wait.

    The machine is taken until 14:00; N (6 h) was planned for then, D (2 h) is new.

        |######|D |N     |
        9      14 16     22
    """
    problem = Round(
        now=10 * HOUR,
        capacity=4,
        running=RunningTable(np.array([4]), np.array([14 * HOUR])),
        jobs=job_table(np.array([9, 10]) * HOUR, np.array([4, 4]), np.array([6, 2]) * HOUR),
        planned=np.array([14 * HOUR, NEVER]),
        policy_state=np.array([33 * HOUR, NEVER]),
    )
    plan = WorkingTimeBackfilling()(problem, np.random.default_rng(0))
    assert (plan.start // HOUR).tolist() == [16, 14]
    assert plan.policy_state.tolist() == [33 * HOUR, NEVER]
