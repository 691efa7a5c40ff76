"""``planbatch round`` and ``planbatch explain`` as people and programs use them."""

import io
import json

import pytest

import planbatch as pb
from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf

ROUND = {
    "capacity": 2,
    "now": 100,
    "running": [{"procs": 1, "end": 150}],
    "waiting": [
        {"id": 7, "submit": 0, "procs": 2, "walltime": 100},
        {"id": 8, "submit": 50, "procs": 1, "walltime": 40},
    ],
}


@pytest.fixture
def file(tmp_path):
    (tmp_path / "round.json").write_text(json.dumps(ROUND))
    return "round.json"


def test_a_round_from_standard_input(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(ROUND)))
    code, out, _ = run("round", "-", "--json")
    assert code == 0
    assert json.loads(out)["starts"] == {"7": 150, "8": 100}
    monkeypatch.setattr("sys.stdin", io.StringIO("{"))
    code, _, err = run("round", "-")
    assert code == 2
    assert "standard input" in err


@pytest.mark.parametrize("suffix", ["png", "svg", "html"])
def test_a_picture(run, file, tmp_path, suffix):
    code, _, err = run("round", file, "--picture", f"plan.{suffix}")
    assert code == 0
    assert f"plan.{suffix}" in err
    assert (tmp_path / f"plan.{suffix}").stat().st_size > 1000
    if suffix == "html":
        assert "job 7: 2 processors" in (tmp_path / "plan.html").read_text()


def test_a_change_of_one_job(run, file):
    """Job 8 at 150 puts job 7 off by 40 s; without job 7 nothing changes for job 8."""
    code, out, _ = run("round", file, "--if", "8@150", "--json")
    assert code == 0
    change = json.loads(out)
    assert change["delays"] == {"7": 40, "8": 50}
    assert change["cost_after"] - change["cost_before"] == 40
    code, out, _ = run("round", file, "--if", "-7")
    assert code == 0
    assert "0 jobs start later" in out


def test_explain_a_job_of_a_round(run, file):
    code, out, _ = run("explain", file, 7, "--picture", "why.svg")
    assert code == 0
    assert "Overtaken by job 8" in out
    code, out, _ = run("explain", file, 7, "--json")
    assert code == 0
    assert [row["job"] for row in json.loads(out)["overtakers"]] == [8]


def test_explain_a_job_of_a_replay(run, tmp_path):
    """The job that waits longest; a job that is not in the log is named."""
    workload = pb.synthetic_workload(jobs=200, capacity=32, load=1.2, seed=1)
    write_swf(tmp_path / "small.swf", swf_from_workload(workload))
    trace = pb.replay(pb.load_workload("small.swf"), "easy")
    longest = int((trace.start - trace.workload.submit).argmax())
    job = int(trace.workload.id[longest])
    code, out, _ = run("explain", "small.swf", job, "--policy", "easy", "--json")
    assert code == 0
    assert json.loads(out)["start"] == trace.start[longest]
    code, _, err = run("explain", "small.swf", 9999, "--policy", "easy")
    assert (code, err.count("\n")) == (2, 1)
    assert "job 9999" in err
