"""The one reader of the tables of a cell."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from planbatch.experiments.replay.trace import JOB_COLUMNS, RoundLog, Trace
from planbatch.experiments.replay.trace import ROUNDS as ROUND_COLUMNS
from planbatch.experiments.runs.store import JOBS, ROUNDS, ResultsError


def read_trace(folder: Path, described: Mapping[str, Any]) -> Trace:
    """Read the trace of a cell, without its workload, which is in the task."""
    jobs: dict[str, Any] = read_columns(folder / JOBS, JOB_COLUMNS)
    summary = described["summary"]
    return Trace(
        workload=None,  # type: ignore[arg-type]
        policy=summary["policy"],
        rounds=RoundLog(**read_columns(folder / ROUNDS, ROUND_COLUMNS)),
        seconds=summary["seconds"],
        **{name: jobs[name] for name in JOB_COLUMNS},
    )


def read_columns(
    path: Path, needed: tuple[str, ...], wanted: tuple[str, ...] = ()
) -> dict[str, NDArray[Any]]:
    """Read columns of a Parquet file; see :meth:`Cell.jobs` for the errors."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        raise ResultsError(f"{path} is missing; run the cell again")
    try:
        with pq.ParquetFile(path) as file:
            there = set(file.schema_arrow.names)
            absent = [name for name in needed if name not in there]
            if absent:
                raise ResultsError(
                    f"{path} has no column {absent[0]!r}; it was written by another version of planbatch"
                )
            table = file.read(columns=[*needed, *(name for name in wanted if name in there)])
        columns = {name: table[name].to_numpy() for name in table.column_names}
    except ResultsError:
        raise
    except (OSError, pa.ArrowException) as error:
        raise ResultsError(
            f"{path} is damaged ({first_line(error)}); delete the cell's folder and run it again"
        ) from error
    text = [name for name, column in columns.items() if column.dtype.kind not in "iuf"]
    if text:
        raise ResultsError(f"{path}: column {text[0]!r} holds no numbers; run the cell again")
    return columns


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, without a full stop."""
    return (str(error) or type(error).__name__).strip().split("\n")[0].rstrip(". ")
