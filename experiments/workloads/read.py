"""Reading a log of any kind: SWF, tables, Slurm's accounting, and journals, recognised by their content."""

from collections.abc import Sequence
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from planbatch.experiments.common.compressed import decompress, read_bytes
from planbatch.experiments.workloads.journal import jobs_of_journal
from planbatch.experiments.workloads.journal_lines import is_journal
from planbatch.experiments.workloads.presets import table_of_swf, with_preset
from planbatch.experiments.workloads.sacct import is_sacct, jobs_of_sacct
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.swf.read import log_name, parse_swf
from planbatch.experiments.workloads.tables.log import log_of_table
from planbatch.experiments.workloads.tables.table import SEPARATORS, table_of_parquet, table_of_text

#: First bytes of a Parquet file.
_PARQUET = b"PAR1"


def read_log(
    path: str | Path,
    columns: Sequence[str] = (),
    timezone: str = "UTC",
    *,
    preset: str = "",
    skip_bad_lines: bool = False,
) -> SwfLog:
    """Read a log: in the Standard Workload Format, as a table (CSV or Parquet), or as sacct prints it.

    The journal of a live cluster is one, too: its finished jobs, in all of its parts.

    Texts may be compressed with gzip, xz, zstd or bzip2.

    Parameters
    ----------
    path : str or Path
        The file; its content says what it is.
    columns : sequence of str
        ``FIELD=COLUMN`` for columns of a table that are not found by their names; see :data:`FIELDS`.
    timezone : str
        Time zone of dates that have none.
    preset : str
        What the columns mean: a name of :data:`PRESETS`, or ``FILE.py:NAME``.
    skip_bad_lines : bool
        Skip lines that cannot be read and list them in ``skipped``, instead of raising.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is not a log, or has a line that cannot be read; the message names file, line and column.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> from planbatch.experiments import read_log
    >>> table = '''submit,procs,walltime,runtime
    ... 0,4,100,80
    ... 10,2,50,50'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "two.csv")
    ...     _ = file.write_text(table)
    ...     log = read_log(file)
    >>> log.workload(capacity=4)
    Workload(two: 2 jobs, 4 processors, submitted in 10 s)
    """
    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"timezone: there is no {timezone!r}; give UTC or a name such as Europe/Berlin") from None
    path = Path(path)
    data = decompress(read_bytes(path), str(path))
    first = _first_line(data)
    if is_journal(first):
        table, unfinished = jobs_of_journal(path, path.name.partition(".")[0])
        return log_of_table(table, columns, timezone, unusable=unfinished)
    unusable = None
    if data.startswith(_PARQUET):
        table = table_of_parquet(data, log_name(path), str(path))
    elif _is_table(first):
        table = table_of_text(data, log_name(path), str(path))
        if is_sacct(first) and not preset:
            table, unusable = jobs_of_sacct(table)
    else:
        if columns and not preset:
            raise ValueError(f"column: {path} is a log in SWF, whose columns have no names")
        log = parse_swf(data, name=log_name(path), source=str(path), skip_bad_lines=skip_bad_lines)
        if not preset:
            return log
        table = table_of_swf(log)
    table = with_preset(table, preset)
    return log_of_table(table, columns, timezone, skip_bad_lines=skip_bad_lines, unusable=unusable)


def _is_table(line: str) -> bool:
    """Whether a text begins with names between separators; a log in SWF begins with a number or a semicolon."""
    return (line[0].isalpha() or line[0] in "\"'_") and any(separator in line for separator in SEPARATORS)


def _first_line(data: bytes) -> str:
    """Return the first line that is neither blank nor a comment of a table."""
    for line in data[:65536].removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if line.strip() and not line.startswith(b"#"):
            return line.decode("latin-1").strip()
    return "; nothing"
