"""The figures of an experiment as tables for the terminal."""

import csv
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any, Literal

from rich import box
from rich.table import Table
from rich.text import Text

from planbatch.experiments.common.text import change, durations, number, share
from planbatch.experiments.studies.columns import REFERENCE
from planbatch.experiments.studies.metrics import Metric

#: Tables of more rows than this are cut short; summary.csv has all cells.
MOST_ROWS = 60
#: A heading, and the texts below it, or the unit of durations and their texts.
_Column = tuple[str, list[str] | tuple[str, list[str]]]
#: The columns of words.
_LEFT = ("workload", "estimates", "policy")
#: What the cells of one row have in common, and the figures that are averaged over their seeds.
_SAME = ("workload", "policy", "estimates", "spans", "capacity", "budget_seconds")
_FIGURES = ("mean_wait", "max_wait", "mean_bounded_slowdown", "utilisation")


def cell_table(folder: str | Path, metrics: Sequence[Metric] = ()) -> Table:
    """Lay out ``summary.csv``: one row per workload and policy, with means and ranges over the seeds.

    If EASY ran, the table has the change of the mean wait against it. Further metrics stand behind the usual ones.

    Parameters
    ----------
    folder : str or Path
        Results of an experiment.
    metrics : sequence of Metric
        Further columns.

    Examples
    --------
    >>> import tempfile
    >>> import planbatch as pb
    >>> from planbatch.experiments import cell_table
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pb.run_experiment(pb.Experiment([workload], ["fcfs", "easy"]), folder)
    ...     table = cell_table(folder)
    >>> table.row_count
    2
    """
    folder = Path(folder)
    rows = mean_rows(_rows(folder / "summary.csv"), [metric.name for metric in metrics])
    shown = rows[:MOST_ROWS]
    seeds = any(row["seeds"] > 1 for row in rows)
    changes = changed(rows)
    kinds = ["estimates"] if len({row["estimates"] for row in rows}) > 1 else []
    columns: list[_Column] = [
        *((name, [row[name] for row in shown]) for name in ("workload", *kinds)),
        ("policy", [row["policy"] + (" *" if row["budget_seconds"] else "") for row in shown]),
        ("mean\nwait", ranged(shown, "mean_wait")),
        *([("change", changes[:MOST_ROWS])] if any(changes) else []),
        ("max.\nwait", ranged(shown, "max_wait")),
        ("slowdown", [number(row["mean_bounded_slowdown"]) for row in shown]),
        *([] if seeds else [("used", [share(row["utilisation"]) for row in shown])]),
        *((metric.name, in_column(metric, shown)) for metric in metrics),
        *([("seeds", [str(row["seeds"]) for row in shown])] if seeds else []),
    ]
    table = laid_out(columns)
    notes = ["means over the seeds (least–most)"] if seeds else []
    if any(changes):
        notes.append("change: of the mean wait against EASY")
        if seeds:
            notes.append("planbatch report tells which changes are differences")
    if len(rows) > MOST_ROWS:
        notes.append(f"{len(rows) - MOST_ROWS} more rows: see summary.csv")
    if any(row["budget_seconds"] for row in rows):
        notes.append("* budget in seconds: the figures depend on the machine")
    table.caption = "; ".join(notes) or None
    return table


def laid_out(columns: list[_Column], title: str | None = None) -> Table:
    """Lay out columns of texts, or of durations and their unit, as a table; the columns of text aligned left."""
    table = Table(
        box=box.SIMPLE_HEAD, title=title, title_justify="left", show_edge=False, padding=0,
        caption_justify="left",
    )  # fmt: skip
    written = [
        (name, *(found if isinstance(found, tuple) else ("", found))) for name, found in columns
    ]
    heads = [f"{name}\n({unit})" if unit else name for name, unit, _ in written]
    most = max(head.count("\n") for head in heads)
    shown = []
    for head, (heading, _, texts) in zip(heads, written, strict=True):
        justify: Literal["left", "right"] = "left" if heading in _LEFT else "right"
        table.add_column("\n" * (most - head.count("\n")) + head, justify=justify, no_wrap=True)
        shown.append(texts)
    for cells in zip(*shown, strict=True):
        table.add_row(*(Text(cell) for cell in cells))
    return table


def ranged(rows: list[dict[str, Any]], figure: str) -> tuple[str, list[str]]:
    """Write the means of a duration in one unit; below those of several seeds, the least and the most."""
    ends = ("", "_low", "_high")
    unit, texts = durations([row[figure + end] for row in rows for end in ends])
    cells = zip(texts[::3], texts[1::3], texts[2::3], strict=True)
    return unit, [f"{mean}\n{low}–{high}" if low != high else mean for mean, low, high in cells]


def in_column(metric: Metric, rows: list[dict[str, Any]]) -> list[str] | tuple[str, list[str]]:
    """Write the values of a metric for a column: durations in one unit."""
    values = [row[metric.name] for row in rows]
    return durations(values) if metric.unit == "s" else [metric.written(value) for value in values]


def mean_rows(rows: list[dict[str, str]], metrics: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Average the figures of the cells that differ in their seeds only, in the order of the first of each."""
    groups: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in _SAME), []).append(row)
    return [
        {
            **own[0],
            **{
                name: mean([float(row[name] or "nan") for row in own])
                for name in (*_FIGURES, *metrics)
            },
            **{
                name + end: pick(float(row[name] or "nan") for row in own)
                for name in ("mean_wait", "max_wait")
                for end, pick in (("_low", min), ("_high", max))
            },
            "seeds": len(own),
        }
        for own in groups.values()
    ]


def changed(rows: list[dict[str, Any]]) -> list[str]:
    """Write the change of the mean wait of every row against EASY on the same workload; empty for EASY itself."""
    others = [name for name in _SAME if name not in ("policy", "budget_seconds")]
    # Labels say more than names, such as the number of spans.
    reference = {
        tuple(row[name] for name in others): row["mean_wait"]
        for row in rows
        if row["name"] == REFERENCE
    }
    texts = []
    for row in rows:
        base = reference.get(tuple(row[name] for name in others))
        other = base is not None and row["name"] != REFERENCE
        texts.append(change(row["mean_wait"], float(base or 0)) if other else "")
    return texts


def span_table(folder: str | Path) -> Table | None:
    """Lay out ``spans.csv``: the errors of the mean waits of split replays; None without that file.

    Parameters
    ----------
    folder : str or Path
        Results of an experiment whose replays were split.

    Examples
    --------
    >>> import tempfile
    >>> import planbatch as pb
    >>> from planbatch.experiments import span_table
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pb.run_experiment(pb.Experiment([workload], ["easy"]), folder)
    ...     print(span_table(folder))  # nothing was split
    None
    """
    folder = Path(folder)
    if not (folder / "spans.csv").exists():
        return None
    rows = [row for row in _rows(folder / "spans.csv") if row["metric"] == "mean_wait"]
    unit, texts = durations([float(row[name]) for name in ("whole", "split") for row in rows])
    return laid_out(
        [
            *((name, [row[name] for row in rows]) for name in ("workload", "policy", "spans")),
            ("warm-up", durations([float(row["warm_up"]) for row in rows])),
            ("whole", (unit, texts[: len(rows)])),
            ("split", (unit, texts[len(rows) :])),
            ("error", [f"{float(row['error']):+.2%}" if row["error"] else "–" for row in rows]),
        ],
        "error of split replays: mean wait",
    )


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
