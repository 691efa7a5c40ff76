"""Metrics by name, on a trace by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.report.page import make_report
from planbatch.experiments.runs.read import read_results
from planbatch.experiments.studies.compare import compare
from planbatch.experiments.studies.metrics import METRIC_NAMES, MetricError, as_metrics, make_metric, measure
from planbatch.experiments.workloads.lublin import synthetic_workload
from tests.builders import trace_of, workload_of


def by_hand():
    """Give four jobs of two users on four processors.

    ::

        4 |3 3 . . 4 4 4 4
        3 |1 1 2 2 4 4 4 4
        2 |1 1 2 2 4 4 4 4
        1 |1 1 2 2 4 4 4 4
           0   2   4       8

    Jobs 1 and 4 are of user 7, jobs 2 and 3 of user 8.
    """
    workload = workload_of(4, [(0, 3, 3, 2), (0, 3, 2, 2), (0, 1, 2, 2), (1, 4, 4, 4)])
    workload = workload.take(slice(None), user=np.array([7, 8, 8, 7]))
    trace = trace_of(workload, [0, 2, 0, 4])
    predicted = np.array([1, 2**60, 1, 8])
    return replace(
        trace, first_planned=np.array([0, 3, 0, 8]), last_planned=np.array([0, 2, 0, 1]), predicted=predicted
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mean-wait", (0 + 2 + 0 + 3) / 4),
        ("max-wait", 3),
        ("p50-wait", 1),
        ("p95-wait", 2.85),
        ("bounded-slowdown", 1),
        ("wait-percentile:100", 3),
        ("no-wait", 0.5),
        ("size-wait:3", 1),
        ("size-wait:procs=3-", 5 / 3),
        ("size-wait:1-3", 2 / 3),
        ("area-weighted-response", (6 * 2 + 6 * 4 + 2 * 2 + 16 * 7) / (6 + 6 + 2 + 16)),
        (
            "p2sf",
            (3 * 2**4 + 3 * (4**4 - 2**4) + 2**4 + 4 * (7**4 - 3**4))
            / (3 * 2**3 + 3 * (4**3 - 2**3) + 2**3 + 4 * (7**3 - 3**3)),
        ),
        # The jobs ran for 2, 2, 2 and 4 s; 1 and 3 outlived their predictions, of job 2 there is none but the request.
        ("prediction-error", (1 / 2 + 0 + 1 / 2 + 1 / 2) / 4),
        ("underestimated", 0.5),
        ("first-plan-delay", -5 / 4),
        ("first-plan-error", 5 / 4),
        ("first-plan-within", 1),
        ("first-plan-within:minutes=0.05", 3 / 4),
        ("first-plan-late:minutes=0", 0),
        ("first-plan-early:minutes=0.05", 1 / 4),
        ("last-plan-within:minutes=0.01", 3 / 4),
        ("last-plan-late:minutes=0.01", 1 / 4),
        ("last-plan-early:minutes=0", 0),
        # User 7 waited 3 s for 6 + 16 processor-seconds, user 8 2 s for 6 + 2; the mean of both is m.
        ("user-fairness", sum((1 + (3 / 22 + 2 / 8) / 2 - own) ** 2 for own in (3 / 22, 2 / 8))),
        ("makespan", 8),
        ("utilisation", 30 / 32),
    ],
)
def test_every_metric_by_hand(name, value):
    assert make_metric(name)(by_hand().to_frame()) == pytest.approx(value)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 9), st.integers(1, 9)), min_size=1))
def test_p2sf_lies_between_the_extremes_of_its_terms(jobs):
    """For one job it is at most 4/3 of the response, and it grows with the waits."""
    wait, run, procs = np.array(jobs).T
    frame = pd.DataFrame({"wait": wait, "runtime": run, "procs": procs})
    value = make_metric("p2sf")(frame)
    assert value <= 4 / 3 * float((wait + run).max()) + 1e-9
    assert value <= make_metric("p2sf")(frame.assign(wait=wait + 5))


def test_a_metric_of_the_users_own_is_a_column_everywhere(tmp_path):
    """By file, by function, with parameters and a unit; in the table, the frame and the summaries."""
    path = tmp_path / "mine.py"
    path.write_text(
        "def late(jobs, limit=60.0):\n    return (jobs['wait'] > limit).mean()\n"
        "late.unit = 'share'\nlate.more_is_better = True\n"
    )

    def jobs_run(jobs):
        return len(jobs)

    metrics = [f"{path}:late", f"{path}:late:limit=0", jobs_run, "p99-wait"]
    workload = synthetic_workload(jobs=200, capacity=32)
    comparison = compare(workload, ["fcfs", "easy"], metrics=metrics)
    names = ["late", "late:limit=0", "jobs-run", "p99-wait"]
    assert [metric.more_is_better for metric in as_metrics(metrics)] == [True, True, False, False]
    frame = comparison.to_frame()
    assert list(frame.columns)[-4:] == names
    for policy, trace in comparison.traces.items():
        wait = trace.start - workload.submit
        assert frame.loc[policy, "late"] == (wait > 60).mean()
        assert frame.loc[policy, "late:limit=0"] == (wait > 0).mean()
        assert frame.loc[policy, "jobs-run"] == 200
        assert frame.loc[policy, "p99-wait"] == np.percentile(wait, 99)
    assert f"{frame.loc['easy', 'late']:.1%}" in comparison._repr_html_()


def test_a_metric_that_fails_costs_nothing_else(tmp_path):
    """Its message names the line; the others have their values."""
    path = tmp_path / "mine.py"
    path.write_text("def bad(jobs):\n    return jobs['nothing'].sum()\n\ndef text(jobs):\n    return 'a'\n")
    messages = []
    metrics = as_metrics([f"{path}:bad", f"{path}:text", "mean-wait"])
    values = measure(by_hand().to_frame(), metrics, messages.append)
    assert np.isnan([values["bad"], values["text"]]).all()
    assert values["mean-wait"] == 1.25
    assert "mine.py, line 2" in messages[0]
    assert "metric bad: KeyError" in messages[0]
    assert "metric text: it returned str, not a number" in messages[1]


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (lambda _jobs: np.nan, "metric <lambda>: it has no value"),
        (lambda _jobs: "a", "metric <lambda>: it returned str"),
    ],
)
def test_in_python_a_metric_without_a_value_is_an_error(metric, message):
    workload = synthetic_workload(jobs=20, capacity=16)
    with pytest.raises(MetricError, match=message):
        compare(workload, ["easy"], metrics=[metric])


def test_a_metric_may_have_no_value_under_some_policies():
    def some(jobs):
        return np.nan if jobs.attrs["policy"] == "easy" else 1.0

    workload = synthetic_workload(jobs=20, capacity=16)
    frame = compare(workload, ["easy", "fcfs"], metrics=[some]).to_frame()
    assert frame["some"].isna().tolist() == [True, False]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["p95wait"], "metric: there is no 'p95wait'; did you mean p95-wait"),
        (["wait-percentile:q=x"], "q: 'x' is not a number"),
        (["p95-wait", "p95-wait"], "metric: p95-wait is given more than once"),
        ([3], "metric: 3 is neither a function nor a name"),
    ],
)
def test_what_is_no_metric_is_refused(names, message):
    with pytest.raises(ValueError, match=message):
        as_metrics(names)


def test_every_metric_has_a_line_of_description():
    """What ``planbatch list metrics`` prints."""
    assert all(about and not about.endswith(".") for _, _, about in METRIC_NAMES.entries())


@pytest.mark.integration
def test_the_report_has_further_metrics(grid, tmp_path):
    """From stored jobs, the same values as from the replay; a metric that fails leaves its column empty."""
    path = tmp_path / "mine.py"
    path.write_text("def bad(jobs):\n    return 1 / 0\n")
    messages = []
    results = read_results(grid)
    page = make_report(results, metrics=["p99-wait", "first-plan-error", f"{path}:bad"], notify=messages.append)
    summary = next(table for table in page.tables if table.name.endswith("-summary"))
    rows = {row["policy"]: row for row in summary.rows}
    for cell in results.cells:
        if cell.workload["jobs"] == 400:
            jobs = cell.jobs()
            expected = np.percentile(jobs.start - jobs.submit, 99)
            assert rows[cell.label]["p99-wait"] == pytest.approx(expected)
    assert rows["easy"]["first-plan-error"] == 0
    assert all("bad" not in row for row in rows.values())
    assert "mine.py, line 2" in messages[0]
