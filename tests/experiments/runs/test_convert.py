"""Jobs for other tools and back: Batsim's CSV, the Standard Workload Format, Parquet."""

import csv
import gzip
import json
import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.runs.convert import (
    COLUMNS,
    Schedule,
    peak,
    read_batsim,
    read_schedule,
    write_batsim,
    write_schedule,
)
from planbatch.experiments.runs.read import Jobs
from planbatch.experiments.workloads.swf.read import read_swf
from planbatch.planner.model import NEVER


@st.composite
def schedules(draw):
    """Draw jobs on a machine that is large enough, some with users, deadlines and promises."""
    n = draw(st.integers(1, 12))
    rows = []
    for number in range(n):
        submit, wait, runtime = (draw(st.integers(0, 40)), draw(st.integers(0, 20)), draw(st.integers(1, 15)))
        walltime = runtime + draw(st.sampled_from([0, 0, 1, 30]))
        maybe = st.one_of(st.just(NEVER), st.integers(0, 10**6))
        rows.append(
            (number, draw(st.integers(-1, 5)), submit, draw(st.integers(1, 6)), walltime, runtime,
             submit + wait, submit + wait + runtime, draw(maybe), draw(maybe))
        )  # fmt: skip
    rows.sort(key=lambda row: row[2])
    jobs = Jobs(*(np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)))
    return Schedule("drawn", peak(jobs) + draw(st.integers(0, 3)), jobs)


def assert_same(jobs, other, names=tuple(Jobs.__dataclass_fields__)):
    for name in names:
        np.testing.assert_array_equal(getattr(jobs, name), getattr(other, name), err_msg=name)


@given(schedule=schedules(), ending=st.sampled_from([".csv", ".csv.gz", ".csv.zst"]))
def test_batsim_gives_back_what_was_written(schedule, ending, tmp_path_factory):
    """All columns, those that Batsim does not have included."""
    path = tmp_path_factory.mktemp("batsim") / f"x_jobs{ending}"
    write_schedule(path, schedule)
    again = read_schedule(path, schedule.capacity)
    assert_same(again.jobs, schedule.jobs)
    assert again.capacity == schedule.capacity
    assert peak(again.jobs) <= schedule.capacity


@given(schedule=schedules())
def test_a_log_gives_back_what_it_has_columns_for(schedule, tmp_path_factory):
    """Everything but deadlines and promises; the machine's size is in the header."""
    path = tmp_path_factory.mktemp("swf") / "x.swf"
    write_schedule(path, schedule)
    again = read_schedule(path)
    assert_same(again.jobs, schedule.jobs, ("id", "user", "submit", "procs", "walltime", "runtime", "start", "end"))
    assert again.capacity == schedule.capacity
    np.testing.assert_array_equal(read_swf(path).columns["wait"], schedule.jobs.wait)


@given(schedule=schedules())
def test_parquet_gives_back_what_was_written(schedule, tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet") / "jobs.parquet"
    write_schedule(path, schedule)
    assert_same(read_schedule(path, schedule.capacity).jobs, schedule.jobs)


def test_a_workload_and_a_platform_of_batsim_are_written(tmp_path):
    """What was asked for, and how long it runs; hosts 0 to 7, and the master's."""
    columns = [[1, 2], [-1, 3], [0, 5], [4, 8], [60, 100], [30, 30], [0, 30], [30, 60]]
    deadline, promise = [NEVER, 900], [NEVER, NEVER]
    jobs = Jobs(*(np.array(each, dtype=np.int64) for each in (*columns, deadline, promise)))
    for name in ("w.json", "p.xml"):
        write_schedule(tmp_path / name, Schedule("w", 8, jobs))
    data = json.loads((tmp_path / "w.json").read_text())
    assert data == {
        "nb_res": 8, "profiles": {"d30": {"type": "delay", "delay": 30}}, "jobs": [
            {"id": "1", "subtime": 0, "walltime": 60, "res": 4, "profile": "d30"},
            {"id": "2", "subtime": 5, "walltime": 100, "res": 8, "profile": "d30", "deadline": 900}]}  # fmt: skip
    root = ElementTree.parse(tmp_path / "p.xml").getroot()
    machine, head = root.findall("./zone/cluster")
    assert machine.get("radical") == "0-7"
    assert head.find("prop").attrib == {"id": "role", "value": "master"}
    with pytest.raises(ValueError, match="give a name that ends in"):
        read_schedule(tmp_path / "w.json")


def test_a_log_without_waits_is_enough_for_batsim(run, tmp_path):
    """Its jobs have no starts, and a workload needs none; a log with waits would."""
    run("workload", "generate", "log.swf", "--count", "30", "--capacity", "16")
    assert run("convert", "log.swf", "w.json")[0] == run("convert", "log.swf", "p.xml")[0] == 0
    assert len(json.loads((tmp_path / "w.json").read_text())["jobs"]) == 30
    assert run("convert", "log.swf", "jobs.csv")[0] == 2


def test_the_columns_are_those_of_batsim(tmp_path):
    """By hand: job 7 waits 10 of 15 s and ends early on processors 0 to 2; job 8 is killed at its walltime."""
    columns = zip((7, 3, 0, 3, 20, 5, 10, 15, NEVER, NEVER), (8, -1, 2, 1, 5, 5, 10, 15, 99, 12), strict=True)
    jobs = Jobs(*(np.array(column) for column in columns))
    write_batsim(tmp_path / "out_jobs.csv", jobs, 4, "kth")
    with (tmp_path / "out_jobs.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    assert rows[0] == {
        "job_id": "7", "workload_name": "kth", "profile": "delay", "submission_time": "0",
        "requested_number_of_resources": "3", "requested_time": "20", "success": "1",
        "final_state": "COMPLETED_SUCCESSFULLY", "starting_time": "10", "execution_time": "5", "finish_time": "15",
        "waiting_time": "10", "turnaround_time": "15", "stretch": "3.000000", "allocated_resources": "0-2",
        "consumed_energy": "0", "metadata": "user=3",
    }  # fmt: skip
    assert (rows[1]["success"], rows[1]["final_state"]) == ("0", "COMPLETED_WALLTIME_REACHED")
    assert rows[1]["allocated_resources"] == "3"
    assert rows[1]["metadata"] == "deadline=99;promise=12"


#: As Batsim itself writes: fractions, text identifiers, a rejected job, columns in another order.
FOREIGN = """\
job_id,submission_time,requested_number_of_resources,requested_time,success,starting_time,execution_time,finish_time,extra
w0!12,20.000000,2,100.000000,1,30.400000,10.200000,40.600000,a
w0!3,10.000000,4,50.000000,1,10.000000,20.000000,30.000000,b
w0!4,11.000000,400,50.000000,0,-1,-1,-1,c
"""


def test_files_of_batsim_itself_are_read(tmp_path):
    """Rounded to seconds, in the order of submission, without what never ran."""
    path = tmp_path / "b_jobs.csv.gz"
    path.write_bytes(gzip.compress(FOREIGN.encode()))
    schedule = read_schedule(path)
    assert schedule.name == "b"
    assert schedule.jobs.id.tolist() == [3, 12]
    assert schedule.jobs.start.tolist() == [10, 30]
    assert schedule.jobs.end.tolist() == [30, 41]
    assert schedule.capacity == 4
    assert schedule.workload().walltime.tolist() == [50, 100]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the table holds no jobs"),
        ("a,b\n1,2\n", "has no column 'job_id'"),
        (FOREIGN.replace("30.400000", "soon"), "line 2: starting_time is 'soon', not a number"),
        (FOREIGN[: FOREIGN.index("w0!12")], "no job ran"),
    ],
)
def test_bad_files_are_reported(tmp_path, text, why):
    path = tmp_path / "bad_jobs.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=why):
        read_batsim(path)


def test_a_log_that_uses_more_than_its_header_says_names_the_capacity_that_helps(tmp_path):
    """Two jobs of 3 processors overlap on a machine of 4; so does their CSV, for a machine that is given."""
    jobs = ["1 0 0 10 3 -1 -1 3 20 -1 1 1 1 -1 1 1 -1 -1", "2 0 5 10 3 -1 -1 3 20 -1 1 1 1 -1 1 1 -1 -1"]
    log = tmp_path / "full.swf"
    log.write_text("; MaxProcs: 4\n" + "\n".join(jobs) + "\n")
    schedule, table = read_schedule(log, 6), tmp_path / "full.csv"
    assert schedule.capacity == 6
    write_schedule(table, schedule)
    for path, capacity in ((log, None), (table, 4)):
        message = f"{path}: 6 processors are in use at once, above the 4 of the machine; give a capacity of 6"
        with pytest.raises(ValueError, match=re.escape(message)):
            read_schedule(path, capacity)


def test_the_command_goes_round(run, grid, tmp_path):
    """A cell to Batsim's CSV, to a log, and the log is replayed to the same starts."""
    cell = grid / "cells" / "lublin-batch-32-easy-0"
    assert run("convert", cell, "a_jobs.csv")[0] == 0
    assert run(*["convert", "a_jobs.csv", "a.swf.gz", "--capacity", "32"])[0] == 0
    assert run(*["replay", "a.swf.gz", "--policy", "easy", "--starts", "starts.csv", "--json"])[0] == 0
    stored = pd.read_parquet(cell / "jobs.parquet")
    again = pd.read_csv(tmp_path / "starts.csv")
    assert again["id"].tolist() == stored["id"].tolist()
    assert again["start"].tolist() == stored["start"].tolist()
    code, _, err = run("convert", cell, "a.txt")
    assert code == 2
    assert "give a name that ends in" in err
