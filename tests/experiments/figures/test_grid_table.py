"""The terminal's table of an experiment, and the pairs of objectives that are drawn against each other."""

import csv

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.figures.comparison import draw_trade_off
from planbatch.experiments.figures.panels import pareto_front
from planbatch.experiments.figures.tables import cell_table, span_table
from planbatch.experiments.studies.compare import compare
from planbatch.experiments.workloads.lublin import synthetic_workload

FIELDS = ("workload", "policy", "name", "estimates", "spans", "capacity", "budget_seconds", "seed",
          "mean_wait", "max_wait", "mean_bounded_slowdown", "utilisation")  # fmt: skip


def printed(table):
    """Print a table as text, one list of words per line."""
    console = Console(width=100)
    with console.capture() as captured:
        console.print(table)
    return [line.split() for line in captured.get().splitlines()]


def write_summary(folder, rows):
    """Write a ``summary.csv`` of (policy, seed, mean wait, maximum wait[, workload])."""
    with (folder / "summary.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        for policy, seed, mean_wait, max_wait, *workload in rows:
            name = workload[0] if workload else "log"
            settings = [name, policy, policy, "requested", "", 8, "", seed]
            writer.writerow([*settings, mean_wait, max_wait, 2.5, 0.75])


def test_seeds_share_a_row_with_their_means(tmp_path):
    """EASY waits 2 h whatever the seed; a plan 1 h and 2 h: 1.5 h in the mean, a quarter less."""
    write_summary(
        tmp_path,
        [("easy", 0, 7200, 90000), ("easy", 1, 7200, 90000), ("plan", 0, 3600, 200000), ("plan", 1, 7200, 400000)],
    )
    lines = printed(cell_table(tmp_path))
    assert ["log", "easy", "2.0", "1.0", "2.50", "2"] in lines
    plan = lines.index(["log", "plan", "1.5", "-25.0%", "3.5", "2.50", "2"])
    assert lines[plan + 1] == ["1.0–2.0", "2.3–4.6"]
    assert lines[2][1:] == ["policy", "(h)", "change", "(d)", "slowdown", "seeds"]
    assert any(" ".join(line).startswith("means over the seeds (least–most); change") for line in lines)


def test_changes_are_against_easy_on_the_same_workload(tmp_path):
    """On a workload without EASY there is none; without EASY anywhere, there is no such column."""
    rows = [("easy", 0, 100, 500), ("fcfs", 0, 150, 900), ("fcfs", 0, 300, 900, "other")]
    write_summary(tmp_path, rows)
    lines = printed(cell_table(tmp_path))
    assert ["log", "fcfs", "2.5", "+50.0%", "15.0", "2.50", "75.0%"] in lines
    assert ["other", "fcfs", "5.0", "15.0", "2.50", "75.0%"] in lines
    write_summary(tmp_path, rows[1:])
    assert all("change" not in line for line in printed(cell_table(tmp_path)))


def test_long_tables_are_cut(tmp_path):
    """Sixty rows, and how many more there are."""
    write_summary(tmp_path, [(f"policy-{i}", 0, 100, 500) for i in range(75)])
    lines = printed(cell_table(tmp_path))
    assert sum("log" in line for line in lines) == 60
    assert any(line[:3] == ["15", "more", "rows:"] for line in lines)


def test_without_spans_there_is_no_table_of_errors(tmp_path):
    """Logs that are not split have no error."""
    assert span_table(tmp_path) is None


def test_errors_of_split_logs_have_one_unit(tmp_path):
    """Whole and split are compared in the same unit."""
    (tmp_path / "spans.csv").write_text(
        "workload,policy,seed,spans,warm_up,cool_down,metric,whole,split,error\n"
        "log,easy,0,4,86400,0,mean_wait,7200,9000,0.25\n"
        "log,easy,0,4,86400,0,max_wait,7200,9000,0.25\n"
    )
    table = span_table(tmp_path)
    assert table is not None
    assert ["log", "easy", "4", "24.0", "2.0", "2.5", "+25.00%"] in printed(table)


# Mean against maximum wait: the front, several promises in one comparison, the picture and its ticks.


COSTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14)


@given(COSTS)
def test_front_against_brute_force(costs):
    """A point is on the front if no other is better in one cost and no worse in the other; ties are many here."""
    expected = [not any(a <= c and b <= d and (a, b) != (c, d) for a, b in costs) for c, d in costs]
    assert pareto_front(np.array(costs, dtype=float)).tolist() == expected


def test_front_by_hand():
    """Stairs of three points; one above them, one equal to a stair.

    ::

        3 | x              1: (1, 3)  2: (2, 2)  3: (2, 2)  4: (3, 2)  5: (4, 0)
        2 |    xx  .
        0 |           x
    """
    costs = np.array([(1.0, 3.0), (2.0, 2.0), (2.0, 2.0), (3.0, 2.0), (4.0, 0.0)])
    assert pareto_front(costs).tolist() == [True, True, True, False, True]


def test_one_policy_with_several_promises():
    """Each has a name and a point; a promise changes no other policy's replay."""
    workload = synthetic_workload(jobs=150, capacity=64, load=0.9)
    promised = make_policy("plan-wait", promise="2x")
    comparison = compare(workload, ["easy", "plan-wait", promised])
    names = ["easy", "plan-wait, no promise", "plan-wait, promise 2x"]
    assert list(comparison.finished) == [row["policy"] for row in comparison.summaries] == names
    alone = compare(workload, [promised])
    assert alone.metrics["plan-wait"] == comparison.metrics[names[2]]
    axes = draw_trade_off(comparison)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == names
