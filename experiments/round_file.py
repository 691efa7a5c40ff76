"""Round files: one scheduling round as JSON.

``{"capacity", "now", "running": [{"procs", "end"}], "waiting": [{"id", "submit", "procs", "walltime", "deadline"?,
"latest"?, "planned"?, "user"?}], "source"?}``. Times are in seconds; ``latest`` is a promised latest start,
``planned`` the start in the plan of the round before.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from experiments.compression import atomic_write
from planner.model import MAX_VALUE, NEVER
from planner.round import Round, RunningTable, job_table

_ROUND_FIELDS = {"capacity": True, "now": True, "running": True, "waiting": True, "source": False}
_RUNNING_FIELDS = {"procs": True, "end": True}
_WAITING_FIELDS = {
    "id": True, "submit": True, "procs": True, "walltime": True,
    "deadline": False, "latest": False, "planned": False, "user": False,
}  # fmt: skip


class _Reader:
    """Takes fields out of a round file, and names the file and the field of whatever is wrong."""

    def __init__(self, name: str) -> None:
        self.name = name

    def wrong(self, field: str, what: str) -> ValueError:
        return ValueError(f"{self.name}: {field}: {what}")

    def fields(self, value: Any, field: str, known: Mapping[str, bool]) -> dict[str, Any]:
        """An object with all the fields that it must have, and none that is not known."""
        if not isinstance(value, dict):
            raise self.wrong(field, f"expected an object, got {type(value).__name__}")
        prefix = "" if field == "round" else f"{field}."
        for key in value:
            if key not in known:
                raise self.wrong(f"{prefix}{key}", f"unknown field; known are {', '.join(known)}")
        for key, needed in known.items():
            if needed and key not in value:
                raise self.wrong(f"{prefix}{key}", "missing")
        return value

    def rows(self, value: Any, field: str, known: Mapping[str, bool]) -> list[dict[str, Any]]:
        """A list of such objects."""
        if not isinstance(value, list):
            raise self.wrong(field, f"expected a list, got {type(value).__name__}")
        return [self.fields(row, f"{field}[{i}]", known) for i, row in enumerate(value)]

    def number(self, value: Any, field: str, least: int, most: int = MAX_VALUE) -> int:
        """A whole number in a range."""
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not whole:
            raise self.wrong(field, f"{value!r} is not a whole number")
        if not least <= value <= most:
            raise self.wrong(field, f"{value} is outside {least} … {most}")
        return int(value)


def round_from(data: Any, name: str = "round") -> Round:
    """The round that a JSON object describes.

    Parameters
    ----------
    data : dict
        The object.
    name : str
        What messages call it: the file.

    Raises
    ------
    ValueError
        In one sentence with the name and the field: a field that is missing, unknown or out of its range, running
        jobs above the capacity, a waiting job larger than the machine, an end that is not after now, two jobs of
        the same id.
    """
    read = _Reader(name)
    top = read.fields(data, "round", _ROUND_FIELDS)
    capacity = read.number(top["capacity"], "capacity", 1)
    now = read.number(top["now"], "now", 0)
    sizes, ends = [], []
    for i, row in enumerate(read.rows(top["running"], "running", _RUNNING_FIELDS)):
        sizes.append(read.number(row["procs"], f"running[{i}].procs", 1, capacity))
        ends.append(read.number(row["end"], f"running[{i}].end", now + 1))
    if sum(sizes) > capacity:
        raise read.wrong(
            "running", f"{sum(sizes)} processors in use, above the capacity {capacity}"
        )
    columns: dict[str, list[int]] = {field: [] for field in _WAITING_FIELDS}
    absent = {"deadline": NEVER, "latest": NEVER, "planned": NEVER, "user": -1}
    limits = {
        "procs": (1, capacity),
        "walltime": (1, MAX_VALUE),
        "submit": (0, now),
        "user": (-1, MAX_VALUE),
    }
    seen: dict[int, int] = {}
    for i, row in enumerate(read.rows(top["waiting"], "waiting", _WAITING_FIELDS)):
        for field, column in columns.items():
            if row.get(field) is None and field in absent:
                column.append(absent[field])
            else:
                least, most = limits.get(field, (0, MAX_VALUE))
                column.append(read.number(row[field], f"waiting[{i}].{field}", least, most))
        job = columns["id"][-1]
        if job in seen:
            raise read.wrong(f"waiting[{i}].id", f"{job} is the id of waiting[{seen[job]}] as well")
        seen[job] = i
    order = np.argsort(np.array(columns["submit"], dtype=np.int64), kind="stable")
    table = {field: np.array(column, dtype=np.int64)[order] for field, column in columns.items()}
    ids, planned = table.pop("id"), table.pop("planned")
    running = RunningTable(np.array(sizes, dtype=np.int64), np.array(ends, dtype=np.int64))
    return Round(now, capacity, running, job_table(**table), planned, ids=ids)


def read_round(path: str | Path) -> Round:
    """Read a round file; see :func:`round_from` for what is refused."""
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: there is no such round file") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path}: not a round file, since it is not JSON ({error})") from None
    return round_from(data, str(path))


def round_to(problem: Round, source: str = "") -> dict[str, Any]:
    """The JSON object of a round."""
    waiting = []
    for i in range(len(problem)):
        job = {"id": int(problem.ids[i])}
        for field in ("submit", "procs", "walltime"):
            job[field] = int(getattr(problem.jobs, field)[i])
        for field, column in (
            ("deadline", problem.jobs.deadline),
            ("latest", problem.jobs.latest),
            ("planned", problem.planned),
        ):
            if column[i] != NEVER:
                job[field] = int(column[i])
        if problem.jobs.user[i] >= 0:
            job["user"] = int(problem.jobs.user[i])
        waiting.append(job)
    running = [
        {"procs": int(procs), "end": int(end)} for procs, end in zip(*problem.running, strict=True)
    ]
    data = {"capacity": problem.capacity, "now": problem.now, "running": running}
    return {**data, "waiting": waiting, **({"source": source} if source else {})}


def write_round(path: str | Path, problem: Round, source: str = "") -> None:
    """Write a round file, whole or not at all."""
    with atomic_write(Path(path)) as stream:
        stream.write(json.dumps(round_to(problem, source), indent=1).encode() + b"\n")
