"""``planbatch rounds`` as people and programs use it."""

import json
from functools import partial

import pytest

from planbatch.experiments.rounds.best_known import read_best_known
from planbatch.experiments.rounds.file import write_round
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf
from tests.builders import random_round


@pytest.fixture
def run(run):
    return partial(run, "rounds")


@pytest.mark.integration
def test_from_a_log_to_a_table_and_pictures(run, tmp_path):
    """Capture rounds, compare optimizers on them, and keep the best costs."""
    write_swf(tmp_path / "small.swf", swf_from_workload(synthetic_workload(300, 32, 3)))
    code, out, err = run("capture", "small.swf", "--sizes", "3,5,250", "--per-size", 1, "--json")
    assert code == 0
    captured = json.loads(out)
    assert len(captured["files"]) == 2
    assert captured["missing"] == {"easy": [250]}
    assert "in no round did about 250 jobs wait" in err
    words = ("compare", *captured["files"], "--optimizer", "annealing", "--optimizer", "exhaustive",
             "--evaluations", 20, "--jobs", 1, "--out", "res")  # fmt: skip
    code, out, err = run(*words, "--json")
    assert code == 0
    data = json.loads(out)
    assert [row["optimizer"] for row in data["rows"]] == ["annealing", "exhaustive"] * 2
    assert [row["optimizer"] for row in data["summary"]] == ["annealing", "exhaustive"]
    assert data["unfinished"] == 0
    assert (tmp_path / "res" / "curves-wait.svg").is_file()
    assert len(read_best_known(tmp_path / "res" / "best-known.json")) == 2
    code, out, _ = run(*words, "--no-curves", "--pictured", 0)
    assert code == 0
    assert "2 rounds, 20 evaluations" in out
    assert "exhaustive" in out


def test_captured_jobs_have_the_deadlines_that_are_asked_for(run, tmp_path):
    """All of them with random:100, none without the flag."""
    write_swf(tmp_path / "small.swf", swf_from_workload(synthetic_workload(300, 32, 3)))
    for flags, share in ((("--deadlines", "random:100"), 1), ((), 0)):
        code, out, _ = run("capture", "small.swf", "--sizes", 3, *flags, "--json")
        assert code == 0
        (path,) = json.loads(out)["files"]
        jobs = json.loads((tmp_path / path).read_text())["waiting"]
        assert len(jobs) == 3
        assert sum(job.get("deadline") is not None for job in jobs) == share * len(jobs)


def test_objectives_for_deadlines_warn_if_no_job_has_one(run, tmp_path):
    """Here too: all plans cost nothing."""
    write_round(tmp_path / "a.json", random_round(4))
    words = ("compare", "a.json", "--evaluations", 5, "--jobs", 1, "--no-curves", "--pictured", 0)
    message = "warning: no job has a deadline, which tardiness needs\n"
    assert message in run(*words, "--objective", "tardiness")[2]
    assert message not in run(*words, "--objective", "wait")[2]


def test_searches_end_as_their_optimizers_say(run, tmp_path):
    """A failed search makes the exit code 1; one that its optimizer calls interrupted is a row; the others go on."""
    write_round(tmp_path / "a.json", random_round(4))
    (tmp_path / "mine.py").write_text("def failing(search, rng):\n    raise ValueError\n")
    optimizers = ("--optimizer", "tests.builders:Quitter", "--optimizer", "annealing")
    settings = ("--evaluations", 5, "--jobs", 1, "--no-curves", "--pictured", 0, "--json")
    words = ("compare", "a.json", *settings, *optimizers)
    code, out, err = run(*words)
    assert code == 0
    assert "tables and pictures written to" in err
    assert [row["status"] for row in json.loads(out)["rows"]] == ["interrupted", "finished"]
    code, out, err = run(*words, "--optimizer", "mine.py:failing")
    assert code == 1
    assert [row["status"] for row in json.loads(out)["rows"]] == ["interrupted", "finished", "failed"]
    assert "failed: failing on a, wait, seed 0" in err
