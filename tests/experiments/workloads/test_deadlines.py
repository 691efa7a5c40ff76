"""Deadlines for workloads that have none, and their flags."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.replay.metrics import deadline_metrics
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.workloads.deadlines import with_deadlines
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.swf.read import parse_swf
from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf
from planbatch.planner.model import NEVER, Workload

HOUR = 3600


def six_jobs() -> Workload:
    """Give six jobs, one an hour, of 1, 2, … hours."""
    walltime = np.arange(1, 7) * 10 * HOUR
    submit = np.arange(6) * HOUR
    return Workload("six", 4, np.arange(10, 16), submit, [1] * 6, walltime, walltime)


def slack(workload: Workload) -> list[int | None]:
    """Give, in hours, how long after their submission the deadlines are."""
    rows = zip(workload.deadline.tolist(), workload.submit.tolist(), strict=True)
    return [None if deadline == NEVER else (deadline - submit) // HOUR for deadline, submit in rows]


def test_every_third_job():
    """The third, the sixth …: at least 24 h and twice the walltime (2016, case a), or 72 h (b)."""
    assert slack(with_deadlines(six_jobs(), "third")) == [None, None, 60, None, None, 120]
    assert slack(with_deadlines(six_jobs(), "third:72h:2")) == [None, None, 72, None, None, 120]


def test_a_random_share():
    """All of them: at least 24 h and ten walltimes (2017)."""
    assert slack(with_deadlines(six_jobs(), "random:100")) == [100, 200, 300, 400, 500, 600]
    assert slack(with_deadlines(six_jobs(), "random:100:15d:1")) == [360] * 6


@given(share=st.integers(0, 100), seed=st.integers(0, 99))
def test_the_share_is_exact_and_seeded(share, seed):
    """X % of the jobs, rounded down, and the same ones for the same seed."""
    workload = synthetic_workload(jobs=50, capacity=8)
    first = with_deadlines(workload, f"random:{share}", seed)
    assert np.count_nonzero(first.deadline != NEVER) == share // 2
    assert (with_deadlines(workload, f"random:{share}", seed).deadline == first.deadline).all()
    other = with_deadlines(workload, f"random:{share}", seed + 1)
    assert share in (0, 1, 100) or (other.deadline != first.deadline).any()


def test_none_takes_deadlines_away():
    workload = with_deadlines(with_deadlines(six_jobs(), "third"), "none")
    assert (workload.deadline == NEVER).all()


def test_working_time():
    """
    Jobs that would end at night have until 9:00; those that would end by day have no deadline.

    Midnight is a Monday's: ends are at 10, 21, 32, 43, 54 and 65 o'clock; 32 is 8:00 on Tuesday.
    """
    workload = six_jobs().take(slice(None), header={"UnixStartTime": "1704067200"})
    deadline = with_deadlines(workload, "working:UTC").deadline
    expected = [NEVER, 33 * HOUR, 33 * HOUR, 57 * HOUR, 57 * HOUR, NEVER]
    assert deadline.tolist() == expected
    by_night = with_deadlines(workload, "working:20-24:UTC").deadline
    assert by_night.tolist()[:2] == [20 * HOUR, NEVER]


def test_a_csv_file(tmp_path):
    """Columns id and deadline, or one of another name; others are ignored, and an empty deadline is none."""
    path = tmp_path / "deadlines.csv"
    path.write_text("id,deadline,user\n11,999999,3\n15,,4\n")
    expected = [NEVER, 999999, NEVER, NEVER, NEVER, NEVER]
    assert with_deadlines(six_jobs(), f"csv:{path}").deadline.tolist() == expected
    path.write_text("id,submit,due\n11,3600,999999\n12,7200,\n")
    assert with_deadlines(six_jobs(), f"csv:{path}:due").deadline.tolist() == expected
    with pytest.raises(ValueError, match="has no column until"):
        with_deadlines(six_jobs(), f"csv:{path}:until")


def log_with_deadlines(think_time: object = 100) -> str:
    """Give a log of three jobs, out of order, with deadlines in the last column; the second is not usable."""
    return (
        "; MaxProcs: 4\n"
        f"3 9 -1 5 1 -1 -1 1 20 -1 1 1 1 -1 1 1 -1 {think_time}\n"
        "2 5 -1 5 9 -1 -1 9 20 -1 1 1 1 -1 1 1 -1 7\n"
        "1 1 -1 5 1 -1 -1 1 20 -1 1 1 1 -1 1 1 -1 -1\n"
    )


def test_a_column_of_the_log():
    """Deadlines in seconds, as submit times are; -1 is none; jobs that are not usable do not count."""
    log = parse_swf(log_with_deadlines().encode(), name="small")
    workload = with_deadlines(log.workload(), "column:think_time", log=log)
    assert workload.id.tolist() == [1, 3]
    assert workload.deadline.tolist() == [NEVER, 100]


@pytest.mark.parametrize(
    ("think_time", "column", "message"),
    [
        (28, "think_time", "job 3 has the deadline 28, before submission"),
        (28.5, "think_time", "28.5 is not a whole number"),
        (100, "thinktime", "a log has no column 'thinktime'; did you mean think_time"),
    ],
)
def test_bad_columns_of_the_log(think_time, column, message):
    log = parse_swf(log_with_deadlines(think_time).encode(), name="small")
    with pytest.raises(ValueError, match=message):
        with_deadlines(log.workload(), f"column:{column}", log=log)


def test_columns_need_a_log():
    """The embedded workload has none."""
    with pytest.raises(ValueError, match="six comes from no log"):
        with_deadlines(six_jobs(), "column:think_time")


def test_a_column_of_the_log_by_flag(run):
    Path("small.swf").write_text(log_with_deadlines())
    words = "replay small.swf --deadlines column:think_time --json --policy dbf"
    code, out, err = run(*words.split())
    assert code == 0, err
    assert json.loads(out)["results"][0]["missed_deadlines"] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,deadline\n99,9\n", "line 2: there is no job 99 in six"),
        ("id,deadline\n11,9\n", "job 11 has the deadline 9, before submission"),
        ("id,deadline\n11,soon\n", "'soon' is not a whole number"),
        ("id,deadline\n11,\n11,999999\n", "job 11 comes twice"),
        ("job,deadline\n", "has no column id"),
        ("", "has no column deadline, id"),
    ],
)
def test_bad_csv_files(tmp_path, text, message):
    path = tmp_path / "deadlines.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        with_deadlines(six_jobs(), f"csv:{path}")


def test_csv_files_need_jobs_of_different_numbers(tmp_path):
    path = tmp_path / "deadlines.csv"
    path.write_text("id,deadline\n5,99\n")
    workload = Workload("two", 4, [5, 5], [0, 0], [1, 1], [10, 10], [10, 10])
    with pytest.raises(ValueError, match="two jobs of two have the same number"):
        with_deadlines(workload, f"csv:{path}")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("random:101", "share of 101 % is outside"),
        ("random:-1", "share of -1 % is outside"),
        ("random:many", "share 'many' is not a number"),
        ("random", "cannot read 'random'"),
        ("random:40:24h:0.5", "factor of 0.5 puts deadlines before"),
        ("third:soon", "'soon' is not a duration"),
        ("fourth", "cannot read 'fourth'"),
        ("working:9-9", "no working hour"),
    ],
)
def test_bad_rules(spec, message):
    with pytest.raises(ValueError, match=message):
        with_deadlines(six_jobs(), spec)


def test_figures():
    """Three deadlines: one kept, one missed, one that the first plan would have missed."""
    walltime = np.full(4, 10)
    deadline = [20, 20, 20, NEVER]
    workload = Workload("four", 4, range(4), [0] * 4, [1] * 4, walltime, [5] * 4, deadline)
    start = np.array([10, 16, 0, 7])
    first = np.array([10, 10, 11, 7])
    promise = np.full(4, NEVER)
    trace = Trace(workload, "by hand", start, start + 5, None, 0.0, promise, first)
    measured = deadline_metrics(trace)
    assert (measured.missed_deadlines, measured.infeasible_deadlines) == (1, 1)
    assert measured.regular_mean_wait == 7


def test_flags(run):
    """Policies that know deadlines add three keys; the others have none of them."""
    write_swf("log.swf", swf_from_workload(synthetic_workload(jobs=200, capacity=32, load=1.0)))
    words = "replay log.swf --deadlines random:40 --json --calendar 8-16:UTC --policy easy"
    words += " --policy edf --policy dbf --policy dbf-2016 --policy wdbf"
    code, out, err = run(*words.split())
    assert code == 0, err
    easy, *others = json.loads(out)["results"]
    keys = {"missed_deadlines", "infeasible_deadlines", "regular_mean_wait"}
    assert not keys & set(easy)
    assert all(keys <= set(result) for result in others)
    assert others[1]["regular_mean_wait"] < others[1]["mean_wait"]


def test_a_table_with_deadlines(run):
    """The comparison shows what became of the deadlines, and writes it down."""
    words = "compare --first=300 --policy=easy --policy=dbf --jobs=1 --deadlines=third --out=out"
    code, out, err = run(*words.split())
    assert code == 0, err
    assert "missed" in out
    assert "regular_mean_wait" in Path("out/comparison.csv").read_text().splitlines()[0]
