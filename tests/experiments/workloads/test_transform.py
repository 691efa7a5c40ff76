"""Transformations of workloads and logs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.workloads.keywords import load_workload
from planbatch.experiments.workloads.load import transform_log, transform_workload, workload_of_log
from planbatch.experiments.workloads.options import WorkloadOptions, parse_span
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.swf.read import parse_swf
from planbatch.experiments.workloads.transform import first_jobs, in_span, offered_load, round_sizes, scale_load
from planbatch.planner.model import NEVER, Workload

DAY = 86400


def five_jobs() -> Workload:
    """Give five jobs on 10 processors, one a day, in queues 0 and 1."""
    return Workload(
        name="five",
        capacity=10,
        id=[1, 2, 3, 4, 5],
        submit=[100, 100 + DAY, 100 + 2 * DAY, 100 + 3 * DAY, 100 + 4 * DAY],
        procs=[1, 3, 10, 5, 2],
        walltime=[10] * 5,
        runtime=[10, 9, 8, 7, 6],
        deadline=[NEVER, 100 + DAY + 50, NEVER, NEVER, NEVER],
        queue=[0, 1, 1, 0, 1],
    )


def five_lines(header: bytes = b"; MaxProcs: 10\n; Queue: 0 quick\n; UnixStartTime: 0\n") -> SwfLog:
    """Give a log of five lines, the fourth of them not usable, with a memory column."""
    lines = [
        f"{i} {100 + (i - 1) * DAY} 0 {7 + i}.25 2 -1 {i}.5 {i} 20 -1 1 1 1 -1 {i % 2} 3 -1 -1" for i in range(1, 6)
    ]
    lines[3] = lines[3].replace(" 11.25 ", " -1 ")
    return parse_swf(header + "\n".join(lines).encode(), name="five")


def test_a_span_without_jobs_says_when_the_log_is():
    """By dates where the log has them, else by durations."""
    dated = five_lines(b"; MaxProcs: 10\n; UnixStartTime: 844000000\n")
    with pytest.raises(ValueError, match=r"span: no job was submitted within 1999-01-01:; .* from 1996-09-29 to "):
        workload_of_log(dated, WorkloadOptions(span="1999-01-01:"))
    with pytest.raises(ValueError, match=r"span: no job was submitted within 400d:; .* from 0 to .* after its first"):
        workload_of_log(five_lines(b"; MaxProcs: 10\n"), WorkloadOptions(span="400d:"))


def test_dates_of_a_span_count_from_the_start_of_the_log():
    """It begins a minute before the 29th, and its first job comes 100 s later, on the 29th."""
    dated = five_lines(b"; MaxProcs: 10\n; UnixStartTime: 843955140\n")
    assert workload_of_log(dated, WorkloadOptions(span="1996-09-29:")).id.tolist() == [1, 2, 3, 5]
    assert workload_of_log(dated, WorkloadOptions(span=":1996-09-30")).id.tolist() == [1]


def test_first_jobs():
    """The first ones are kept; fewer than that is not an error, none is."""
    assert first_jobs(five_jobs(), 2).id.tolist() == [1, 2]
    assert len(first_jobs(five_jobs(), 99)) == 5
    with pytest.raises(ValueError, match="first: 0"):
        first_jobs(five_jobs(), 0)


def test_span_counts_from_the_first_submission_and_excludes_its_end():
    """A span of two days from the second day holds two jobs."""
    assert in_span(five_jobs(), DAY, 3 * DAY).id.tolist() == [2, 3]
    assert in_span(five_jobs(), None, 1).id.tolist() == [1]
    assert in_span(five_jobs(), 4 * DAY).id.tolist() == [5]
    with pytest.raises(ValueError, match="no job was submitted"):
        in_span(five_jobs(), 9 * DAY)
    with pytest.raises(ValueError, match="not after its start"):
        in_span(five_jobs(), 5, 5)


def test_scaling_the_load_compresses_arrivals_and_keeps_slack():
    """At twice the load, jobs come every half day; a deadline moves along with its job."""
    scaled = scale_load(five_jobs(), 2)
    assert scaled.submit.tolist() == [100 + i * DAY // 2 for i in range(5)]
    assert scaled.deadline.tolist() == [NEVER, 100 + DAY // 2 + 50, NEVER, NEVER, NEVER]
    assert offered_load(scaled) == pytest.approx(2 * offered_load(five_jobs()))
    for factor in (0, -1, math.inf, math.nan):
        with pytest.raises(ValueError, match="load"):
            scale_load(five_jobs(), factor)


@given(st.floats(min_value=0.05, max_value=20), st.lists(st.integers(0, 10**7), min_size=1))
def test_scaling_the_load_keeps_the_order_of_jobs(factor, submit):
    n = len(submit)
    ones = np.ones(n, dtype=int)
    workload = Workload("x", 1, np.arange(n), np.array(submit), ones, ones, ones)
    scaled = scale_load(workload, factor)
    assert scaled.id.tolist() == workload.id.tolist()
    assert scaled.submit[0] == workload.submit[0]


def test_sizes_are_rounded_up_to_partitions():
    """Sizes become multiples of the partition, and never more than the machine."""
    assert round_sizes(five_jobs(), 4).procs.tolist() == [4, 4, 10, 8, 4]
    assert round_sizes(five_jobs(), 1).procs.tolist() == [1, 3, 10, 5, 2]
    with pytest.raises(ValueError, match="larger than the machine"):
        round_sizes(five_jobs(), 11)
    with pytest.raises(ValueError, match="round sizes: 0"):
        round_sizes(five_jobs(), 0)


def test_offered_load_by_hand():
    """100 processor-seconds arrive while 10 processors have 4 days."""
    work = 1 * 10 + 3 * 9 + 10 * 8 + 5 * 7 + 2 * 6
    assert offered_load(five_jobs()) == pytest.approx(work / (10 * 4 * DAY))


@pytest.mark.parametrize(
    ("text", "start_time", "span"),
    [
        ("0:90d", None, (0, 90 * DAY)),
        (":12h", None, (None, 12 * 3600)),
        ("30m:", None, (1800, None)),
        ("10:1.5w", None, (10, 907200)),
        (":", None, (None, None)),
        ("1970-01-02:1970-01-03", 100, (DAY - 100, 2 * DAY - 100)),
    ],
)
def test_spans_are_read(text, start_time, span):
    """Durations with units, open ends and dates are understood."""
    assert parse_span(text, start_time) == span


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("90d", "FROM:TO"),
        ("1:2:3", "FROM:TO"),
        ("0:soon", "neither a duration"),
        ("-5:9", "neither a duration"),
        ("2000-01-01:", "does not say when it starts"),
    ],
)
def test_bad_spans_are_reported(text, message):
    with pytest.raises(ValueError, match=message):
        parse_span(text)


def test_impossible_dates_are_reported():
    with pytest.raises(ValueError, match="there is no date 2000-02-30"):
        parse_span("2000-02-30:", 0)


ALL_AT_ONCE = WorkloadOptions(capacity=4, drop_queue=("quick",), span="0:3d", first=1, round_sizes=2, load=2.0)


def test_all_options_together():
    """Lines are chosen first, in the order of the file, and what is left is reshaped."""
    workload = workload_of_log(five_lines(), ALL_AT_ONCE)
    assert workload.capacity == 4
    assert workload.id.tolist() == [1]
    assert workload.procs.tolist() == [2]
    assert dict(workload.dropped) == {"in a dropped queue": 1}


@pytest.mark.parametrize(
    "options",
    [
        WorkloadOptions(),
        ALL_AT_ONCE,
        WorkloadOptions(load=0.7),
        WorkloadOptions(round_sizes=3),
        WorkloadOptions(capacity=3),
        WorkloadOptions(span="1d:"),
    ],
)
def test_a_transformed_log_reads_as_the_transformed_workload(options):
    """Transforming the log and transforming the workload are the same."""
    workload = workload_of_log(five_lines(), options)
    log = transform_log(five_lines(), options)
    again = log.workload()
    for column in ("id", "submit", "procs", "walltime", "runtime", "queue"):
        assert getattr(again, column).tolist() == getattr(workload, column).tolist(), column
    assert again.capacity == workload.capacity
    assert not again.dropped


def test_a_transformed_log_keeps_header_columns_and_says_what_was_done():
    """Memory and fractions survive; the note names the transformation and what was left out."""
    log = transform_log(five_lines(), WorkloadOptions(load=2.0))
    assert log.header.lines[:3] == five_lines().header.lines
    assert log.header.fields["Note"].splitlines()[-1] == "planbatch: load times 2; left out: 1 negative run time"
    assert log.columns["used_memory"].tolist() == [1.5, 2.5, 3.5, 5.5]
    assert log.columns["runtime"].tolist() == [8.25, 9.25, 10.25, 12.25]


def test_a_capacity_that_was_given_is_written_into_the_header():
    """What the log lacked is there afterwards, and replaces what was there."""
    for header in (b"", b"; MaxProcs: 10\n; MaxProcs: 11\n"):
        log = transform_log(five_lines(header), WorkloadOptions(capacity=7))
        assert log.header.capacity == 7
        assert log.header.fields["MaxProcs"] == "7"


def test_unknown_queues_are_reported():
    """A name that the header does not know is an error; a number is not."""
    with pytest.raises(ValueError, match="no queue 'slow'"):
        workload_of_log(five_lines(), WorkloadOptions(drop_queue=("slow",)))
    assert len(workload_of_log(five_lines(), WorkloadOptions(drop_queue=("17",)))) == 4


def test_options_apply_to_workloads_without_a_log():
    """A workload that was generated is transformed in the same way."""
    options = WorkloadOptions(capacity=5, drop_queue=("1",), span="0:9d", first=9, round_sizes=2, load=2)
    workload = transform_workload(five_jobs(), options)
    assert workload.id.tolist() == [1, 4]
    assert workload.procs.tolist() == [2, 5]
    assert dict(workload.dropped) == {"in a dropped queue": 3}
    with pytest.raises(ValueError, match="no usable job"):
        transform_workload(five_jobs(), WorkloadOptions(drop_queue=("0", "1")))
    with pytest.raises(ValueError, match="capacity: 0"):
        transform_workload(five_jobs(), WorkloadOptions(capacity=0))
    with pytest.raises(ValueError, match="five is not a log and has no waits"):
        transform_workload(five_jobs(), WorkloadOptions(known_waits=True))
    assert transform_workload(workload, WorkloadOptions()) is workload
    for queue in ("interactive", np.int64(7), ["interactive", 7]):
        assert len(load_workload(drop_queue=queue, first=5)) == 5
    with pytest.raises(ValueError, match="no queue '0.5'"):
        load_workload(drop_queue=0.5)
