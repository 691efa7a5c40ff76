"""The results folder: whole cells or none, and nothing finished is ever lost."""

import errno
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from planbatch.experiments.common import atomic as whole
from planbatch.experiments.replay.identity import versions
from planbatch.experiments.replay.metrics import summary
from planbatch.experiments.replay.task import Outcome, machine
from planbatch.experiments.replay.trace import JOBS, ROUNDS
from planbatch.experiments.runs import store as store_module
from planbatch.experiments.runs.read import read_columns
from planbatch.experiments.runs.store import DAMAGED, DiskFullError, ResultsError, Store
from planbatch.planner.model import NEVER
from tests.builders import trace_of, workload_of


@pytest.fixture
def trace():
    return trace_of(workload_of(2, [(0, 2, 5, 3), (1, 1, 4, 4)]), [0, 3])


@pytest.fixture
def store(tmp_path):
    ready = Store(tmp_path / "out")
    ready.check()
    return ready


def outcome_of(trace):
    """Give what is stored besides the trace."""
    return Outcome(trace, summary(trace), versions(), machine())


SETTINGS = {"policy": {"label": "by-hand"}}


def test_a_cell_is_stored_as_it_is_agreed(store, trace):
    """Two tables and everything that says how they were made."""
    store.store("abc", SETTINGS, trace, outcome_of(trace))
    place = store.folder / "cells" / "abc"
    assert sorted(p.name for p in place.iterdir()) == ["cell.json", "jobs.parquet", "rounds.parquet"]
    described = json.loads((place / "cell.json").read_text())
    assert (described["format"], described["key"]) == (1, "abc")
    assert set(described["versions"]) == {"planbatch", "python", "numpy", "code"}
    expected = summary(trace)
    assert {name: described["summary"][name] for name in expected} == expected
    table = pq.read_table(place / "jobs.parquet")
    assert tuple(table.column_names) == JOBS
    assert {str(field.type) for field in table.schema} == {"int64"}
    assert tuple(pq.read_table(place / "rounds.parquet").column_names) == ROUNDS
    jobs = read_columns(place / "jobs.parquet", JOBS)
    assert (list(jobs["start"]), list(jobs["end"])) == ([0, 3], [3, 7])
    assert set(jobs["promise"]) == set(jobs["deadline"]) == {NEVER}
    for name, column in read_columns(place / "rounds.parquet", ROUNDS).items():
        np.testing.assert_array_equal(column, getattr(trace.rounds, name))
    assert store.load("abc") == described
    assert store.load("other") is None


@pytest.mark.parametrize("name", ["jobs.parquet", "rounds.parquet", "cell.json"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "gone"])
def test_damage_is_seen_and_put_aside(store, trace, name, damage):
    """A file cut short, a byte changed, a file missing: never taken for a whole cell."""
    store.store("abc", SETTINGS, trace, outcome_of(trace))
    path = store.folder_of("abc") / name
    data = path.read_bytes()
    if damage == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "flipped":
        path.write_bytes(b"#" + data[1:])
    else:
        path.unlink()
    with pytest.raises(ResultsError, match=name):
        store.load("abc")
    lines = []
    assert store.load_or_put_aside("abc", "the cell", lines.append) is None
    assert lines[0].startswith("damaged, and run again: the cell: ")
    (folder,) = (store.folder / DAMAGED).iterdir()
    assert len(list(folder.iterdir())) == (2 if damage == "gone" else 3)
    assert store.load("abc") is None


@pytest.mark.parametrize("after", range(4))
def test_a_full_disk_leaves_nothing_half_written(store, trace, monkeypatch, after):
    """Whichever write fails, what was there stays, and what failed leaves no trace."""
    store.store("first", SETTINGS, trace, outcome_of(trace))
    real, count = store_module.write_synced, iter(range(10))

    def full(path, data):
        if next(count) == after:
            path.write_bytes(data[:10])
            raise OSError(errno.ENOSPC, "No space left on device")
        real(path, data)

    for module in (store_module, whole):
        monkeypatch.setattr(module, "write_synced", full)

    def write_both():
        store.store("second", SETTINGS, trace, outcome_of(trace))
        store.write("summary.csv", b"a,b\n")

    with pytest.raises(DiskFullError, match="disk is full; the cells that are finished are safe"):
        write_both()
    assert store.load("first") is not None
    names = [p.name for p in store.folder.rglob("*") if p.name.startswith(".")]
    assert names == []
    assert not (store.folder / "summary.csv").exists()


def test_folders_that_cannot_hold_results(tmp_path, store):
    """A file, another format, something else of that name, a folder without permission."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="cannot write results"):
        Store(tmp_path / "file").check()
    path = store.folder / "experiment.json"
    path.write_text('{"format": 2, "planbatch": "9.0"}')
    with pytest.raises(ResultsError, match=r"format 2, written by planbatch 9\.0.* choose another"):
        store.check()
    for text in ("[]", "{", '{"a": 1}'):
        path.write_text(text)
        with pytest.raises(ResultsError, match=r"experiment\.json"):
            store.check()


def test_one_run_at_a_time(store):
    """Two runs in one folder would do everything twice."""
    with store.locked(), pytest.raises(ResultsError, match="another run"), Store(store.folder).locked():
        pass
    with store.locked():
        pass


def test_what_interrupted_runs_left_is_cleaned_up(store, trace):
    """Half-written folders go, whole ones stay."""
    store.store("abc", SETTINGS, trace, outcome_of(trace))
    (store.folder / "cells" / ".def.1234").mkdir()
    (store.folder / "cells" / ".def.1234" / "jobs.parquet").write_bytes(b"half")
    half = [store.folder / ".summary.csv.12", store.folder_of("abc") / ".cell.json.34"]
    for path in half:
        path.write_text("half")
    store.clean()
    assert [p.name for p in (store.folder / "cells").iterdir()] == ["abc"]
    assert not any(path.exists() for path in half)
    assert store.load("abc") is not None
