"""Published results beside ours: the command, its files, and what is counted."""

import numpy as np
import pytest
from click.testing import CliRunner

from planbatch.experiments.cli.main import planbatch
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.reproduce.engine import PaperReport, Row
from planbatch.experiments.reproduce.liu_2016 import LANL, gain, mix, mpi_jobs
from planbatch.experiments.reproduce.ntakpe_2016 import jobs_of_table, measure
from planbatch.experiments.reproduce.ntakpe_2017 import (
    LOGS,
    TABLE_2,
    clean_workload,
    peak,
    stretch,
    use_of_deadlines,
    violations,
)
from planbatch.experiments.workloads.load import load_log
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.swf.read import parse_swf
from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf
from planbatch.planner.model import NEVER, Workload
from planbatch.planner.resources import Resource
from tests.experiments.reproduce.commands import reproduced

pytestmark = pytest.mark.integration

HOUR = 3600


#: A small workload under the name of one log.
SMALL = {LOGS["HPC2N"]: synthetic_workload(jobs=300, capacity=32, seed=1, load=0.8)}


def traced() -> Trace:
    """Give five jobs: at once; after 10 h; late for 24 h; late for ten walltimes; regular."""
    walltime = np.array([1, 2, 2, 10, 1]) * HOUR
    deadline = [24 * HOUR, 24 * HOUR, 24 * HOUR, 100 * HOUR, NEVER]
    start = np.array([0, 10, 23, 99, 3]) * HOUR
    workload = Workload("five", 4, range(5), [0] * 5, [1] * 5, walltime, walltime, deadline)
    promise = np.full(5, NEVER)
    return Trace(workload, "by hand", start, start + walltime, None, 0.0, promise)


def test_figures_of_2017():
    """The formulas of Section 6.1, by hand."""
    trace = traced()
    assert violations(trace) == (1, 1)
    assert stretch(trace).tolist() == [1, 6, 12.5, 10.9, 4]
    assert use_of_deadlines(trace).tolist() == [50, pytest.approx(2500 / 24), 109]


def test_measures_of_2016():
    """Mean wait in hours and slowdown, of the regular jobs or of all."""
    measured = measure(traced(), np.array([False, True, False, False, True]))
    assert measured == {"mean wait": 6.5, "mean slowdown": 5.0}
    assert jobs_of_table("Table 1", 4, 2).tolist() == [True, True, False, True]
    assert jobs_of_table("Table 2", 4, 2).all()


def test_peak_is_the_span_around_the_maximum():
    """An evening above average does not belong to the peak of the day."""
    arrivals = np.full(24, 1.0)
    arrivals[9:18] = 5
    arrivals[20] = 4
    assert peak(arrivals) == (9, 18)


def test_differences():
    """Percentages differ in points, the rest in per cent; without the paper's there is none."""
    assert Row("T", "w", "p", "change (%)", -15.0, -20.5).difference == "+5.5 points"
    assert Row("T", "w", "p", "wait (h)", 3.0, 2.0).difference == "+50.0 %"
    assert Row("T", "w", "p", "jobs", 0.0, 0.0).difference == "0"
    assert Row("T", "w", "p", "jobs", 3.0).difference == ""


def test_report_is_written(tmp_path):
    """The CSV has the agreed columns, with nothing where the paper gives no number."""
    report = PaperReport("Title", notes=["A note."], pictures=["table-1"])
    report.add("Table 1", "log", "DBF", "wait (h)", 2, 1.5)
    report.add("Table 1", "log", "EASY", "wait (h)", 0.001)
    report.write(tmp_path)
    assert (tmp_path / "comparison.csv").read_text().splitlines() == [
        "item,workload,policy,metric,paper,ours",
        "Table 1,log,DBF,wait (h),1.5,2",
        "Table 1,log,EASY,wait (h),,0.001",
    ]
    text = (tmp_path / "report.md").read_text()
    assert "| log | DBF | wait (h) | 1.50 | 2 | +33.3 % |" in text
    assert "![Table 1](table-1.png)" in text


def test_interactive_jobs_are_left_out():
    """Without run time, without processors, interactive: none of them counts."""
    header = b"; MaxProcs: 10\n; Queue: 0 interactive\n; Queue: 1 batch\n"
    usual = "{} {} 0 10 2 -1 -1 2 20 -1 1 1 1 -1 1 1 -1 -1"
    lines = [usual.format(i, i) for i in range(1, 6)]
    lines[1] = lines[1].replace(" 0 10 2 ", " 0 0 2 ")
    lines[2] = lines[2].replace(" 0 10 2 ", " 0 10 -1 ")
    lines[3] = lines[3].replace(" -1 1 1 -1 -1", " -1 0 1 -1 -1")
    log = parse_swf(header + "\n".join(lines).encode(), name="log")
    assert clean_workload(log).id.tolist() == [1, 5]


@pytest.mark.parametrize("paper", ["ntakpe-2016", "ntakpe-2017", "lehai-2020"])
def test_command(paper, tmp_path):
    """One log is enough; those that are missing are reported and left out."""
    rows, files, _, messages = reproduced(tmp_path, paper, SMALL)
    assert "left out: SDSC-DS" in messages
    assert {row["workload"] for row in rows} <= {"HPC2N", "all"}
    assert all(row["ours"] for row in rows)
    if paper == "ntakpe-2017":
        assert {f"figure-{n}.{end}" for n in range(1, 8) for end in ("png", "svg")} <= files
        assert {row["item"] for row in rows} >= {"Table 1", "Table 2", "Table 3", "Figure 7"}


def with_memory(seed):
    """Give the log of a small workload with memory in both columns."""
    log = swf_from_workload(synthetic_workload(jobs=120, capacity=1024, seed=seed, load=1.5))
    memory = np.random.default_rng(seed).integers(0, 100_000, len(log)).astype(np.float64)
    return log.take(slice(None), used_memory=memory, requested_memory=1.5 * memory)


@pytest.mark.nightly
def test_liu_2016(tmp_path):
    """All three experiments, in figures, claims and pictures; what cannot be had is reported."""
    logs = {LANL: with_memory(0), "METACENTRUM-2009-2": with_memory(1)}
    rows, files, out, messages = reproduced(tmp_path, "liu-2016", logs)
    assert "left out: wagap-2013" in messages
    assert {row["item"] for row in rows} >= {
        "Figure 1", "Figure 2", "Figure 3a", "Claims on Figure 1", "Parts of LANL-CM5", "What the paper leaves open",
    }  # fmt: skip
    assert {(row["item"], row["paper"]) for row in rows if row["paper"]} == {
        ("Claims on Figure 1", "65"), ("Claims on Figure 2", "60"),
    }  # fmt: skip
    pictures = ("1", "2", "3a", "3b", "3c")
    assert {f"figure-{n}.{end}" for n in pictures for end in ("png", "svg")} <= files
    assert "The mixture with wagap 2013 is left out" in (out / "report.md").read_text()


def test_mixtures_hold_parts_of_both():
    """All of the second log's span; as long a part of the first; and the same for the same seed."""
    memory = (Resource("memory", 10, "GB"),)
    first = Workload("a", 4, range(50), [10 * i for i in range(50)], [1] * 50, [5] * 50, [5] * 50,
                     resources=memory, demands=np.ones((50, 1)))  # fmt: skip
    second = first.take(slice(0, 11), submit=first.submit[:11] + 7, demands=np.full((11, 1), 2))
    workload = mix(first, second, 1.0, seed=3)
    assert (workload.demands[:, 0] == 2).sum() == 11
    assert 10 <= (workload.demands[:, 0] == 1).sum() <= 11
    assert (workload.submit[0], workload.submit[-1]) == (0, 100)
    again = mix(first, second, 1.0, seed=3)
    assert again.submit.tolist() == workload.submit.tolist()


def test_the_jobs_of_figure_3_have_sizes_of_the_benchmarks():
    """54 jobs, a second apart, that all fit on the cluster."""
    workload = mpi_jobs(1)
    assert workload.submit.tolist() == list(range(54))
    assert set(workload.procs.tolist()) <= {1, 2, 4, 8, 9, 16, 25, 32}
    assert gain({"IBB": 1.0, "BB": 4.0}, "IBB", "BB") == 75


def test_without_any_log(tmp_path, monkeypatch):
    monkeypatch.delenv("PLANBATCH_WORKLOADS", raising=False)
    monkeypatch.setattr("planbatch.experiments.workloads.load.cached_path", lambda log: tmp_path / "none")
    outcome = CliRunner().invoke(planbatch, ["reproduce", "ntakpe-2016", "--out", str(tmp_path)])
    assert isinstance(outcome.exception, ValueError)
    assert "none of its logs is available" in str(outcome.exception)


def test_an_interrupt_says_what_is_kept(run, tmp_path, monkeypatch):
    """Finished replays are kept, and the same command goes on."""

    def interrupted(*words, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("planbatch.experiments.runs.run.run_replays", interrupted)
    for name, workload in SMALL.items():
        write_swf(tmp_path / f"{name}.swf", swf_from_workload(workload))
    words = ("reproduce", "ntakpe-2016", "--workloads", tmp_path, "--out", tmp_path / "out")
    code, out, err = run(*words)
    assert (code, out) == (130, "")
    assert f"interrupted; finished replays are in {tmp_path / 'out'}" in err
    assert "run the same command again to continue" in err


def test_sizes_on_intrepid_are_partitions():
    """Rounded up to multiples of 256 cores, on that log only."""
    lines = [f"{i} {i} -1 5 {procs} -1 -1 {procs} 9 -1 1 1 1 -1 1 1 -1 -1" for i, procs in enumerate((1, 256, 300))]
    data = "\n".join(["; MaxProcs: 1024", *lines]).encode()
    assert clean_workload(parse_swf(data, name=LOGS["ANL-Intrepid"])).procs.tolist() == [256, 256, 512]
    assert clean_workload(parse_swf(data, name=LOGS["HPC2N"])).procs.tolist() == [1, 256, 300]


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["SDSC-BLUE", "SDSC-DS", "HPC2N"])
def test_the_cleaned_logs_have_as_many_jobs_as_in_the_paper(name, real_log):
    """The totals of Table 2 come out to the job."""
    assert len(clean_workload(load_log(real_log(LOGS[name])))) == TABLE_2[name][0]
