"""The tables of a cell: its jobs, its trace, and reading their columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planbatch.experiments.replay.trace import JOB_COLUMNS as TRACE_COLUMNS
from planbatch.experiments.replay.trace import ROUNDS as ROUND_COLUMNS
from planbatch.experiments.replay.trace import RoundLog, Trace, bounded_slowdown
from planbatch.experiments.runs.store import JOBS, ROUNDS, ResultsError
from planbatch.planner.model import NEVER, IntArray

#: Columns of ``jobs.parquet`` that every report needs, and those that may be absent.
JOB_COLUMNS = ("id", "submit", "procs", "walltime", "runtime", "start", "end")
MORE_JOB_COLUMNS = ("user", "queue", "deadline", "promise", "first_planned", "last_planned", "predicted")


@dataclass(frozen=True)
class Jobs:
    """The jobs of one cell as columns of shape (n,), in FCFS order; times in seconds."""

    #: Job and user numbers; users are -1 if they are not known.
    id: IntArray
    user: IntArray
    submit: IntArray  # when the job was submitted, started and ended
    #: Processors, requested time and run time.
    procs: IntArray
    walltime: IntArray
    runtime: IntArray
    start: IntArray
    end: IntArray
    #: Latest end and latest promised start, ``NEVER`` for none.
    deadline: IntArray
    promise: IntArray
    #: What the job was believed to take when it started, ``NEVER`` if nothing was predicted.
    predicted: IntArray = None  # type: ignore[assignment]
    #: Queue numbers, -1 if they are not known.
    queue: IntArray = None  # type: ignore[assignment]
    #: Starts in the first plan and in the last before the start; the start if there was none.
    first_planned: IntArray = None  # type: ignore[assignment]
    last_planned: IntArray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        n = len(self.submit)
        absent = {"predicted": np.full(n, NEVER), "queue": np.full(n, -1)}
        planned = dict.fromkeys(("first_planned", "last_planned"), self.start)
        for name, column in (absent | planned).items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, column)

    def __len__(self) -> int:
        return len(self.submit)

    @cached_property
    def wait(self) -> NDArray[np.float64]:
        """The wait of every job (s)."""
        return (self.start - self.submit).astype(np.float64)

    @cached_property
    def slowdown(self) -> NDArray[np.float64]:
        """The bounded slowdown of every job (design rule 9)."""
        return bounded_slowdown(self.wait, self.runtime.astype(np.float64))


def read_trace(folder: Path, described: Mapping[str, Any]) -> Trace:
    """Read the trace of a cell, without its workload, which is in the task."""
    jobs: dict[str, Any] = read_columns(folder / JOBS, TRACE_COLUMNS)
    summary = described["summary"]
    return Trace(
        workload=None,  # type: ignore[arg-type]
        policy=summary["policy"],
        rounds=RoundLog(**read_columns(folder / ROUNDS, ROUND_COLUMNS)),
        seconds=summary["seconds"],
        **{name: jobs[name] for name in TRACE_COLUMNS},
    )


def read_columns(path: Path, needed: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, NDArray[Any]]:
    """Read columns of a Parquet file; see :meth:`Cell.jobs` for the errors."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        raise ResultsError(f"{path} is missing; run the cell again")
    try:
        with pq.ParquetFile(path) as file:
            names = set(file.schema_arrow.names)
            missing = [name for name in needed if name not in names]
            if missing:
                raise ResultsError(
                    f"{path} has no column {missing[0]!r}; it was written by another version of planbatch"
                )
            table = file.read(columns=[*needed, *(name for name in optional if name in names)])
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
