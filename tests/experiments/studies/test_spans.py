"""Splitting logs: what counts where, and what the error is."""

import json

import numpy as np
import pandas as pd
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments import Experiment, Spans, run_experiment
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.replay.spans import split
from planbatch.experiments.replay.trace import JOBS, ROUNDS
from planbatch.experiments.runs.read import read_columns
from planbatch.experiments.workloads.lublin import synthetic_workload
from tests.builders import workload_of
from tests.experiments.studies.grids import small, tables


@pytest.fixture(scope="module")
def busy():
    return synthetic_workload(jobs=400, capacity=64, seed=5, load=0.8)


def test_each_job_counts_in_exactly_one_span(busy):
    """Spans follow each other, and reach into their neighbours for warm-up and cool-down."""
    day = 86400
    spans = split(busy, Spans(5, warm_up=day, cool_down=day // 2))
    edges = [span.own for span in spans]
    assert [first for first, _ in edges] == [0, *(last for _, last in edges[:-1])]
    assert edges[-1][1] == 400
    for span in spans:
        assert 40 < span.own[1] - span.own[0] < 130
        begin, end = busy.submit[span.replayed[0]], busy.submit[span.replayed[1] - 1]
        assert begin >= busy.submit[span.own[0]] - day or span.index == 0
        if span.own[1] < 400:
            assert end < busy.submit[span.own[1]] + day // 2
        assert span.replayed[0] <= span.own[0]
        assert span.replayed[1] >= span.own[1]


def test_cuts_lie_where_nobody_waits():
    """Two bursts with a pause between them: the cut lies in the pause, though the bursts differ in size.

    ::

        2 |1 1 1 2 2 2 . . . .  4 4 . .
        1 |3 3 3 . . . . . . .  5 5 6 6     (processors over time; 6 waits)
    """
    burst = [(0, 1, 3), (0, 1, 3), (0, 1, 3), (0, 1, 3), (0, 1, 3), (0, 1, 3)]
    later = [(100, 1, 2), (100, 1, 2), (100, 1, 2), (100, 1, 2), (100, 1, 2)]
    spans = split(workload_of(2, burst + later), Spans(2, 0, 0))
    assert [span.own for span in spans] == [(0, 6), (6, 11)]
    assert [span.replayed for span in spans] == [(0, 6), (6, 11)]


def test_jobs_submitted_together_stay_together():
    """A cut has a place in time, not only in the list."""
    jobs = [(t, 1, 50) for t in (0, 0, 0, 0, 5, 5, 5, 5)]
    assert [span.own for span in split(workload_of(1, jobs), Spans(2, 0, 0))] == [(0, 4), (4, 8)]


def test_more_spans_than_jobs():
    with pytest.raises(ValueError, match="small has 2 jobs, fewer than 3 spans"):
        split(workload_of(1, [(0, 1, 1), (1, 1, 1)]), Spans(3))


@pytest.mark.parametrize("name", ["warm_up", "cool_down"])
@pytest.mark.parametrize("value", [-1, 10**30])
def test_what_surrounds_a_span_is_a_time(name, value):
    with pytest.raises(ValueError, match=f"spans: {name} is {value} s, outside 0 … "):
        Spans(2, **{name: value})


def test_independent_bursts_are_replayed_without_error(tmp_path):
    """Where nothing is handed over from span to span, split and whole replays agree in every start."""
    jobs = [(1000 * burst + i, 1 + i % 2, 20 + i, 10 + i) for burst in range(4) for i in range(8)]
    workload = workload_of(2, jobs)
    ways = Spans(4, warm_up=0, cool_down=0, compare=True)
    report = run_experiment(Experiment([workload], ["easy", "conservative"], spans=ways), tmp_path)
    by_label = {c["settings"]["policy"]["label"]: c for c in report.records.values()}
    assert set(by_label) == {"easy", "easy, 4 spans", "conservative", "conservative, 4 spans"}
    for name in ("easy", "conservative"):
        whole, parts = by_label[name], by_label[f"{name}, 4 spans"]
        assert whole["files"] == parts["files"]
        assert parts["settings"]["span"] == {"count": 4, "warm_up": 0, "cool_down": 0}
        assert len(parts["machine"]["spans"]) == 4
    errors = pd.read_csv(tmp_path / "spans.csv")
    assert (errors["error"].fillna(0) == 0).all()
    assert set(errors["metric"]) >= {"mean_wait", "max_wait"}


def test_warm_up_lowers_the_error(tmp_path, busy):
    """A span that begins on an idle machine has shorter waits; with all that came before, none of its starts differ."""
    whole = replay(busy, make_policy("easy"))
    deviations = []
    for warm_up in (0, 10 * 86400, 10**9):
        grid = Experiment([busy], ["easy"], spans=Spans(6, warm_up, 10**9))
        report = run_experiment(grid, tmp_path / str(warm_up))
        (key,) = report.records
        jobs = read_columns(tmp_path / str(warm_up) / "cells" / key / "jobs.parquet", JOBS)
        np.testing.assert_array_equal(jobs["id"], busy.id)
        deviations.append(np.abs(jobs["start"] - whole.start).mean())
        rounds = read_columns(tmp_path / str(warm_up) / "cells" / key / "rounds.parquet", ROUNDS)
        assert (np.diff(rounds["time"]) > 0).all()
    assert deviations[0] > deviations[1] >= deviations[2] == 0
    np.testing.assert_array_equal(rounds["time"], whole.rounds.time)


@pytest.mark.integration
def test_spans_on_two_workers(tmp_path):
    """The spans of one replay run side by side; the tables are those of one worker."""
    for jobs in (1, 2):
        ways = [Spans(2, 3600, 0), Spans(4, 3600, 0)]
        run_experiment(small(ways), tmp_path / str(jobs), jobs=jobs, backend="threading")
    assert tables(tmp_path / "1") == tables(tmp_path / "2")
    labels = list(pd.read_csv(tmp_path / "1" / "summary.csv")["policy"])
    assert labels == ["easy, 2 spans", "easy, 4 spans", "plan-wait, 2 spans", "plan-wait, 4 spans"]
    part = next((tmp_path / "1" / "spans").glob("*/cell.json"))
    span = json.loads(part.read_text())["settings"]["span"]
    assert {"index", "count", "own", "replayed", "warm_up", "cool_down"} <= span.keys()


def test_only_the_own_rounds_count(busy):
    """A trace of the jobs from 100 to before 200, and of the rounds between their submissions."""
    trace = replay(busy, make_policy("easy"))
    own = trace.part(100, 200)
    assert len(own.workload) == len(own.start) == 100
    assert own.rounds.time.min() >= busy.submit[100]
    assert own.rounds.time.max() < busy.submit[200]
    rest = [trace.part(0, 100), own, trace.part(200, 400)]
    assert sum(len(part.rounds) for part in rest) == len(trace.rounds)
