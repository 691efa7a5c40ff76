"""Reading a log line by line: slower, but it can say what is wrong with which line."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planbatch.planner.model import MAX_VALUE


@dataclass(frozen=True)
class BadLine:
    """A line of a log that could not be read."""

    line: int  #: its number in the (decompressed) file, from 1
    column: int  #: number of the first wrong column, from 1
    field: str  #: name of that column
    value: str  #: the text of the column; empty if the line is too short
    reason: str  #: what is wrong with it
    what: str = "line"  # what messages call its place: ``line``, or ``row`` of a table that is no text

    def describe(self) -> str:
        """Describe the line and its error."""
        return f"{self.what} {self.line}, column {self.column} ({self.field}): {self.reason}"


def parse_lines(
    data: bytes, fields: Sequence[str], fractional: Collection[str]
) -> tuple[NDArray[np.float64], list[BadLine]]:
    """Read the columns ``fields`` line by line; those in ``fractional`` may hold fractions, further ones are ignored.

    Returns a float64 array of shape (good lines, len(fields)), and the other lines.
    """
    rows: list[list[float]] = []
    bad: list[BadLine] = []
    whole = [name not in fractional for name in fields]
    for number, raw in enumerate(data.decode("latin-1").split("\n"), start=1):
        words = raw.split(";", 1)[0].split()
        if not words:
            continue
        row: list[float] = []
        for i, word in enumerate(words[: len(fields)]):
            value, reason = _number(word, whole[i])
            if reason:
                bad.append(BadLine(number, i + 1, fields[i], word, reason))
                break
            row.append(value)
        else:
            if len(row) == len(fields):
                rows.append(row)
            else:
                n = len(row)
                reason = f"the line ends after {n} of {len(fields)} columns"
                bad.append(BadLine(number, n + 1, fields[n], "", reason))
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(fields)), bad


def further_columns(data: bytes, after: int, skipped: Collection[int]) -> dict[str, NDArray[np.object_]]:
    """Read the columns behind those of the format, as texts: ``column_19``, ``column_20`` …; none for most logs.

    ``after`` is the number of columns of the format; the lines ``skipped`` have no rows.
    """
    rows: list[list[str]] = []
    for number, raw in enumerate(data.decode("latin-1").split("\n"), start=1):
        words = raw.split(";", 1)[0].split()
        if not rows and len(words) == after:
            return {}
        if words and number not in skipped:
            rows.append(words[after:])
    width = max(map(len, rows), default=0)
    full = np.array([row + [""] * (width - len(row)) for row in rows], dtype=object)
    return {f"column_{after + 1 + k}": full[:, k] for k in range(width)}


def _number(word: str, whole: bool) -> tuple[float, str]:
    """Return ``word`` as a number, and what is wrong with it ("" for nothing)."""
    excerpt = repr(word if len(word) <= 40 else word[:40] + "…")
    try:
        value = float(word) if word.isascii() and "_" not in word else math.nan
    except ValueError:
        value = math.nan
    if math.isnan(value):
        return value, f"{excerpt} is not a number"
    if abs(value) > MAX_VALUE:
        return value, f"{excerpt} is too large"
    if whole and value != math.floor(value):
        return value, f"{excerpt} is not a whole number"
    return value, ""
