"""What is reported about a workload."""

import json

import numpy as np
import pytest

from planbatch.experiments.workloads.describe import anomalies, distribution, recorded_load, workload_info
from planbatch.experiments.workloads.lublin import default_workload
from planbatch.experiments.workloads.swf.read import parse_swf, read_swf

LOG = b"""\
; MaxProcs: 8
; UnixStartTime: 86400
; Queue: 1 batch
1   0  5 100  4 -1 -1  4  200 -1 1 7 1 -1 1 3 -1 -1
2  10 -1 111  5 -1 -1  4   50 -1 1 7 1 -1 1 3 -1 -1
3  20  5 110  4 -1 -1 -1   50 -1 1 8 1 -1 2 3 -1 -1
4  30  5   0 -1 -1 -1  2   -1 -1 5 8 1 -1 2 3 -1 -1
5  40  5  -1 -1 -1 -1 -1   10 -1 5 8 1 -1 2 3 -1 -1
"""


def test_anomalies_by_hand():
    """Comparisons count only where the other value is known, and a minute is more than 60 s."""
    assert anomalies(parse_swf(LOG, name="x")) == {
        "no_wait_time": 1,
        "no_requested_time": 1,
        "no_requested_processors": 2,
        "no_processors": 1,
        "runtime_negative": 1,
        "runtime_zero": 1,
        "runtime_not_positive": 2,
        "used_processors_not_positive": 2,
        "used_processors_above_requested": 1,
        "runtime_above_requested_time": 2,
        "runtime_above_requested_time_by_a_minute": 1,
    }


@pytest.mark.parametrize(
    ("name", "table_1"),
    [
        ("SDSC-BLUE-2000-4.2-cln", [10770, 19516, 458, 23434, 8115]),
        ("SDSC-DS-2004-2.1-cln", [11176, 0, 0, 10658, 1043]),
        ("HPC2N-2002-2.2-cln", [0, 0, 729, 14817, 6170]),
    ],
)
@pytest.mark.nightly
def test_table_1_of_the_2017_paper(real_log, name, table_1):
    """N'takpé and Suter (JSSPP 2017), Table 1: all five columns."""
    counted = anomalies(read_swf(real_log(name)))
    assert [
        counted["runtime_not_positive"],
        counted["used_processors_not_positive"],
        counted["used_processors_above_requested"],
        counted["runtime_above_requested_time"],
        counted["runtime_above_requested_time_by_a_minute"],
    ] == table_1


@pytest.mark.parametrize(
    ("name", "load"), [("SDSC-BLUE-2000-4.2-cln", 0.77), ("HPC2N-2002-2.2-cln", 0.60), ("KTH-SP2-1996-2.1-cln", 0.70)]
)
@pytest.mark.nightly
def test_recorded_loads_of_real_logs(real_log, name, load):
    """The loads that are known of these logs, to two digits."""
    log = read_swf(real_log(name))
    assert recorded_load(log, log.capacity()) == pytest.approx(load, abs=0.005)


def test_recorded_load_by_hand():
    """Work of used processors from the first submission to the last end."""
    work = 4 * 100 + 5 * 111 + 4 * 110
    assert recorded_load(parse_swf(LOG, name="x"), 8) == pytest.approx(work / (8 * 135))


def test_distribution_by_hand():
    """Quantiles are values that occur."""
    description = distribution(np.array([1, 2, 3, 4]))
    assert description["mean"] == 2.5
    assert description["quantiles"]["0.5"] == 2
    assert description["quantiles"]["1"] == 4


def test_info_of_a_log():
    """Jobs, reasons, dates, classes and queues, ready for JSON."""
    log = parse_swf(LOG, name="x")
    info = json.loads(json.dumps(workload_info(log.workload(), log)))
    assert (info["workload"], info["capacity"], info["jobs"], info["lines"]) == ("x", 8, 4, 5)
    assert info["dropped"] == {"no processors": 1, "negative run time": 0, "larger than the machine": 0}
    assert info["first_submit_date"] == "1970-01-02T00:00:00+00:00"
    assert info["sizes"]["classes"] == {"1": 0, "2 to 3": 1, "4 to 7": 3, "8": 0}
    assert info["run_times"]["classes"]["under 1 min"] == 3
    assert info["queues"] == [{"queue": 1, "name": "batch", "jobs": 2}, {"queue": 2, "name": "", "jobs": 2}]
    assert info["users"] == 2
    assert info["offered_load"] == pytest.approx((4 * 100 + 4 * 50 + 4 * 50 + 2 * 1) / (8 * 30))


@pytest.mark.parametrize("start", [b"99999999999999999", b"-99999999999999999"])
def test_a_nonsensical_start_time_is_no_error(start):
    """Dates are left out then."""
    log = parse_swf(LOG.replace(b"86400", start), name="x")
    assert workload_info(log.workload(), log)["first_submit_date"] is None


def test_info_of_a_single_job():
    """One job has no load, but all else."""
    log = parse_swf(LOG.splitlines()[3], name="x")
    info = workload_info(log.workload(5), log)
    assert info["offered_load"] is None
    assert sum(info["sizes"]["classes"].values()) == 1


def test_info_of_the_embedded_workload():
    """A workload that is not from a log has no anomalies."""
    info = workload_info(default_workload())
    assert "anomalies" not in info
    assert info["jobs"] == sum(info["run_times"]["classes"].values()) == 5000
