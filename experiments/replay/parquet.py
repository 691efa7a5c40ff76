"""The jobs and rounds of a replay as Parquet, and back."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from planbatch.experiments.replay.trace import JOB_COLUMNS, RoundLog, Trace
from planbatch.planner.model import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

#: The columns of a workload that a table of jobs repeats.
_GIVEN = ("id", "user", "submit", "procs", "walltime", "runtime")
#: The columns of both tables.
JOBS = (*_GIVEN, "start", "end", "deadline", "promise", "first_planned")
ROUNDS = tuple(RoundLog.__dataclass_fields__)


def jobs_bytes(trace: Trace) -> bytes:
    """Write one row per job; times in seconds, ``NEVER`` for none."""
    sources: Any = dict.fromkeys(JOB_COLUMNS, trace)
    return _parquet({name: getattr(sources.get(name, trace.workload), name) for name in JOBS})


def rounds_bytes(trace: Trace) -> bytes:
    """Write one row per round; see :class:`RoundLog`."""
    return _parquet({name: getattr(trace.rounds, name) for name in ROUNDS})


def _parquet(columns: dict[str, Any]) -> bytes:
    """Write columns; equal columns give equal bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({name: np.ascontiguousarray(column) for name, column in columns.items()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def read_jobs(path: Path) -> dict[str, IntArray]:
    """Read a table of jobs: int64 arrays by name, shape (n,) each."""
    return _columns(path)


def read_rounds(path: Path) -> RoundLog:
    """Read a table of rounds."""
    return RoundLog(**_columns(path))


def _columns(path: Path) -> dict[str, Any]:
    import pyarrow.parquet as pq

    table: pa.Table = pq.read_table(path)
    return {name: table.column(name).to_numpy() for name in table.column_names}
