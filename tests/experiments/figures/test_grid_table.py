"""The terminal's table of an experiment: one row per workload and policy, means over seeds, changes."""

import csv

from rich.console import Console

from planbatch.experiments.figures.tables import cell_table, span_table

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
