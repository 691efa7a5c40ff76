"""Parts of an experiment, in one folder or in several, and how they are put together."""

import json

import pytest

import planbatch as pb
from planbatch.experiments.runs.store import ResultsError, Store
from planbatch.experiments.studies.grid import run_experiment as run_in_processes

pytestmark = pytest.mark.integration
WORKLOAD = pb.synthetic_workload(jobs=80, capacity=16)


def run_experiment(*args, **options):
    """Run an experiment in threads."""
    return run_in_processes(*args, backend="threading", **options)


def grid():
    return pb.Experiment([WORKLOAD], ["fcfs", "easy", "conservative", "replanned", "dbf"])


def summary(folder):
    return (folder / "summary.csv").read_bytes()


def test_parts_give_the_whole(tmp_path):
    """Three parts in one folder, and in three folders that are merged: the summary of one run, to the byte."""
    run_experiment(grid(), tmp_path / "whole")
    for k in (1, 2, 3):
        assert run_experiment(grid(), tmp_path / "one", part=(k, 3)).missing == {1: 3, 2: 1, 3: 0}[k]
        run_experiment(grid(), tmp_path / str(k), part=(k, 3))
    messages: list[str] = []
    partly = pb.merge_experiment(grid(), [tmp_path / "1", tmp_path / "3"], tmp_path / "merged", notify=messages.append)
    assert partly.missing == 2
    assert "easy" in messages[-1]
    assert "dbf" in messages[-1]
    assert pb.merge_experiment(grid(), [tmp_path / "2"], tmp_path / "merged").missing == 0
    assert summary(tmp_path / "whole") == summary(tmp_path / "one") == summary(tmp_path / "merged")


def test_two_parts_share_a_folder_and_a_whole_run_does_not(tmp_path):
    store = Store(tmp_path)
    with store.locked("1-of-2"):
        with store.locked("2-of-2"):
            pass
        for part in ("1-of-2", ""):
            with pytest.raises(ResultsError, match="another run"), store.locked(part):
                pass
    with store.locked(), pytest.raises(ResultsError, match="another run"), store.locked("1-of-2"):
        pass


def test_a_part_leaves_what_others_write_or_read(tmp_path):
    """The first has written its tables, but not printed them yet; the third is writing a cell."""
    run_experiment(grid(), tmp_path, part=(1, 3))
    before = summary(tmp_path)
    (tmp_path / "cells" / ".unfinished").mkdir()
    messages: list[str] = []

    def check(message):
        messages.append(message)
        assert summary(tmp_path) == before

    run_experiment(grid(), tmp_path, part=(2, 3), notify=check)
    assert [message.partition(":")[0] for message in messages] == [
        "2 of 5 cells are stored already",
        "1 of 5 cells missing",
    ]
    assert summary(tmp_path) != before


def test_a_damaged_cell_is_not_merged(tmp_path):
    run_experiment(grid(), tmp_path / "1")
    victim = next((tmp_path / "1" / "cells").iterdir())
    (victim / "jobs.parquet").write_bytes(b"")
    with pytest.raises(ResultsError, match="jobs.parquet"):
        pb.merge_experiment(grid(), [tmp_path / "1"], tmp_path / "merged")


@pytest.mark.parametrize("part", [(0, 2), (3, 2)])
def test_parts_that_are_none(tmp_path, part):
    with pytest.raises(ValueError, match="part"):
        run_experiment(grid(), tmp_path, part=part)


def test_the_command(run, tmp_path):
    """Write a file, list its cells, run its parts, merge them."""
    assert run("experiment", "init", "new.toml")[0] == 0
    assert run("experiment", "init", "new.toml")[0] == 2
    text = (tmp_path / "new.toml").read_text()
    short = text.replace("# first = 5000", "first = 60").replace("seeds = [0, 1, 2, 3, 4]", "seeds = [0]")
    (tmp_path / "new.toml").write_text(short)
    code, out, _ = run("experiment", "run", "new.toml", "--dry-run", "--json")
    assert code == 0
    assert len(json.loads(out)["cells"]) == 4
    assert not (tmp_path / "out" / "new" / "cells").exists()
    for k in (1, 2):
        words = f"experiment run new.toml --part {k}/2 --out r{k} --backend threading"
        assert run(*words.split())[0] == 0
    code, _, err = run(*["experiment", "merge", "new.toml", "r1", "--out", "all", "--json"])
    assert code == 1
    assert "missing" in err
    code, out, _ = run(*["experiment", "merge", "new.toml", "r1", "r2", "--out", "all", "--json"])
    assert code == 0
    assert json.loads(out)["missing"] == 0
