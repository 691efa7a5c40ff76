"""The jobs and rounds of a replay as Parquet, and back."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from planbatch.experiments.replay.replay import RoundLog, Trace
from planbatch.planner.model import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

#: The columns of a workload that a table of jobs repeats.
_GIVEN = ("id", "user", "submit", "procs", "walltime", "runtime")
#: The columns of both tables.
JOBS = (*_GIVEN, "start", "end", "deadline", "promise", "first_planned")
ROUNDS = ("time", "waiting", "running", "started", "evaluations", "seed_cost", "cost")


def jobs_bytes(trace: Trace) -> bytes:
    """Write one row a job; times in seconds, ``NEVER`` where there is none."""
    columns: dict[str, Any] = {name: getattr(trace.workload, name) for name in _GIVEN}
    columns["start"], columns["end"] = trace.start, trace.end
    columns["deadline"] = trace.workload.deadline
    columns["promise"] = trace.promise
    columns["first_planned"] = trace.first_planned
    return _parquet(columns)


def rounds_bytes(trace: Trace) -> bytes:
    """Write one row a round; see :class:`RoundLog`."""
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
