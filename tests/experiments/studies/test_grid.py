"""Running experiments: the same tables whatever happens, and only what is missing runs."""

import errno
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments import Experiment, PolicySpec, read_experiment, run_experiment
from planbatch.experiments.common import atomic as whole
from planbatch.experiments.replay import task as task_module
from planbatch.experiments.replay.trace import JOBS
from planbatch.experiments.runs import store as store_module
from planbatch.experiments.runs.read import read_columns
from planbatch.experiments.runs.store import DiskFullError
from planbatch.experiments.studies.cells import expand
from planbatch.experiments.studies.compare import compare
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan
from tests.experiments.studies.grids import GRID, assert_whole, small, tables, undisturbed, write

pytestmark = pytest.mark.integration


def test_cells_tell_when_their_log_begins(tmp_path):
    """The report's months are those of the calendar; made-up jobs have no date."""
    generated = synthetic_workload(jobs=20, capacity=32, seed=2)
    dated = replace(generated, name="dated", header={"UnixStartTime": "956700003"})
    run_experiment(Experiment([generated, dated], ["easy"]), tmp_path)
    cells = [json.loads(path.read_text()) for path in tmp_path.glob("cells/*/cell.json")]
    starts = {cell["settings"]["workload"]["name"]: cell["settings"]["workload"] for cell in cells}
    assert starts["dated"]["unix_start_time"] == 956700003
    assert starts[generated.name]["unix_start_time"] is None


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """Run the grid once, undisturbed; give its folder and tables."""
    folder = tmp_path_factory.mktemp("reference")
    report = undisturbed(folder)
    assert (report.cells, report.reused, report.missing) == (12, 0, 0)
    return folder / "undisturbed", tables(folder / "undisturbed")


def test_results_are_those_of_single_replays(tmp_path):
    """With the seed of its ``cell.json``, a cell is a replay like any other; ``plain`` seeds are the user's."""
    for seeding in ("cell", "plain"):
        grid = small(seeds=(3,))
        grid = Experiment(grid.workloads, grid.policies, grid.seeds, seeding=seeding)
        run_experiment(grid, tmp_path / seeding)
        for cell in expand(grid):
            described = json.loads((tmp_path / seeding / "cells" / cell.key / "cell.json").read_text())
            seed = described["settings"]["replay_seed"]
            assert (seed == 3) == (seeding == "plain")
            alone = compare(grid.workloads[0].jobs, [cell.policy.make()], seed=seed)
            trace = alone.traces[cell.policy.name]
            jobs = read_columns(tmp_path / seeding / "cells" / cell.key / "jobs.parquet", JOBS)
            np.testing.assert_array_equal(jobs["start"], trace.start)
            assert described["summary"]["mean_wait"] == alone.metrics[cell.policy.name].mean_wait


def test_the_folder_is_as_agreed(reference):
    """The list of cells in grid order; a row per cell; nothing of the clock in the summary."""
    folder, _ = reference
    described = json.loads((folder / "experiment.json").read_text())
    assert (described["format"], described["title"], len(described["cells"])) == (1, "Small", 12)
    frame = pd.read_csv(folder / "summary.csv")
    assert list(frame["key"]) == described["cells"]
    assert "seconds" not in frame
    assert {"workload", "policy", "seed", "mean_wait", "rounds"} <= {*frame}
    parquet = pd.read_parquet(folder / "summary.parquet")
    assert list(parquet["key"]) == described["cells"]
    assert list(parquet.columns) == list(frame.columns)
    np.testing.assert_array_equal(parquet["mean_wait"], frame["mean_wait"])
    timings = pd.read_csv(folder / "timings.csv")
    assert (timings["seconds"] > 0).all()


@pytest.mark.parametrize(("jobs", "backend"), [(2, "loky"), (2, "threading"), (1, "threading")])
def test_tables_do_not_depend_on_workers_or_backend(tmp_path, reference, jobs, backend):
    """Byte by byte."""
    run_experiment(read_experiment(write(tmp_path)), tmp_path / "out", jobs=jobs, backend=backend)
    assert tables(tmp_path / "out") == reference[1]


def test_only_what_is_missing_runs(tmp_path, reference, monkeypatch):
    """Again: nothing. After a change of one policy: that policy. After a loss: what was lost."""
    ran = []
    real = task_module.replay

    def counted(*given, **options):
        ran[-1] += 1
        return real(*given, **options)

    monkeypatch.setattr(task_module, "replay", counted)
    out = tmp_path / "out"
    messages: list[str] = []
    for text in (GRID, GRID, GRID.replace('"fcfs", "easy"', '"fcfs", "easy-sjf"'), GRID):
        ran.append(0)
        run_experiment(read_experiment(write(tmp_path, text)), out, notify=messages.append)
    assert ran == [12, 0, 2, 0]
    assert "12 of 12 cells are stored already" in messages
    assert any("2 other cells" in line and "stay where they are" in line for line in messages)
    assert len(list((out / "cells").iterdir())) == 14
    assert (out / "summary.csv").read_bytes() == reference[1]["summary.csv"]


def test_a_new_label_is_written_down_without_running(tmp_path):
    """Names are no part of what a cell is known by."""
    run_experiment(small(), tmp_path)
    grid = small()
    policies = [PolicySpec("easy", label="EASY"), grid.policies[1]]
    report = run_experiment(Experiment(grid.workloads, policies), tmp_path)
    assert report.reused == 2
    labels = {cell["settings"]["policy"]["label"] for cell in report.records.values()}
    assert labels == {"EASY", "plan-wait"}
    assert assert_whole(tmp_path) == 2


def test_a_damaged_cell_is_put_aside_and_run_again(tmp_path, reference):
    """A corrupt Parquet file is reported, kept, and replaced."""
    experiment = read_experiment(write(tmp_path))
    run_experiment(experiment, tmp_path / "out")
    victim = sorted((tmp_path / "out" / "cells").iterdir())[5] / "jobs.parquet"
    victim.write_bytes(victim.read_bytes()[:100])
    messages: list[str] = []
    report = run_experiment(experiment, tmp_path / "out", notify=messages.append)
    assert report.reused == 11
    assert any("damaged" in line and "jobs.parquet" in line for line in messages)
    assert len(list((tmp_path / "out" / "damaged").glob("*/jobs.parquet"))) == 1
    assert tables(tmp_path / "out") == reference[1]


def test_another_version_of_the_code_runs_everything_and_keeps_everything(tmp_path, monkeypatch):
    """Old cells stay, are reported, and do not count."""
    run_experiment(small(), tmp_path)
    monkeypatch.setattr(task_module, "code_digest", lambda: "another")
    messages: list[str] = []
    report = run_experiment(small(), tmp_path, notify=messages.append)
    assert (report.reused, report.missing) == (0, 0)
    assert any("2 other cells" in line and "another version" in line for line in messages)
    assert assert_whole(tmp_path) == 4


@pytest.mark.integration
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_full_disk_costs_no_finished_cell(tmp_path, reference, monkeypatch, jobs):
    """The run ends with a sentence; with room again it goes on, and the tables are the same."""
    real, count = store_module.write_synced, iter(range(100))

    def full(path, data):
        if next(count) >= 17:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(path, data)

    experiment = read_experiment(write(tmp_path))
    with monkeypatch.context() as patch:
        for module in (store_module, whole):
            patch.setattr(module, "write_synced", full)
        with pytest.raises(DiskFullError, match="the same command again"):
            run_experiment(experiment, tmp_path / "out", jobs=jobs)
    finished = assert_whole(tmp_path / "out")
    assert 0 < finished < 12
    report = run_experiment(experiment, tmp_path / "out", jobs=jobs)
    assert report.reused == finished
    assert tables(tmp_path / "out") == reference[1]


@pytest.mark.integration
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_keeps_what_is_finished(tmp_path, reference, monkeypatch, jobs):
    real = store_module.Store.store
    stored = []

    def interrupted(self, key, *rest, **options):
        if len(stored) == 3:
            raise KeyboardInterrupt
        stored.append(key)
        return real(self, key, *rest, **options)

    experiment = read_experiment(write(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(store_module.Store, "store", interrupted)
        report = run_experiment(experiment, tmp_path / "out", jobs=jobs)
    assert (report.interrupted, report.missing) == (True, 9)
    assert not (tmp_path / "out" / "summary.csv").exists()
    assert run_experiment(experiment, tmp_path / "out", jobs=jobs).reused == 3
    assert tables(tmp_path / "out") == reference[1]


def never(problem, rng):
    return Plan(np.full(len(problem), NEVER))


def patient(problem, rng):
    """Start the first job that waits, once nothing runs."""
    start = np.full(len(problem), NEVER)
    if problem.free == problem.capacity:
        start[0] = problem.now
    return Plan(start)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_cell_that_fails_fails_alone(tmp_path, jobs):
    """A policy of one's own that breaks the rules costs no other cell its result."""
    workload = synthetic_workload(jobs=30, capacity=32, seed=2)
    report = run_experiment(Experiment([workload], [never, patient, "easy"]), tmp_path, jobs=jobs)
    assert list(report.failed) == ["lublin-batch-32, never, seed 0"]
    assert "left 30 jobs waiting" in report.failed["lublin-batch-32, never, seed 0"]
    assert report.missing == 1
    assert list(pd.read_csv(tmp_path / "summary.csv")["policy"]) == ["patient", "easy"]


def test_policies_of_ones_own_are_known_by_their_content():
    """Two functions of one name differ, and so do two values that one of them holds."""
    workload = synthetic_workload(jobs=5, capacity=32, seed=2)

    def delayed(by):
        def policy(problem, rng):
            return Plan(np.full(len(problem), problem.now + by))

        return policy

    keys = {
        expand(Experiment([workload], [policy]))[0].key
        for policy in (never, patient, delayed(1), delayed(2), delayed(2))
    }
    assert len(keys) == 4


def test_a_policy_of_the_catalogue_and_the_same_one_made(tmp_path):
    """They are the same cell: known by what decides the replay, whoever made the policy."""
    workload = synthetic_workload(jobs=60, capacity=32, seed=2)
    from_object = PolicySpec("made", policy=make_policy("plan-wait", evaluations=5))
    named = PolicySpec("plan-wait", evaluations=5)
    run_experiment(Experiment([workload], [from_object], seeding="plain"), tmp_path)
    report = run_experiment(Experiment([workload], [named], seeding="plain"), tmp_path)
    assert report.reused == 1
    with pytest.raises(ValueError, match="two cells are the same"):
        run_experiment(Experiment([workload], [from_object, named], seeding="plain"), tmp_path)


def test_grids_from_python_are_checked():
    with pytest.raises(ValueError, match="policies: an experiment needs at least one"):
        Experiment(["embedded"], [])
    with pytest.raises(ValueError, match="seeds: True"):
        Experiment(["embedded"], ["easy"], seeds=[True])
