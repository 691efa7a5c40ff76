"""The jobs and rounds of a replay as Parquet."""

from typing import Any

import numpy as np

from planbatch.experiments.replay.trace import JOB_COLUMNS, RoundLog, Trace

#: The columns of a workload that a table of jobs repeats.
_GIVEN = ("id", "user", "queue", "submit", "procs", "walltime", "runtime")
#: The columns of both tables.
JOBS = (
    *_GIVEN,
    "start",
    "end",
    "deadline",
    "promise",
    "first_planned",
    "last_planned",
    "predicted",
)
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
