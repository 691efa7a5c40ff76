"""``planbatch experiment run`` as people and programs use it."""

import json
import os
from functools import partial

import pytest

from planbatch.experiments import Experiment, PolicySpec, run_experiment
from planbatch.experiments.common import pinned_core as cores
from planbatch.experiments.common.pinned_core import pinned_core, usable_cores
from planbatch.experiments.runs.backends import BackendError
from planbatch.experiments.runs.store import warn_of_little_space
from planbatch.experiments.workloads.lublin import synthetic_workload
from tests.experiments.studies.grids import ROOT, write


@pytest.fixture
def run(run):
    return partial(run, "experiment", "run")


def test_run_and_run_again(run, tmp_path):
    """A table for people, one JSON object for programs; by default the results are in ``out``."""
    file = write(tmp_path)
    code, out, err = run(file, "--jobs", 1)
    assert code == 0
    assert "plan-squared-wait" in out
    assert "1 of 12: " in err
    assert "12 of 12: " in err
    assert (tmp_path / "out" / "grid" / "summary.csv").is_file()
    code, out, err = run(file, "--json")
    assert code == 0
    assert "12 of 12 cells are stored already" in err
    assert json.loads(out) == {
        "out": "out/grid", "cells": 12, "reused": 12, "ran": 0, "failed": {}, "missing": 0,
        "interrupted": False,
    }  # fmt: skip


def test_failures_are_reported_at_the_end(run, tmp_path, monkeypatch):
    """Exit code 1; the other cells are there."""
    from planbatch.experiments.replay import task

    real = task.replay

    def fails(workload, policy, **options):
        if policy.name == "plan-wait":
            raise ValueError("no luck")
        return real(workload, policy, **options)

    monkeypatch.setattr(task, "replay", fails)
    code, _, err = run(write(tmp_path), "--jobs", 1)
    assert code == 1
    assert err.count("no result: ") == 4
    assert "lublin-batch-256, plan-wait, seed 0: ValueError: no luck" in err


def test_the_example_runs(run, tmp_path):
    text = (ROOT / "examples" / "policies.toml").read_text()
    smaller = text.replace("1000", "50").replace("[10, 100]", "[1, 2]")
    code, out, _ = run(write(tmp_path, smaller), "--jobs", 1)
    assert code == 0
    assert "plan-wait, 2 evaluations" in out
    assert text.startswith("# planbatch experiment run examples/policies.toml\n")
    page = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    assert text.partition("title = ")[2] in page


def test_searches_limited_by_seconds_have_cores_of_their_own(tmp_path):
    """Never more of them than cores; the results say that they were seconds, and on which core."""
    workload = synthetic_workload(jobs=12, capacity=64, seed=1, load=3.0)
    grid = Experiment([workload], [PolicySpec("plan-wait", seconds=0.001), PolicySpec("easy")])
    with pytest.raises(BackendError, match="would share .* cores"):
        run_experiment(grid, tmp_path, jobs=len(usable_cores()) + 1)
    report = run_experiment(grid, tmp_path)
    timed, easy = report.records.values() if len(report.records) == 2 else (None, None)
    if timed["settings"]["policy"]["name"] == "easy":
        timed, easy = easy, timed
    assert timed["settings"]["policy"]["seconds"] == 0.001
    assert timed["settings"]["policy"]["evaluations"] is None
    assert easy["machine"]["reserved_core"] is None
    if hasattr(os, "sched_setaffinity"):
        assert timed["machine"]["reserved_core"] in usable_cores()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be reserved here")
def test_a_reserved_core_is_nobody_elses(monkeypatch):
    """As many as there are, each once; afterwards the process may run everywhere again."""
    before = usable_cores()
    waited = []

    def release(seconds):
        waited.append(seconds)
        raise TimeoutError

    monkeypatch.setattr(cores.time, "sleep", release)
    with pinned_core() as core:
        assert usable_cores() == [core]
        with pytest.raises(TimeoutError), pinned_core():
            pass
    assert waited
    assert usable_cores() == before


def test_little_space_is_reported_beforehand(tmp_path, monkeypatch):
    """A warning, since only the run itself can know."""
    messages: list[str] = []
    warn_of_little_space(tmp_path, [10], messages.append)
    assert messages == []
    warn_of_little_space(tmp_path, [10**13], messages.append)
    assert "should it run full, the cells that are finished are safe" in messages[0]
