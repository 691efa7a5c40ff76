"""A table of jobs as read: named columns, and the line of each row."""

import codecs
import csv
import io
import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from planbatch.experiments.workloads.swf.log import BadLine, SwfHeader
from planbatch.experiments.workloads.swf.read import read_rows
from planbatch.experiments.workloads.tables.columns import FIELDS, column_key
from planbatch.planner.display import short_repr
from planbatch.planner.model import BoolArray, IntArray

#: The separators of text tables; the most frequent one in the first line counts.
SEPARATORS = ",|;\t"


@dataclass(frozen=True)
class InputTable:
    """A table of jobs."""

    name: str  #: its name: that of the file without endings
    source: str  #: what messages call it
    header: SwfHeader  #: its comments, or what its metadata says, as header lines of a log
    frame: pd.DataFrame  #: one row per job, the columns as read: texts, numbers, times
    lines: IntArray  #: shape (n,): the line of each row in a text, or the row's number, from 1
    skipped: tuple[BadLine, ...] = ()  #: rows that could not be read
    row: str = "line"  #: what messages call a place: ``line`` or ``row``

    def cell_text(self, index: int, column: str) -> str:
        """Return a value as a text, empty if there is none."""
        value = self.frame[column].iloc[index]
        return "" if pd.isna(value) else str(value)

    def bad(self, index: int, column: str, expected: str) -> BadLine:
        """Describe a value that cannot be read."""
        number = list(self.frame.columns).index(column) + 1
        text = self.cell_text(index, column)
        reason = f"{short_repr(text)} is not {expected}"
        return BadLine(int(self.lines[index]), number, column, text, reason, self.row)

    def only(self, keep: BoolArray) -> "InputTable":
        """Keep the rows of a mask."""
        frame = self.frame[keep].reset_index(drop=True)
        return replace(self, frame=frame, lines=self.lines[keep])


def table_of_text(data: bytes, name: str, source: str) -> InputTable:
    """Read a text table: comments (``# Key: value``), a line of column names, and one line per job.

    Raises ``ValueError`` if it holds no jobs, or two columns have the same name.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ValueError(f"{source}: this is text in UTF-16; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.strip() and line[0] != "#"), len(lines))
    if first == len(lines):
        raise ValueError(f"{source}: the table holds no jobs")
    comments = tuple(f"; {line.lstrip('# ')}" for line in lines[:first] if line.strip())
    separator = max(SEPARATORS, key=lines[first].count)
    names = [column.strip() for column in next(csv.reader([lines[first]], delimiter=separator))]
    twice = next((column for column in names if names.count(column) > 1), None)
    if twice is not None:
        raise ValueError(f"{source}, line {first + 1}: there are two columns {twice!r}")
    rows = lines[first + 1 :]
    frame = _all_at_once(rows, names, separator)
    numbers = first + 2 + np.flatnonzero([bool(row.strip()) for row in rows])
    skipped: list[BadLine] = []
    if frame is None:
        frame, numbers, skipped = _row_by_row(rows, names, separator, first + 1)
    if "" in names:  # sacct --parsable ends its lines with a separator
        frame = frame.drop(columns="")
    return InputTable(name, source, SwfHeader(comments), frame, numbers, tuple(skipped))


def _all_at_once(rows: list[str], names: list[str], separator: str) -> pd.DataFrame | None:
    """Read the rows of a table, or return None if one needs a closer look; identifiers stay texts."""
    full = [row for row in rows if row.strip()]
    text = "\n".join(full)
    if not full or '"' in text or text.count(separator) != len(full) * (len(names) - 1):
        return None
    identifiers = {name: str for name in names if column_key(name) in FIELDS["id"]}
    try:
        return read_rows(
            io.StringIO(text), sep=separator, names=names, dtype=identifiers, quoting=csv.QUOTE_NONE, low_memory=False
        )
    except (ValueError, pd.errors.ParserError):
        return None


def _row_by_row(
    rows: list[str], names: list[str], separator: str, before: int
) -> tuple[pd.DataFrame, IntArray, list[BadLine]]:
    """Read the rows of a table as texts; return their lines, and those that have another number of columns."""
    reader = csv.reader(
        io.StringIO("\n".join(rows)),
        delimiter=separator,
        quoting=csv.QUOTE_NONE if separator == "|" else csv.QUOTE_MINIMAL,
    )
    good, numbers, bad = [], [], []
    for row in reader:
        if len(row) == len(names):
            good.append(row)
            numbers.append(before + reader.line_num)
        elif any(cell.strip() for cell in row):
            at = min(len(row), len(names) - 1)
            reason = f"the line has {len(row)} columns instead of {len(names)}"
            bad.append(BadLine(before + reader.line_num, at + 1, names[at], "", reason))
    frame = pd.DataFrame(good, columns=names, dtype=object)
    return frame, np.array(numbers, dtype=np.int64), bad


def table_of_parquet(data: bytes, name: str, source: str) -> InputTable:
    """Read a Parquet file; its metadata may have the processors of the machine; ``ValueError`` if it is damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # Columns of lists, such as power over time or embeddings, are most of some files, and no column of a log.
        schema = pq.read_schema(pa.BufferReader(data))
        flat = [field.name for field in schema if not pa.types.is_nested(field.type)]
        content = pq.read_table(pa.BufferReader(data), columns=flat)
        frame = content.to_pandas()  # reads metadata, which may be damaged in any way
        metadata = content.schema.metadata or {}
        attributes: dict[str, Any] = {}
        for key in (b"PANDAS_ATTRS", b"planbatch"):  # written by pandas, and by planbatch convert
            attributes |= json.loads(metadata.get(key, b"{}"))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, pa.ArrowException) as error:
        why = str(error).strip().split("\n")[0].rstrip(". ")
        raise ValueError(f"{source}: this Parquet file cannot be read ({why})") from error
    lines = (f"; MaxProcs: {attributes['capacity']}",) if "capacity" in attributes else ()
    return replace(table_of_frame(frame, str(attributes.get("name", name)), source), header=SwfHeader(lines))


def table_of_frame(frame: pd.DataFrame, name: str, source: str) -> InputTable:
    """Take a data frame."""
    columns = frame.rename(columns=str).reset_index(drop=True)
    numbers = np.arange(1, len(frame) + 1)
    return InputTable(name, source, SwfHeader(), columns, numbers, row="row")
