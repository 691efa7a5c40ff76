"""Tables of jobs: found by the names of their columns, read exactly, and refused with file, line and column."""

import gzip

import numpy as np
import pandas as pd
import pytest

from planbatch.experiments.workloads.load import workload_of_source
from planbatch.experiments.workloads.options import WorkloadOptions
from planbatch.experiments.workloads.swf.read import read_swf
from planbatch.planner.model import NEVER

PLAIN = """\
# MaxProcs: 8
# Note: three jobs, and three that no replay can use
job_id,submit,processors,walltime,runtime,user,deadline,queue,ngpus
1,0,2,100,60,ann,,long,0
2,10,4,0:02:00,1:40,bob,500,short,2

3,20.6,8,1-00:00:00,12:00:00,ann,,long,
4,30,0,100,60,ann,,long,0
5,40,2,100,,ann,,long,0
6,50,9,100,60,ann,,long,0
"""
BATSIM = """\
job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,\
starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata
w0!1,w0,delay,0.000000,2,100.000000,1,COMPLETED_SUCCESSFULLY,0.0,60.0,60.0,0.0,60.0,1.0,0-1,0,
w0!7,w0,delay,10.000000,4,100.000000,1,COMPLETED_SUCCESSFULLY,60.0,60.0,120.0,50.0,110.0,1.8,0-3,0,
w0!8,w0,delay,20.000000,8,100.000000,0,REJECTED,-1,-1,-1,-1,-1,-1,,0,
"""


def loaded(path, text, **options):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return workload_of_source(path, WorkloadOptions(**options))


def columns(workload, *names):
    return [getattr(workload, name).tolist() for name in names]


def test_a_plain_table(tmp_path):
    """Its comments are its header; durations are seconds or clocks; what no replay can use is dropped and counted."""
    workload = loaded(tmp_path / "jobs.csv", PLAIN)
    assert (workload.name, workload.capacity) == ("jobs", 8)
    assert columns(workload, "id", "submit", "procs") == [[1, 2, 3], [0, 10, 21], [2, 4, 8]]
    assert columns(workload, "walltime", "runtime") == [[100, 120, 86400], [60, 100, 43200]]
    assert columns(workload, "user", "queue") == [[1, 2, 1], [1, 2, 1]]
    assert workload.deadline.tolist() == [NEVER, 500, NEVER]
    assert workload.header["Queue"] == "1 long\n2 short"
    assert workload.dropped == {"no processors": 1, "negative run time": 1, "larger than the machine": 1}


def test_the_options_of_logs_are_those_of_tables(tmp_path):
    """Compressed as well: queues by name, spans, the first jobs, and a resource from a column."""
    text = gzip.compress(PLAIN.encode())
    path = tmp_path / "jobs.csv.gz"
    assert loaded(path, text, drop_queue=("short",)).id.tolist() == [1, 3]
    assert loaded(path, text, span="5:15").id.tolist() == [2]
    workload = loaded(path, text, first=2, resource=("gpus=ngpus:4",))
    assert workload.name == "jobs"
    assert workload.demands.tolist() == [[0], [2]]
    assert workload.header["Gpus"] == "gpus: 2 from ngpus, for the whole job; the machine has 4"


def test_columns_are_named_by_the_user(tmp_path):
    """Fields may be called by any of their names; a column that is given to one field serves no other."""
    text = "when;how many;limit;took;start\n5;2;100;60;x\n7;1;100;50;y\n"
    columns_ = ("submit_time=when", "procs=how many", "walltime=limit", "runtime=took", "user=start")
    workload = loaded(tmp_path / "a.csv", text, columns=columns_, capacity=4)
    assert columns(workload, "id", "submit", "procs", "runtime", "user") == [[1, 2], [5, 7], [2, 1], [60, 50], [1, 2]]


def test_batsim(tmp_path):
    """Batsim's columns are known, and a job that it rejected did not start."""
    workload = loaded(tmp_path / "out_jobs.csv", BATSIM, capacity=4)
    assert columns(workload, "id", "submit", "procs", "walltime", "runtime", "wait") == [
        [1, 7], [0, 10], [2, 4], [100, 100], [60, 60], [0, 50]]  # fmt: skip
    assert workload.dropped == {"not started": 1}


def test_dates(tmp_path):
    """With a zone, or of the zone that is given; the wait is the start minus the submission."""
    text = "submit,start,end,cpus\n2024-07-01T12:00:00+02:00,2024-07-01T12:00:30+02:00,2024-07-01T10:01:30Z,1\n"
    workload = loaded(tmp_path / "a.csv", text, capacity=4)
    assert columns(workload, "submit", "wait", "runtime") == [[1719828000], [30], [60]]
    assert workload.header["UnixStartTime"] == "0"
    text = "submit,runtime,cpus\n2024-07-01 12:00:00,60,1\n2024-01-01,60,1\n"
    workload = loaded(tmp_path / "a.csv", text, capacity=4, timezone="Europe/Berlin")
    assert workload.submit.tolist() == [1704063600, 1719828000]
    assert workload.header["TimeZoneString"] == "Europe/Berlin"


def test_parquet(tmp_path):
    """Timestamps and timedeltas have types; what pandas keeps of a frame says how large the machine is."""
    frame = pd.DataFrame(
        {
            "submit": pd.to_datetime(["2024-07-01 10:00", "2024-07-01 10:05"], utc=True),
            "cores": [2, 3],
            "runtime": pd.to_timedelta([60, 90.4], unit="s"),
            "user": ["ann", None],
        }
    )
    frame.attrs["capacity"] = 16
    frame.to_parquet(tmp_path / "jobs.parquet")
    workload = workload_of_source(tmp_path / "jobs.parquet")
    assert (workload.name, workload.capacity) == ("jobs", 16)
    assert columns(workload, "submit", "runtime", "user") == [[1719828000, 1719828300], [60, 90], [1, -1]]
    frame["cores"] = ["2", "many"]
    frame.to_parquet(tmp_path / "jobs.parquet")
    with pytest.raises(ValueError, match=r"row 2, column 2 \(cores\): 'many' is not a whole number"):
        workload_of_source(tmp_path / "jobs.parquet")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_log_and_its_columns_as_a_table_give_the_same_workload(kind, tmp_path, real_log):
    """All jobs, all columns, and what is left out."""
    log = read_swf(real_log("KTH-SP2-1996-2.1-cln"))
    path = tmp_path / f"kth.{kind}"
    write = {"csv": log.frame().to_csv, "parquet": log.frame().to_parquet}[kind]
    write(path, index=False)
    from_log, other = log.workload(), workload_of_source(path, WorkloadOptions(capacity=100))
    names = ("id", "submit", "procs", "walltime", "runtime", "user", "queue", "wait")
    assert columns(from_log, *names) == columns(other, *names)
    assert from_log.dropped == other.dropped


def test_a_damaged_parquet_file_is_refused(tmp_path):
    """Cut off, or with a column name that is no text."""
    path = tmp_path / "x.parquet"
    pd.DataFrame({"processors": [1]}).to_parquet(path)
    for damaged in (b"PAR1 and nothing else", path.read_bytes().replace(b"processors", b"proc\xb7ssors")):
        with pytest.raises(ValueError, match=r"x\.parquet: this Parquet file cannot be read"):
            loaded(path, damaged)


HEAD = "submit,processors,runtime\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("when,processors\n1,1\n", {}, "no column for submit and runtime; the columns are when, processors; "
         "say which it is with --column submit=COLUMN --column runtime=COLUMN"),
        (HEAD + "1,1,1\n", {}, r"--capacity \(the largest job takes 1\)"),
        (HEAD + "1,1,1\n\n2,two,3\n", {}, r"line 4, column 2 \(processors\): 'two' is not a whole number"),
        (HEAD + "1,1.5,1\n", {}, r"line 2, column 2 \(processors\): '1.5' is not a whole number"),
        (HEAD + "1,1,soon\n", {}, r"line 2, column 3 \(runtime\): 'soon' is not a duration"),
        (HEAD + "now,1,1\n", {}, r"line 2, column 1 \(submit\): 'now' is not a number of seconds, or a date"),
        (HEAD + "2024-01-01,1,1\nnow,1,1\n", {}, r"line 3, column 1 \(submit\): 'now' is not a date"),
        (HEAD + ",1,1\n", {}, r"line 2, column 1 \(submit\): ''"),
        (HEAD + "1,1\n", {}, "line 2, column 3 .*: the line has 2 columns instead of 3"),
        (HEAD, {}, "the table holds no jobs"),
        ("# nothing,\n", {}, "is this a log in SWF"),
        ("submit,submit,runtime\n", {}, "line 1: there are two columns 'submit'"),
        (HEAD + "1,1,1\n", {"columns": ("submit",)}, "'submit' is not of the form FIELD=COLUMN"),
        (HEAD + "1,1,1\n", {"columns": ("submitt=x",)}, "there is no 'submitt'; did you mean submit"),
        (HEAD + "1,1,1\n", {"columns": ("user=who",)}, "no column 'who' for user; the columns are submit"),
        (HEAD + "1,1,1\n", {"timezone": "Berlin"}, "timezone: there is no 'Berlin'"),
        ("submit,start,end,cpus\n5,2024-01-01,2024-01-02,1\n", {}, "column submit has numbers, but column start"),
        ("1 0 0 60 1\n", {"columns": ("submit=x",)}, "is a log in SWF"),
    ],
)  # fmt: skip
def test_bad_tables_are_refused(tmp_path, text, options, message):
    """With the file, the line and the column, and what to do."""
    with pytest.raises(ValueError, match=message):
        loaded(tmp_path / "bad.csv", text, **options)


def test_bad_lines_are_skipped_on_request(tmp_path):
    text = HEAD + "1,1,1\n2,two,1\n3,1\n4,1,1\n"
    path = tmp_path / "bad.csv"
    path.write_text(text)
    notes: list[str] = []
    options = WorkloadOptions(skip_bad_lines=True, capacity=1)
    workload = workload_of_source(path, options, notes.append)
    assert workload.submit.tolist() == [1, 4]
    assert workload.dropped == {"unreadable line": 2}
    assert [note.split(": ")[0].rpartition(", ")[0] for note in notes] == [
        f"skipped {path}, line 3", f"skipped {path}, line 4"]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("gpus", "'gpus' is not of the form NAME=COLUMN:CAPACITY"),
        ("gpus=ngpus", "resource gpus: how much the machine has is missing"),
        ("gpus=ngpus:few", "gpus capacity: 'few' is not a whole number such as 64"),
        ("gpus=ngpu:4", "gpus: .* has no column 'ngpu'; did you mean ngpus"),
        ("gpus=kind:4", "job 1: column kind is 'a100', not a number"),
        ("gpus=ngpus:4,for=job", "resource gpus: there is no 'for'"),
        ("gpus=ngpus:4,unknown=some", "gpus unknown: 'some' is not a whole number"),
        ("gpus=ngpus:4/node", "needs the size of a node; give per=node:N, or the whole amount"),
        ("memory=kind:4GB", "job 1: column kind is 'a100', not an amount such as 512MB"),
        ("gpus=ngpus:1", "2 of 2 jobs take more gpus than the machine has; job 1 takes 2 on 4 processors, the machine "
         "has 1; is the column really for the whole job"),
    ],
)  # fmt: skip
def test_bad_resources_are_refused(tmp_path, rule, message):
    text = "submit,processors,runtime,ngpus,kind\n1,4,1,2,a100\n2,4,1,2,a100\n"
    with pytest.raises(ValueError, match=message):
        loaded(tmp_path / "a.csv", text, capacity=8, resource=(rule,))


def test_resources_of_every_kind(tmp_path):
    """Per job, per processor and per node; memory with units in the cells, the unknown taken as the median."""
    text = "submit,processors,runtime,n,mem\n1,4,1,1,1G\n2,4,1,2,512MB\n3,2,1,,\n"
    rules = ("a=n:8", "b=n:2/processor,per=processor", "c=n:4/node,per=node:4,unknown=1", "m=mem:4GB")
    workload = loaded(tmp_path / "a.csv", text, capacity=8, resource=rules)
    assert [resource.capacity for resource in workload.resources] == [8, 16, 8, 4 * 2**20]
    assert workload.demands.tolist() == [[1, 4, 1, 2**20], [2, 8, 2, 2**19], [0, 0, 1, 3 * 2**18]]
    assert np.array_equal(workload.procs, [4, 4, 2])
