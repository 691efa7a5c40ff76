"""The figures of an experiment as tables for the terminal."""

import csv
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.table import Table

from planbatch.experiments.metrics.catalogue import Metric
from planbatch.experiments.text import duration, number, share

#: Tables of more cells than this are cut short; summary.csv has all cells.
MOST_ROWS = 60


def cell_table(folder: Path, metrics: Sequence[Metric] = ()) -> Table:
    """Lay out ``summary.csv``: one row per cell, with further metrics behind the usual ones."""
    rows = _rows(folder / "summary.csv")
    seeds = len({row["seed"] for row in rows}) > 1
    table = Table(box=box.SIMPLE_HEAD)
    for name in ("workload", "policy", *(["seed"] if seeds else [])):
        table.add_column(name)
    for name in ("mean wait", "max. wait", "slowdown", "used", *(m.name for m in metrics)):
        table.add_column(name, justify="right")
    for row in rows[:MOST_ROWS]:
        policy = row["policy"] + (" *" if row["budget_seconds"] else "")
        table.add_row(
            row["workload"],
            policy,
            *([row["seed"]] if seeds else []),
            duration(float(row["mean_wait"])),
            duration(float(row["max_wait"])),
            number(float(row["mean_bounded_slowdown"])),
            share(float(row["utilisation"])),
            *(metric.written(float(row[metric.name] or "nan")) for metric in metrics),
        )
    notes = []
    if len(rows) > MOST_ROWS:
        notes.append(f"{len(rows) - MOST_ROWS} more cells in summary.csv")
    if any(row["budget_seconds"] for row in rows):
        notes.append("* budget in seconds: the figures depend on the machine")
    table.caption = "; ".join(notes) or None
    return table


def span_table(folder: Path) -> Table | None:
    """Lay out ``spans.csv``: the errors of the mean waits of split replays; None without that file."""
    if not (folder / "spans.csv").exists():
        return None
    table = Table(box=box.SIMPLE_HEAD, title="error of split replays: mean wait")
    for name in ("workload", "policy"):
        table.add_column(name)
    for name in ("spans", "warm-up", "whole", "split", "error"):
        table.add_column(name, justify="right")
    for row in _rows(folder / "spans.csv"):
        if row["metric"] == "mean_wait":
            table.add_row(
                row["workload"],
                row["policy"],
                row["spans"],
                duration(float(row["warm_up"])),
                duration(float(row["whole"])),
                duration(float(row["split"])),
                f"{float(row['error']):+.2%}" if row["error"] else "–",
            )
    return table


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
