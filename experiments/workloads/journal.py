"""The journal of a live cluster: the format of its lines, and the jobs that finished while it was kept.

Every line is a JSON object with ``schema``, ``kind`` and ``time`` (s). Of the kinds, ``snapshot`` has the rows of the
queue that changed since the snapshot before (all of them if ``full``), ``plan`` the planned starts that changed, with
what they are counted in; ``commands``, ``results`` and ``fault`` are for people. A journal that grew too large goes on
in a new file; the older parts stand beside it, numbered.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from planbatch.experiments.files.compressed import decompress
from planbatch.experiments.workloads.sacct import STILL_RUNNING, UNFINISHED, WAITING
from planbatch.experiments.workloads.swf.header import SwfHeader
from planbatch.experiments.workloads.swf.read import read_bytes
from planbatch.experiments.workloads.tables.log import NOT_STARTED
from planbatch.experiments.workloads.tables.table import Table
from planbatch.planner.model import BoolArray

#: What every line says first; the number changes if older readers could not read it.
SCHEMA = "planbatch-journal/1"
SNAPSHOT, PLAN, COMMANDS, RESULTS, FAULT = KINDS = (
    "snapshot", "plan", "commands", "results", "fault",
)  # fmt: skip
END_NOT_SEEN = "end not seen"
_BEGIN = '{"schema":"planbatch-journal/'


def is_journal(first_line: str) -> bool:
    """Whether a text begins like a journal, of whatever version."""
    return first_line.replace(" ", "").startswith(_BEGIN)


def parts_of(path: Path) -> list[Path]:
    """Return the parts of a journal in the order in which they were written: older ones, then the file itself."""
    older = re.compile(re.escape(path.stem) + r"-(\d{6,})" + re.escape(path.suffix))
    found = [(int(match[1]), other) for other in path.parent.glob(f"{path.stem}-*{path.suffix}")
             if (match := older.fullmatch(other.name))]  # fmt: skip
    return [other for _, other in sorted(found)] + ([path] if path.is_file() else [])


def lines_of(text: str, source: str, *, last: bool = True) -> Iterator[dict[str, Any]]:
    """Read the lines of one part of a journal.

    Parameters
    ----------
    text : str
        The part.
    source : str
        What messages call it.
    last : bool
        Whether a last line without an end is left out: the writer may still be at it, or was killed.

    Raises
    ------
    ValueError
        If a line cannot be read, or is of a version that is not known; names file and line.
    """
    rows = text.split("\n")
    if last:
        rows.pop()  # what stands behind the last line end
    for number, row in enumerate(rows, start=1):
        if not row.strip():
            continue
        try:
            line = json.loads(row)
        except json.JSONDecodeError:
            raise ValueError(f"{source}, line {number}: it is damaged; remove the line") from None
        if not isinstance(line, dict) or line.get("schema") != SCHEMA:
            found = line.get("schema") if isinstance(line, dict) else None
            raise ValueError(
                f"{source}, line {number}: schema {found!r} is not {SCHEMA}; read it with its own version"
            )
        yield line


def read_lines(path: Path, *, newest: bool = False) -> Iterator[dict[str, Any]]:
    """Read all parts of a journal, or the newest one, line by line.

    Raises
    ------
    OSError
        If there is none.
    ValueError
        As :func:`lines_of`.
    """
    parts = parts_of(path)
    if not parts:
        raise FileNotFoundError(
            f"{path}: there is no such journal; planbatch slurm advise writes one"
        )
    for part in parts[-1:] if newest else parts:
        text = decompress(read_bytes(part), str(part)).decode("utf-8", "replace")
        yield from lines_of(text, str(part))


def jobs_of_journal(path: Path, name: str) -> tuple[Table, dict[str, BoolArray]]:
    """Return the jobs of a journal, and which of them are not finished.

    Sizes are counted in what was planned: whole nodes, or CPUs. Columns besides those of every log are ``gpus``,
    ``cpus`` and ``nodes``.

    Raises
    ------
    ValueError
        If a line cannot be read, or there is no job.
    """
    jobs: dict[tuple[int, ...], Mapping[str, Any]] = {}
    gone: set[tuple[int, ...]] = set()
    unit, capacity = "nodes", 0
    for line in read_lines(path):
        if line["kind"] == SNAPSHOT:
            rows = {tuple(row["key"]): row for row in line["jobs"]}
            left = (
                set(jobs) - set(rows) if line.get("full") else {tuple(key) for key in line["gone"]}
            )
            gone = (gone | left) - set(rows)
            jobs |= rows
        elif line["kind"] == PLAN:
            unit, capacity = str(line["unit"]), max(capacity, int(line["capacity"]))
    if not jobs:
        raise ValueError(f"{path}: the journal has no jobs yet")
    frame = pd.DataFrame([_job(row, unit) for row in jobs.values()])
    comment = f"Jobs of a Slurm cluster, as planbatch saw them; processors are {unit}"
    lines = (f"; Note: {comment}", *((f"; MaxProcs: {capacity}",) if capacity else ()))
    table = Table(name, str(path), SwfHeader(lines), frame, np.arange(1, len(frame) + 1), row="job")
    return table, _unfinished(frame, np.array([key in gone for key in jobs]))


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


def _unfinished(frame: pd.DataFrame, gone: BoolArray) -> dict[str, BoolArray]:
    """Mark the jobs that did not start, that still run, and that went while nobody looked."""
    state = frame["state"]
    ran = frame["end"] > frame["start"]
    cancelled = state.isin(("CANCELLED", "DEADLINE", "REVOKED")) & ~ran  # before the start
    waiting = (state.isin(WAITING | {"UNREADABLE"}) | frame["start"].isna() | cancelled).to_numpy(
        dtype=bool
    )
    running = state.isin(UNFINISHED).to_numpy(dtype=bool) & ~waiting
    return {NOT_STARTED: waiting, STILL_RUNNING: running & ~gone, END_NOT_SEEN: running & gone}
