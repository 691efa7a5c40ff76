"""Reading logs in the Standard Workload Format, version 2.2.

The format is that of the Parallel Workloads Archive: comment lines start with a semicolon, every
other line is one job with 18 columns between blanks, -1 means "not known". (Chapin et al.,
"Benchmarks and Standards for the Evaluation of Parallel Job Schedulers", JSSPP 1999, and the
archive's own page on version 2.2.)
"""

import io
import math
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from planbatch.experiments.common.compressed import SUFFIXES, decompress, read_bytes
from planbatch.experiments.workloads.swf.log import FIELDS, FRACTIONAL, BadLine, SwfHeader, SwfLog
from planbatch.planner.model import MAX_VALUE

#: Endings of names that say what is in a file.
FORMATS = (".swf", ".csv", ".tsv", ".parquet")
#: Exact decimals are an option of pandas before 3.1; from then on they are the default and the option is deprecated.
_EXACT: dict[str, Any] = {}
if [int(part) for part in pd.__version__.split(".")[:2]] < [3, 1]:
    _EXACT["float_precision"] = "round_trip"


def log_name(path: Path) -> str:
    """Name a log: after its file, without the endings for the format and the compression."""
    name = Path(path.name)
    if name.suffix.lower() in SUFFIXES:
        name = Path(name.stem)
    return name.stem if name.suffix.lower() in FORMATS else name.name


def read_swf(path: str | Path, *, skip_bad_lines: bool = False) -> SwfLog:
    """Read a log in the Standard Workload Format, plain or compressed with gzip, xz, zstd or bzip2.

    Columns after the 18th stay as texts in ``further`` (``column_19`` …), fractions of seconds are kept, and a header
    may be missing.

    Parameters
    ----------
    path : str or Path
        The file. The compression is recognised from the content.
    skip_bad_lines : bool
        Skip lines that cannot be read and list them in ``skipped``, instead of raising.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is not a log, is empty, or has a line that cannot be read; the message names file, line, column and
        value.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> from planbatch.experiments import read_swf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "one.swf")
    ...     _ = file.write_text("1 0 0 80 4 -1 -1 4 100 -1 1 1 1 -1 -1 -1 -1 -1")
    ...     log = read_swf(file)
    >>> log.workload(capacity=4)
    Workload(one: 1 job, 4 processors)
    """
    path = Path(path)
    return parse_swf(
        decompress(read_bytes(path), str(path)), name=log_name(path), source=str(path), skip_bad_lines=skip_bad_lines
    )


def parse_swf(data: bytes, *, name: str, source: str | None = None, skip_bad_lines: bool = False) -> SwfLog:
    """Read the log that ``data`` (not compressed) holds; see :func:`read_swf`."""
    source = source or name
    start = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if b"\0" in start:
        raise ValueError(f"{source}: this is binary data, not a log in the Standard Workload Format; give a .swf file")
    if start.startswith(b"<"):
        raise ValueError(f"{source}: this is a web page, not a log in the Standard Workload Format; download it again")
    data = data.removeprefix(b"\xef\xbb\xbf")
    header = SwfHeader(_header_lines(data))
    skipped: list[BadLine] = []
    values = _values(data)
    if values is None:
        values, skipped = parse_lines(data, FIELDS, FRACTIONAL)
        if skipped and not skip_bad_lines:
            raise ValueError(
                f"{source}, {skipped[0].describe()}; "
                + (
                    "correct the line, or skip such lines with --skip-bad-lines"
                    if len(values)
                    else "is this a log in SWF?"
                )
            )
        if skipped and not len(values):
            raise ValueError(f"{source}: not one of its {len(skipped)} lines is a job; is this a log in SWF?")
    if not len(values):
        raise ValueError(f"{source}: the log holds no jobs")
    columns = {}
    for i, field_name in enumerate(FIELDS):
        column = np.ascontiguousarray(values[:, i], dtype=np.float64 if field_name in FRACTIONAL else np.int64)
        column.flags.writeable = False
        columns[field_name] = column
    further = further_columns(data, len(FIELDS), {bad.line for bad in skipped})
    return SwfLog(name, source, header, columns, tuple(skipped), further)


def _header_lines(data: bytes) -> tuple[str, ...]:
    """Return the comment lines before the first job."""
    match = re.match(rb"(?:[ \t]*(?:;[^\n]*)?\r?(?:\n|$))*", data)
    text = match[0] if match else b""
    try:
        lines = text.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        lines = text.decode("latin-1").splitlines()  # names in old logs may have accents
    return tuple(line.strip() for line in lines if line.strip())


def read_rows(text: IO[Any], **options: Any) -> pd.DataFrame:
    """Read a text whose first column is no index; ``options`` are those of :func:`pandas.read_csv`.

    Raises ``ValueError``, ``ParserError`` or ``OverflowError`` if pandas cannot read it.
    """
    return pd.read_csv(text, header=None, index_col=False, **_EXACT, **options)


def _values(data: bytes) -> NDArray[np.float64] | None:
    """All 18 columns at once, shape (lines, 18), or ``None`` if a line needs a closer look."""
    try:
        table = read_rows(
            io.BytesIO(data),
            sep=r"\s+",
            usecols=range(len(FIELDS)),
            names=range(len(FIELDS)),
            comment=";",
            dtype=np.float64,
            quoting=3,
            keep_default_na=False,
            na_values=[],
            encoding="latin-1",
        )
    except (ValueError, pd.errors.ParserError, OverflowError):
        return None
    values: NDArray[np.float64] = table.to_numpy(dtype=np.float64)
    whole = values[:, [i for i, name in enumerate(FIELDS) if name not in FRACTIONAL]]
    # Comparisons with NaN are false, so NaN is caught here as well.
    if ((values == 0) | (values == 1)).all(axis=0).any() and re.search(rb"(?i)true|false", data):
        return None  # pandas reads a column of such words as numbers
    readable = bool((np.abs(values) <= MAX_VALUE).all()) and bool((whole == np.floor(whole)).all())
    return values if readable else None


# Line by line: slower, but the error names line and column.


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
