"""Reading the finished jobs of a live cluster's journal: a log like any other.

The format of its lines is that of :mod:`planbatch.experiments.workloads.journal_lines`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from planbatch.experiments.common.records import record_of
from planbatch.experiments.workloads.journal_lines import (
    CANCELLED_STATES,
    PLAN,
    RUNNING_STATES,
    SNAPSHOT,
    WAITING_STATES,
    read_lines,
)
from planbatch.experiments.workloads.sacct import STILL_RUNNING
from planbatch.experiments.workloads.swf.log import SwfHeader
from planbatch.experiments.workloads.tables.log import NOT_STARTED
from planbatch.experiments.workloads.tables.table import InputTable
from planbatch.planner.model import BoolArray

#: Reason for leaving out a job that ended between two snapshots.
END_NOT_SEEN = "end not seen"


@dataclass(frozen=True)
class _JobRow:
    """What is read of a job: number, submission and restarts as its key, times (s) and sizes."""

    key: tuple[int, int, int]
    start_time: int = 0
    end_time: int = 0
    time_limit: int | None = None
    deadline: int = 0
    nodes: int = 0
    cpus: int = 0
    gpus: int = 0
    user: str = ""
    account: str = ""
    qos: str = ""
    partition: str = ""
    state: str = ""


def jobs_of_journal(path: Path, name: str) -> tuple[InputTable, dict[str, BoolArray]]:
    """Return the jobs of a journal, and which of them are not finished.

    Sizes are counted in what was planned: whole nodes, or CPUs. Columns besides those of every log are ``gpus``,
    ``cpus`` and ``nodes``.

    Raises ``ValueError`` if a line cannot be read, or there is no job.
    """
    jobs: dict[tuple[int, int, int], _JobRow] = {}
    ended: set[tuple[int, int, int]] = set()
    unit, capacity = "nodes", 0
    for line in read_lines(path):
        if line["kind"] == SNAPSHOT:
            try:
                rows = {row.key: row for row in (record_of(_JobRow, row) for row in line["jobs"])}
            except ValueError as error:
                raise ValueError(f"{path}: the snapshot of time {line['time']}: {error}") from None
            remaining = set(jobs) - set(rows) if line["full"] else set(line["gone"])
            ended = (ended | remaining) - set(rows)
            jobs |= rows
        elif line["kind"] == PLAN:
            unit, capacity = line["unit"], max(capacity, line["capacity"])
    if not jobs:
        raise ValueError(f"{path}: the journal has no jobs yet")
    frame = pd.DataFrame([_job(row, unit) for row in jobs.values()])
    comment = f"Jobs of a Slurm cluster, as planbatch saw them; processors are {unit}"
    lines = (f"; Note: {comment}", *((f"; MaxProcs: {capacity}",) if capacity else ()))
    table = InputTable(name, str(path), SwfHeader(lines), frame, np.arange(1, len(frame) + 1), row="job")
    return table, _unfinished_jobs(frame, np.array([key in ended for key in jobs]))


def _job(row: _JobRow, unit: str) -> dict[str, Any]:
    """Return the columns of a job."""
    number, submit, _ = row.key
    return {
        "id": number,
        "submit": submit,
        "start": row.start_time or np.nan,
        "end": row.end_time or np.nan,
        "processors": max(row.nodes if unit == "nodes" else row.cpus, 1),
        "walltime": np.nan if row.time_limit is None else row.time_limit,
        "user": row.user,
        "group": row.account,
        "queue": row.qos,
        "partition": row.partition,
        "deadline": row.deadline or np.nan,
        "state": row.state,
        "nodes": row.nodes,
        "cpus": row.cpus,
        "gpus": row.gpus,
    }


def _unfinished_jobs(frame: pd.DataFrame, ended: BoolArray) -> dict[str, BoolArray]:
    """Mark the jobs that did not start, that still run, and that vanished between two ticks."""
    state = frame["state"]
    ran = frame["end"] > frame["start"]
    cancelled = state.isin(CANCELLED_STATES) & ~ran  # before the start
    waiting = (state.isin(WAITING_STATES | {"UNREADABLE"}) | frame["start"].isna() | cancelled).to_numpy(dtype=bool)
    running = state.isin(RUNNING_STATES).to_numpy(dtype=bool) & ~waiting
    return {NOT_STARTED: waiting, STILL_RUNNING: running & ~ended, END_NOT_SEEN: running & ended}
