"""The tables of all cells: metrics, timings, and the error of split replays."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from planbatch.experiments.common.text import Notify, silent
from planbatch.experiments.runs.read import read_trace
from planbatch.experiments.runs.store import Store
from planbatch.experiments.studies.cells import Cell
from planbatch.experiments.studies.metrics import Metric, measure
from planbatch.experiments.workloads.describe import dropped_text

#: The metrics that are compared if a split log was also replayed as a whole.
METRICS = ("mean_wait", "max_wait", "mean_bounded_slowdown", "mean_stretch", "utilisation")
_SETTINGS = ("workload", "policy", "name", "objective", "optimizer", "evaluations", "budget_seconds",
             "promise", "estimates", "seed", "spans", "capacity", "left_out", "walltimes")  # fmt: skip

Row = dict[str, Any]


def write_tables(
    store: Store,
    cells: Sequence[Cell],
    records: Mapping[str, Any],
    metrics: Sequence[Metric] = (),
    notify: Notify = silent,
) -> None:
    """Write ``summary.csv``, ``summary.parquet``, ``timings.csv``, and ``spans.csv`` if logs are split.

    Nothing in the summary depends on the clock or on the machine. Further metrics are columns behind the others.
    """
    rows = [
        {**summary_row(cell, records[cell.key]), **further_metrics(store, cell, records[cell.key], metrics, notify)}
        for cell in cells
        if cell.key in records
    ]
    store.write("summary.parquet", _parquet(rows))
    store.write("timings.csv", _csv([timing_row(cell, records[cell.key]) for cell in cells if cell.key in records]))
    errors = span_errors(cells, records)
    if errors:
        store.write("spans.csv", _csv(errors))
    else:
        (store.folder / "spans.csv").unlink(missing_ok=True)
    store.write("summary.csv", _csv(rows))


def summary_row(cell: Cell, record: Mapping[str, Any]) -> Row:
    """Return the row of a cell: its settings and its metrics."""
    settings = cell.settings()
    policy, span = settings["policy"], settings["span"]
    values = (
        settings["workload"]["name"], policy["label"], policy["name"], policy["objective"],
        policy["optimizer"], policy["evaluations"], policy["seconds"], policy["promise"],
        settings["workload"]["estimates"], cell.seed, span and span["count"], cell.workload.jobs.capacity,
        dropped_text(cell.workload.jobs), settings["workload"]["walltimes"],
    )  # fmt: skip
    figures = {name: value for name, value in record["summary"].items() if name not in ("policy", "seconds")}
    return {"key": cell.key, **dict(zip(_SETTINGS, values, strict=True)), **figures}


def further_metrics(
    store: Store, cell: Cell, record: Mapping[str, Any], metrics: Sequence[Metric], notify: Notify
) -> Row:
    """Return the further metrics of a cell, empty for one that fails."""
    if not metrics:
        return {}
    trace = cell.whole.whole(read_trace(store.folder_of(cell.key), record))
    values = measure(trace.to_frame(), metrics, lambda line: notify(f"{line} ({cell.name})"))
    return {name: None if value != value else value for name, value in values.items()}


def timing_row(cell: Cell, record: Mapping[str, Any]) -> Row:
    """Return the timings of a cell: the replay, and the whole task (s)."""
    machine = record["machine"]
    return {
        "key": cell.key,
        "workload": cell.workload.name,
        "policy": cell.label,
        "seed": cell.seed,
        "seconds": record["summary"]["seconds"],
        "task_seconds": machine.get("task_seconds"),
        "host": machine.get("host"),
    }


def span_errors(cells: Sequence[Cell], records: Mapping[str, Any]) -> list[Row]:
    """Compare every split cell with the same one replayed as a whole, if there is one."""
    whole = {(id(cell.workload), id(cell.policy), cell.seed): cell for cell in cells if not cell.spans}
    rows = []
    for cell in cells:
        other = whole.get((id(cell.workload), id(cell.policy), cell.seed))
        if not cell.spans or other is None or not {cell.key, other.key} <= records.keys():
            continue
        ours, theirs = records[cell.key]["summary"], records[other.key]["summary"]
        for metric in METRICS:
            error = (ours[metric] - theirs[metric]) / theirs[metric] if theirs[metric] else None
            rows.append(
                {
                    "workload": cell.workload.name,
                    "policy": other.label,
                    "seed": cell.seed,
                    "spans": cell.spans.count,
                    "warm_up": cell.spans.warm_up,
                    "cool_down": cell.spans.cool_down,
                    "metric": metric,
                    "whole": theirs[metric],
                    "split": ours[metric],
                    "error": error,
                }
            )
    return rows


def _columns(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _csv(rows: Sequence[Row]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, _columns(rows), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _parquet(rows: Sequence[Row]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = _columns(rows)
    # Columns that may be entirely empty need a type all the same.
    kinds = {"objective": pa.string(), "optimizer": pa.string(), "evaluations": pa.int64(),
             "budget_seconds": pa.float64(), "spans": pa.int64(), "walltimes": pa.string()}  # fmt: skip
    columns = {name: pa.array([row.get(name) for row in rows], kinds.get(name)) for name in names}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return bytes(sink.getvalue())
