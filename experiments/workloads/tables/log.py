"""From a table of jobs to a log, the form in which every kind of file enters."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planbatch.experiments.workloads.swf.log import FIELDS, FRACTIONAL, BadLine, SwfHeader, SwfLog
from planbatch.experiments.workloads.tables.columns import find_columns, parse_columns
from planbatch.experiments.workloads.tables.table import InputTable
from planbatch.experiments.workloads.tables.values import (
    Values,
    codes,
    durations,
    identifiers,
    moments,
    numbers,
    whole_numbers,
)
from planbatch.planner.model import BoolArray, FloatArray

NOT_STARTED = "not started"
_MOMENTS = ("submit", "start", "end", "deadline")
_DURATIONS = ("walltime", "runtime", "wait")
_WHOLE = ("processors", "allocated")
_CODES = ("user", "group", "queue", "partition")
_MEMORY = ("requested_memory", "used_memory")
#: Column of a log → fields of a table that fill it, the first one that the table has.
_SOURCES = {
    "submit": ("submit",),
    "wait": ("wait",),
    "runtime": ("runtime",),
    "used_procs": ("allocated", "processors"),
    "requested_procs": ("processors",),
    "requested_time": ("walltime",),
    "requested_memory": ("requested_memory",),
    "used_memory": ("used_memory",),
}


def log_of_table(
    table: InputTable,
    columns: Sequence[str] = (),
    timezone: str = "UTC",
    *,
    skip_bad_lines: bool = False,
    unusable: Mapping[str, BoolArray] | None = None,
) -> SwfLog:
    """Make a log of a table.

    ``columns`` has ``FIELD=COLUMN`` for columns that are not found by their names (:data:`FIELDS`), ``timezone`` is
    that of dates that have none, and ``unusable`` marks rows that are no finished jobs, by reason: bool arrays of shape
    (n,). Raises ``ValueError`` if a needed column is missing, or a value cannot be read (unless such rows are to be
    skipped); names file, line and column.
    """
    column_of = find_columns(table.source, list(table.frame.columns), parse_columns(columns))
    by_field = {field: _read(table, field, column, timezone) for field, column in column_of.items()
            if field not in (*_CODES, "id")}  # fmt: skip
    bad = _bad_rows(table, column_of, by_field)
    if bad and not skip_bad_lines:
        cure = "correct it, or skip such lines with --skip-bad-lines"
        raise ValueError(f"{table.source}, {bad[0].describe()}; {cure}")
    _check_zones(table, column_of, by_field)
    unreadable = {line.line for line in bad}
    keep = ~np.isin(table.lines, list(unreadable))
    if not keep.any():
        raise ValueError(f"{table.source}: the table holds no jobs")
    log = _log(table, column_of, {field: values.values for field, values in by_field.items()})
    header = log.header
    if by_field["submit"].dates:
        header = header.with_field("UnixStartTime", 0).with_field("TimeZoneString", timezone)
    marked = _not_started(by_field) if unusable is None else unusable
    log = replace(log, header=header, skipped=tuple(bad), unusable=marked)
    return log if keep.all() else log.take(keep)


def _read(table: InputTable, field: str, column: str, timezone: str) -> Values:
    """Read the column of a field as numbers."""
    values = table.frame[column]
    if field in _MOMENTS:
        return moments(values, timezone)
    if field in _DURATIONS:
        return durations(values)
    return whole_numbers(values) if field in _WHOLE else numbers(values)


def _bad_rows(table: InputTable, column_of: Mapping[str, str], by_field: Mapping[str, Values]) -> list[BadLine]:
    """Describe the rows that cannot be read, one value of each."""
    by_line = {bad.line: bad for bad in table.skipped}
    for field, values in by_field.items():
        wrong = values.wrong | (np.isnan(values.values) if field == "submit" else False)
        for index in np.flatnonzero(wrong).tolist():
            bad = table.bad(index, column_of[field], values.expected)
            by_line.setdefault(bad.line, bad)
    return [by_line[line] for line in sorted(by_line)]


def _check_zones(table: InputTable, column_of: Mapping[str, str], by_field: Mapping[str, Values]) -> None:
    """Refuse a table that has dates in one column, and numbers of seconds in another."""
    moments_read = {field: by_field[field] for field in _MOMENTS if field in by_field}
    has_values = {field: bool(np.isfinite(values.values).any()) for field, values in moments_read.items()}
    for field, values in moments_read.items():
        if has_values[field] and values.dates != by_field["submit"].dates:
            kinds = {True: "dates", False: "numbers"}
            raise ValueError(
                f"{table.source}: column {column_of['submit']} has {kinds[by_field['submit'].dates]}, but column "
                f"{column_of[field]} has {kinds[values.dates]}; give both in the same form"
            )


def _log(table: InputTable, column_of: Mapping[str, str], by_field: dict[str, FloatArray]) -> SwfLog:
    """Fill the columns of a log."""
    if "start" in by_field and "end" in by_field:
        lasted = by_field["end"] - by_field["start"]
        logged = by_field.get("runtime", lasted)
        by_field["runtime"] = np.where(np.isnan(logged), lasted, logged)
    if "wait" not in by_field and "start" in by_field:
        by_field["wait"] = by_field["start"] - by_field["submit"]
    n = len(table.frame)
    columns: dict[str, NDArray[Any]] = {name: np.full(n, -1.0 if name in FRACTIONAL else -1) for name in FIELDS}
    for name, sources in _SOURCES.items():
        values = next((by_field[field] for field in sources if field in by_field), None)
        if values is not None:
            columns[name] = np.where(np.isnan(values), -1, values).astype(columns[name].dtype)
    columns["job"] = identifiers(table.frame[column_of["id"]]) if "id" in column_of else np.arange(1, n + 1)
    header = table.header
    for field in _CODES:
        if field in column_of:
            columns[field], names = codes(table.frame[column_of[field]])
            if field in ("queue", "partition"):
                lines = tuple(f"; {field.capitalize()}: {k} {name}" for k, name in names.items())
                header = SwfHeader((*header.lines, *lines))
    further = {
        column: table.frame[column].to_numpy() for column in table.frame.columns if column not in column_of.values()
    }
    if "deadline" in by_field:
        further["deadline"] = by_field["deadline"]
    return SwfLog(table.name, table.source, header, columns, further=further)


def _not_started(by_field: Mapping[str, Values]) -> dict[str, BoolArray]:
    """Mark the rows that have neither a start nor a run time."""
    if "start" not in by_field:
        return {}
    start = by_field["start"].values
    runtime = by_field["runtime"].values if "runtime" in by_field else np.full(len(start), np.nan)
    return {NOT_STARTED: ~(start >= 0) & ~(runtime > 0)}
