"""The values of columns: numbers, durations, moments, identifiers and names.

Every function takes a column of texts, or of any type that pandas has for such values.
"""

import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype, is_timedelta64_dtype

from planbatch.experiments.workloads.tables.columns import UNKNOWN
from planbatch.planner.model import MAX_VALUE, NEVER, BoolArray, FloatArray, IntArray

#: ``1-02:03:04``, ``02:03:04``, ``03:04``, and what pandas writes: ``1 days 02:03:04``.
_CLOCK = r"^(?:(\d+)(?:-|\s+days?\s+))?(\d+)(?::(\d+))?(?::(\d+(?:\.\d*)?))?$"
_DATE = r"^\d{4}-\d{2}-\d{2}(?:\D|$)"
_WITH_ZONE = r"[T ].*(?:[Zz]|[+-]\d{2}(?::?\d{2})?)$"
_SECOND = pd.Timedelta(seconds=1)
_EPOCH = pd.Timestamp(0, tz="UTC")


class Values(NamedTuple):
    """A column as numbers."""

    values: FloatArray  #: shape (n,): the numbers, NaN if not known
    wrong: BoolArray  #: shape (n,): which values cannot be read
    expected: str  #: what they should be
    dates: bool = False  #: whether they are Unix times that were written as dates


def texts(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return a column as texts without blanks around them, empty if not known."""
    stripped = pd.Series([str(value).strip() for value in column.to_numpy(object)], column.index, dtype=object)
    return stripped.mask(stripped.str.lower().isin(UNKNOWN), "")


def numbers(column: "pd.Series[Any]") -> Values:
    """Read numbers."""
    if is_numeric_dtype(column):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        unknown = np.isnan(values)
    else:
        values = np.array(pd.to_numeric(column, errors="coerce"), dtype=np.float64)
        unknown = np.isnan(values)
        words = texts(column[unknown])
        values[unknown] = pd.to_numeric(words, errors="coerce")
        unknown[unknown] = (words == "").to_numpy(dtype=bool)
    readable = (np.abs(values) <= MAX_VALUE) | (values == NEVER)
    return Values(np.where(readable, values, np.nan), ~unknown & ~readable, "a number")


def whole_numbers(column: "pd.Series[Any]") -> Values:
    """Read whole numbers."""
    result = numbers(column)
    fraction = result.values != np.floor(result.values)
    wrong = result.wrong | (fraction & ~np.isnan(result.values))
    return Values(result.values, wrong, "a whole number")


def durations(column: "pd.Series[Any]") -> Values:
    """Read durations: numbers of seconds, HH:MM:SS, MM:SS, or D-HH:MM:SS."""
    expected = "a duration (seconds, HH:MM:SS or D-HH:MM:SS)"
    if is_timedelta64_dtype(column):
        seconds = column.dt.total_seconds().to_numpy(dtype=np.float64, na_value=np.nan)
        return Values(seconds, np.zeros(len(column), dtype=bool), expected)
    plain = numbers(column)
    if not plain.wrong.any():
        return plain._replace(expected=expected)
    words = texts(column)[plain.wrong]
    parts = words.str.extract(_CLOCK).astype(np.float64)
    days, one, two, three = (parts[i].to_numpy() for i in range(4))
    # Without days, two numbers are minutes and seconds, three are hours, minutes and seconds.
    in_minutes = np.isnan(days) & np.isnan(three)
    long = np.nan_to_num(one) * 3600 + np.nan_to_num(two) * 60 + np.nan_to_num(three)
    clock = np.where(in_minutes, one * 60 + two, np.nan_to_num(days) * 86400 + long)
    clock[np.isnan(one)] = np.nan
    values, wrong = plain.values.copy(), np.zeros(len(column), dtype=bool)
    values[plain.wrong] = clock
    wrong[plain.wrong] = np.isnan(clock)
    return Values(values, wrong, expected)


def moments(column: "pd.Series[Any]", timezone: str) -> Values:
    """Read moments: numbers of seconds, or dates and times (ISO 8601); those without a zone are of ``timezone``."""
    if is_datetime64_any_dtype(column):
        present = column.notna().to_numpy()
        return Values(_unix(column, timezone), np.zeros(len(present), dtype=bool), "a time", True)
    expected = "a number of seconds, or a date such as 2024-01-31T12:00:00"
    if is_numeric_dtype(column):
        return numbers(column)._replace(expected=expected)
    words = texts(column)
    first = next((text for text in words if text), "")
    if not re.match(_DATE, first):  # the column is meant to hold numbers
        return numbers(column)._replace(expected=expected)
    filled = (words != "").to_numpy(dtype=bool)
    dated = words.str.contains(_DATE).to_numpy(dtype=bool)
    zoned = words.str.contains(_WITH_ZONE).to_numpy(dtype=bool)
    values = np.full(len(words), np.nan)
    for which in (dated & zoned, dated & ~zoned):
        if which.any():
            utc = bool(zoned[which][0])
            dates = pd.to_datetime(words[which], format="ISO8601", errors="coerce", utc=utc)
            values[which] = _unix(dates, timezone)
    return Values(values, filled & np.isnan(values), "a date such as 2024-01-31T12:00:00", True)


def _unix(column: "pd.Series[Any]", timezone: str) -> FloatArray:
    """Unix times of a column of timestamps; of hours that a clock shows twice, the second one counts."""
    if column.dt.tz is None:
        twice = np.zeros(len(column), dtype=bool)
        column = column.dt.tz_localize(timezone, ambiguous=twice, nonexistent="shift_forward")
    return np.asarray((column - _EPOCH) / _SECOND, dtype=np.float64)


def identifiers(column: "pd.Series[Any]") -> IntArray:
    """Turn identifiers into numbers.

    Whole numbers stay as they are, also where several runs of a job have the same; of Batsim's identifiers, such as
    ``w0!17``, the number behind the mark counts. If that does not work for all, or two jobs would get the same number,
    jobs are numbered from 1.
    """
    result = whole_numbers(column)
    if not (result.wrong | np.isnan(result.values)).any():
        return result.values.astype(np.int64)
    last = texts(column).str.rpartition("!")[2]
    if last.str.fullmatch(r"-?\d{1,15}").all() and last.is_unique:
        return np.asarray(last.astype(np.int64))
    return np.arange(1, len(column) + 1)


def codes(column: "pd.Series[Any]") -> tuple[IntArray, dict[int, str]]:
    """Number names from 1 in the order of their first use (-1 if unknown); return numbers and names.

    Whole numbers stay as they are, and have no names.
    """
    result = whole_numbers(column)
    if not result.wrong.any():
        return np.where(np.isnan(result.values), -1, result.values).astype(np.int64), {}
    words = texts(column)
    numbered, names = pd.factorize(words.mask(words == "", None))
    return np.where(numbered < 0, -1, numbered + 1), dict(enumerate(map(str, names), start=1))
