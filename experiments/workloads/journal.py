"""Reading the finished jobs of a live cluster's journal: a log like any other.

The format of its lines is that of :mod:`planbatch.experiments.workloads.journal_lines`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

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


def jobs_of_journal(path: Path, name: str) -> tuple[InputTable, dict[str, BoolArray]]:
    """Return the jobs of a journal, and which of them are not finished.

    Sizes are counted in what was planned: whole nodes, or CPUs. Columns besides those of every log are ``gpus``,
    ``cpus`` and ``nodes``.

    Raises ``ValueError`` if a line cannot be read, or there is no job.
    """
    jobs: dict[tuple[int, ...], Mapping[str, Any]] = {}
    ended: set[tuple[int, ...]] = set()
    unit, capacity = "nodes", 0
    for line in read_lines(path):
        if line["kind"] == SNAPSHOT:
            rows = {tuple(row["key"]): row for row in line["jobs"]}
            remaining = set(jobs) - set(rows) if line.get("full") else {tuple(key) for key in line["gone"]}
            ended = (ended | remaining) - set(rows)
            jobs |= rows
        elif line["kind"] == PLAN:
            unit, capacity = str(line["unit"]), max(capacity, int(line["capacity"]))
    if not jobs:
        raise ValueError(f"{path}: the journal has no jobs yet")
    frame = pd.DataFrame([_job(row, unit) for row in jobs.values()])
    comment = f"Jobs of a Slurm cluster, as planbatch saw them; processors are {unit}"
    lines = (f"; Note: {comment}", *((f"; MaxProcs: {capacity}",) if capacity else ()))
    table = InputTable(name, str(path), SwfHeader(lines), frame, np.arange(1, len(frame) + 1), row="job")
    return table, _unfinished_jobs(frame, np.array([key in ended for key in jobs]))


def _job(row: Mapping[str, Any], unit: str) -> dict[str, Any]:
    """Return the columns of a job."""
    number, submit, _ = row["key"]
    start, end = int(row.get("start_time", 0)), int(row.get("end_time", 0))
    size = int(row.get(unit, 0))
    return {
        "id": number,
        "submit": submit,
        "start": start or np.nan,
        "end": end or np.nan,
        "processors": max(size, 1),
        "walltime": row.get("time_limit", np.nan),
        "user": row.get("user", ""),
        "group": row.get("account", ""),
        "queue": row.get("qos", ""),
        "partition": row.get("partition", ""),
        "deadline": row.get("deadline", 0) or np.nan,
        "state": row.get("state", ""),
        "nodes": row.get("nodes", 0),
        "cpus": row.get("cpus", 0),
        "gpus": row.get("gpus", 0),
    }


def _unfinished_jobs(frame: pd.DataFrame, ended: BoolArray) -> dict[str, BoolArray]:
    """Mark the jobs that did not start, that still run, and that vanished between two ticks."""
    state = frame["state"]
    ran = frame["end"] > frame["start"]
    cancelled = state.isin(CANCELLED_STATES) & ~ran  # before the start
    waiting = (state.isin(WAITING_STATES | {"UNREADABLE"}) | frame["start"].isna() | cancelled).to_numpy(dtype=bool)
    running = state.isin(RUNNING_STATES).to_numpy(dtype=bool) & ~waiting
    return {NOT_STARTED: waiting, STILL_RUNNING: running & ~ended, END_NOT_SEEN: running & ended}
