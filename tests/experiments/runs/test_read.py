"""Folders of results: whole, with gaps, damaged, and of another version."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from planbatch.experiments.report.cases import cases_of, load, months
from planbatch.experiments.runs.read import ResultsError, read_results
from tests.builders import trace_of, workload_of
from tests.experiments.report.folders import write_cell, write_experiment

JOBS = [(0, 2, 10, 5), (3, 4, 10, 10), (4, 1, 5, 5)]


@pytest.fixture
def folder(tmp_path):
    """Give a folder with one workload of three jobs under two policies."""
    workload = workload_of(4, JOBS)
    for name, start in (("easy", [0, 5, 15]), ("plan-wait", [0, 9, 4])):
        write_cell(tmp_path, name, trace_of(workload, start, name))
    write_experiment(tmp_path, ["easy", "plan-wait"])
    return tmp_path


def edit(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_whole_folder_is_read_as_it_was_written(folder):
    """Cells in the order of the grid, and every job with its times."""
    results = read_results(folder)
    assert (results.title, results.missing, results.broken) == ("A test", (), ())
    assert [cell.label for cell in results.cells] == ["easy", "plan-wait"]
    jobs = results.cells[1].jobs()
    np.testing.assert_array_equal(jobs.start, [0, 9, 4])
    np.testing.assert_array_equal(jobs.wait, [0, 6, 0])
    np.testing.assert_array_equal(jobs.slowdown, [1, 1.6, 1])
    assert list(results.cells[0].rounds()["time"]) == [0, 5, 15]


def test_missing_cells_are_listed_and_the_others_read(folder):
    """An experiment that was interrupted can be looked at."""
    write_experiment(folder, ["easy", "not-yet", "plan-wait"])
    results = read_results(folder)
    assert results.missing == ("not-yet",)
    assert [cell.key for cell in results.cells] == ["easy", "plan-wait"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "cannot be read"), ("[]", "is not a cell"), ('{"format": 1}', "cell.json: settings: Field required"),
        ('{"format": 1, "settings": 5}', "cell.json: settings: Input should be"),
    ],
)  # fmt: skip
def test_a_broken_cell_is_named_and_the_others_read(folder, content, why):
    (folder / "cells/plan-wait/cell.json").write_text(content)
    results = read_results(folder)
    assert [cell.key for cell in results.cells] == ["easy"]
    assert results.broken[0][0] == "plan-wait"
    assert why in results.broken[0][1]


@pytest.mark.parametrize("key", ["../../outside", "..", "/etc", "a/b", "."])
def test_a_cell_outside_the_folder_is_refused(folder, key):
    edit(folder / "experiment.json", cells=[key])
    with pytest.raises(ResultsError, match="is not the name of a cell"):
        read_results(folder)


def test_another_version_is_reported_with_both_formats(folder):
    """Of the experiment as a whole, and of single cells."""
    edit(folder / "cells/easy/cell.json", format=2)
    assert "format 2" in read_results(folder).broken[0][1]
    edit(folder / "experiment.json", format=7, planbatch="9.1")
    with pytest.raises(ResultsError, match="format 7, by planbatch 9.1, and this version reads format 1"):
        read_results(folder)


@pytest.mark.parametrize("damage", ["cut", "empty", "text", "names", "absent"])
def test_a_damaged_parquet_file_is_named_and_the_other_cells_are_loaded(folder, damage):
    """Cut off, empty, of another kind, with a column name that is no text, or not there."""
    path = folder / "cells/plan-wait/jobs.parquet"
    content = path.read_bytes()
    if damage == "absent":
        path.unlink()
    else:
        damaged = {"cut": content[: len(content) // 2], "empty": b"", "text": b"id,start\n" * 9}
        path.write_bytes(damaged.get(damage, content.replace(b"walltime", b"wall\xb7ime")))
    runs = load(cases_of(read_results(folder))[0])
    assert runs.labels == ["easy"]
    key, why = runs.broken[0]
    assert key == "plan-wait"
    assert str(path) in why
    assert "missing" in why if damage == "absent" else "damaged" in why


@pytest.mark.parametrize(
    ("column", "values", "why"),
    [
        ("start", None, "has no column 'start'"),
        ("start", [0, 1, 4], "job 2 has impossible times"),
        ("procs", [2, 5, 1], "job 2 has impossible times or sizes"),
        ("end", ["a", "b", "c"], "holds no numbers"),
    ],
)
def test_jobs_that_cannot_be_are_reported(folder, column, values, why):
    """Columns that are absent or of text, starts before submissions, jobs larger than the machine."""
    path = folder / "cells/easy/jobs.parquet"
    frame = pd.read_parquet(path)
    changed = frame.drop(columns=column) if values is None else frame.assign(**{column: values})
    changed.to_parquet(path)
    with pytest.raises(ResultsError, match=why):
        read_results(folder).cells[0].jobs()


def test_folders_that_hold_no_results_are_reported(tmp_path, folder):
    """No such folder; no experiment; nothing finished."""
    with pytest.raises(ResultsError, match="no such folder"):
        read_results(tmp_path / "nowhere")
    with pytest.raises(ResultsError, match=r"holds no experiment\.json"):
        read_results(folder / "cells")
    shutil.rmtree(folder / "cells")
    with pytest.raises(ResultsError, match="none of its 2 cells"):
        read_results(folder)


def test_nothing_is_ever_written_to_the_results(folder):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for case in cases_of(read_results(folder)):
        load(case)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_cells_are_grouped_by_what_was_replayed(tmp_path):
    """Other estimates make another case, whose title says so; seeds do not."""
    workload = workload_of(4, JOBS)
    for key, seed in (("a", 0), ("b", 1), ("c", 0)):
        write_cell(tmp_path, key, trace_of(workload, [0, 5, 15], "easy"), seed=seed)
    described = json.loads((tmp_path / "cells/c/cell.json").read_text())
    described["settings"]["workload"]["estimates"] = "actual"
    (tmp_path / "cells/c/cell.json").write_text(json.dumps(described))
    write_experiment(tmp_path, ["a", "b", "c"])
    cases = cases_of(read_results(tmp_path))
    assert [case.title for case in cases] == ["small (requested estimates)", "small (actual estimates)"]
    assert [len(case.cells) for case in cases] == [2, 1]
    assert list(load(cases[0]).jobs["easy"]) == [0, 1]
    assert cases[0].reference == "easy"


def test_a_label_that_is_taken_is_reported(tmp_path):
    """Two cells that tables could not tell apart: the first is shown, the second named."""
    workload = workload_of(4, JOBS)
    for key in ("a", "b"):
        write_cell(tmp_path, key, trace_of(workload, [0, 5, 15], "easy"))
    write_experiment(tmp_path, ["a", "b"])
    runs = load(cases_of(read_results(tmp_path))[0])
    assert list(runs.jobs) == ["easy"]
    assert runs.broken[0][0] == "b"
    assert "taken" in runs.broken[0][1]


def test_a_reference_may_be_known_by_its_name_only(tmp_path):
    """Such as EASY in spans, whose label tells that."""
    workload = workload_of(4, JOBS)
    write_cell(tmp_path, "a", trace_of(workload, [0, 5, 15], "easy"), "easy, 8 spans")
    write_experiment(tmp_path, ["a"])
    assert cases_of(read_results(tmp_path))[0].reference == "easy, 8 spans"


def test_months_follow_the_calendar_where_it_is_known(folder):
    """Second 0 is 1 January 2000, 00:00 UTC: second 2,678,400 is 1 February."""
    case = cases_of(read_results(folder))[0]
    submit = np.array([5, 2678399, 2678400, 2678400 + 29 * 86400])
    index, names = months(submit, case.unix_start, 0)
    assert (index.tolist(), names) == ([0, 1, 1, 2], ["month 1", "month 2", "month 3"])
    case.cells[0].workload["unix_start_time"] = 946684800
    index, names = months(submit, case.unix_start, 0)
    assert (index.tolist(), names) == ([0, 0, 1, 2], ["2000-01", "2000-02", "2000-03"])
