"""Presets of modern public logs, on samples of 24 lines that were made for these tests."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from planbatch.experiments.workloads.frames import workload_of_frame
from planbatch.experiments.workloads.load import load_log, workload_of_log
from planbatch.experiments.workloads.options import WorkloadOptions
from planbatch.experiments.workloads.presets import PRESETS

SAMPLES = Path(__file__).parent / "samples"
FILES = {"frontier": "frontier.swf", "pm100": "pm100.csv", "f-data": "f-data.csv", "kestrel": "kestrel.csv"}


def loaded(path, preset, **options):
    options = WorkloadOptions(preset=preset, **options)
    return workload_of_log(load_log(path, options), options)


def as_parquet(name: str, folder: Path) -> Path:
    """Write a sample as its original: times as such, and a column of lists."""
    frame = pd.read_csv(SAMPLES / FILES[name])
    for column in ("submit_time", "start_time", "end_time") if name != "f-data" else ():
        frame[column] = pd.to_datetime(frame[column])
    if name == "kestrel":
        frame["wallclock_req"] = pd.to_timedelta(frame["wallclock_req"], unit="s")
    if name == "f-data":
        frame["mszl"] = frame["mszl"].astype(np.float64)
    frame["power_consumption"] = [[1.0, 2.0]] * len(frame)
    path = folder / f"{name}.parquet"
    frame.to_parquet(path)
    return path


def test_every_preset_has_a_sample():
    assert FILES.keys() == PRESETS.keys()


@pytest.mark.parametrize(
    ("name", "capacity", "jobs", "first"),
    [
        # processors, walltime, run time, wait and user of the first job, as its line has them
        ("frontier", 9408, 23, (2, 3600, 2696, 197, 1)),
        ("pm100", 980, 24, (16, 3600, 360, 681, 4)),
        ("f-data", 158_976, 24, (12, 86400, 71379, 1716, 1)),
        ("kestrel", 1000, 23, (104, 3600, 2521, 3507, 1)),
    ],
)
def test_columns_mean_what_the_sources_say(name, capacity, jobs, first):
    """Nodes, or cores of Kestrel; minutes are seconds; -1 and pending jobs are left out."""
    workload = loaded(SAMPLES / FILES[name], name, capacity=1000 if name == "kestrel" else None)
    assert (workload.capacity, len(workload)) == (capacity, jobs)
    columns = (workload.procs, workload.walltime, workload.runtime, workload.wait, workload.user)
    assert tuple(int(column[0]) for column in columns) == first


@pytest.mark.parametrize(("name", "column", "runtime"), [("pm100", "run_time", 360), ("f-data", "duration", 71379)])
def test_a_run_time_that_is_missing_is_end_less_start(name, column, runtime, tmp_path):
    """As in tables that have no such column."""
    frame = pd.read_csv(SAMPLES / FILES[name])
    frame.loc[0, column] = np.nan
    frame.to_csv(tmp_path / "missing.csv", index=False)
    workload = loaded(tmp_path / "missing.csv", name)
    assert (len(workload), workload.runtime[0]) == (24, runtime)


def test_nodes_of_frontier_are_those_of_column_21():
    """In every other line of the sample, columns 5 and 8 hold processors: 112 for each node."""
    plain = load_log(SAMPLES / FILES["frontier"])
    assert plain.further["column_21"][1] == "frontier:excl:1000x112"
    assert plain.columns["requested_procs"][1] == 112_000
    workload = loaded(SAMPLES / FILES["frontier"], "frontier")
    assert workload.procs[:3].tolist() == [2, 1000, 2]
    assert workload.dropped == {"no processors": 1}


@pytest.mark.parametrize("name", ["pm100", "f-data", "kestrel"])
def test_parquet_is_the_same_as_csv(name, tmp_path):
    """As the originals are written; columns of lists are not read."""
    size = {"capacity": 1000} if name == "kestrel" else {}
    from_csv = loaded(SAMPLES / FILES[name], name, **size)
    other = loaded(as_parquet(name, tmp_path), name, **size)
    for column in ("submit", "procs", "walltime", "runtime", "wait", "user"):
        np.testing.assert_array_equal(getattr(from_csv, column), getattr(other, column))
    assert from_csv.header["UnixStartTime"] == other.header["UnixStartTime"] == "0"


def test_what_is_left_of_a_log_can_be_resources():
    """GPUs of Marconi100, and memory of Fugaku, of which every third job has no limit."""
    gpus = loaded(SAMPLES / FILES["pm100"], "pm100", resource=("gpus=num_gpus_req:3920",))
    assert gpus.demands[0].tolist() == [64]
    rule = "memory=mszl:32GB/node,per=node:1,unit=B,unknown=0"
    memory = loaded(SAMPLES / FILES["f-data"], "f-data", resource=(rule,))
    assert memory.demands[:3, 0].tolist() == [12 * 28 * 2**20, 12 * 28 * 2**20, 0]


def test_info_says_what_is_odd(run):
    words = ("workload", "info", SAMPLES / FILES["pm100"], "--preset", "pm100")
    message = "pm100: Jobs that shared nodes are not in it"
    assert message in run(*words)[1]
    assert json.loads(run(*words, "--json")[1])["preset"].startswith(message)


def test_a_preset_in_an_experiment_and_ones_own(run, tmp_path):
    """By the same name; one's own is a function of a data frame."""
    Path("mine.py").write_text(
        "def ours(frame):\n    '''Sizes are in pairs.'''\n"
        "    return frame.assign(processors=2 * frame['pairs']).drop(columns=['pairs'])\n"
    )
    Path("pairs.csv").write_text("submit,pairs,runtime\n0,2,10\n5,1,10\n")
    code, out, _ = run("workload", "info", "pairs.csv", "--preset", "mine.py:ours", "--capacity", 8)
    assert (code, "ours: Sizes are in pairs" in out) == (0, True)
    Path("grid.toml").write_text(
        f'[[workload]]\nsource = "{SAMPLES / FILES["frontier"]}"\npreset = "frontier"\n'
        '[[workload]]\nsource = "pairs.csv"\npreset = "mine.py:ours"\ncapacity = 8\n'
        '[[policy]]\nname = "easy"\n'
    )
    code, out, _ = run("experiment", "run", "grid.toml", "--jobs", 1, "--json")
    assert (code, json.loads(out)["ran"]) == (0, 2)
    frame = pd.read_csv("pairs.csv")
    assert workload_of_frame(frame, 8, preset="mine.py:ours").procs.tolist() == [4, 2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--preset", "frontir"], "preset: there is no 'frontir'; did you mean frontier?"),
        (["--preset", "frontier"], "pairs.csv: there is no column 'column_21'"),
        (["--preset", "bad.py:short"], "preset bad.py:short: it has to return a data frame with a row per job"),
        (["--preset", "bad.py:none"], "preset bad.py:none: it has to return a data frame with a row per job"),
        (["--preset", "bad.py:oops"], "bad.py, line 3: KeyError: 'pairz'"),
    ],
)
def test_bad_presets_are_one_sentence(run, words, message):
    Path("pairs.csv").write_text("submit,procs,runtime\n0,2,10\n5,1,10\n")
    Path("bad.py").write_text(
        "def short(frame): return frame[:1]\ndef none(frame): pass\ndef oops(frame): return frame['pairz']\n"
    )
    code, out, err = run("workload", "info", "pairs.csv", "--capacity", 8, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
