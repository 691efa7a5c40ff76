"""Round files: one scheduling round as JSON.

``{"capacity", "now", "running"?: [{"procs", "end"}], "waiting": [{"id", "submit", "procs", "walltime", "deadline"?,
"latest"?, "planned"?, "user"?}], "source"?, "epoch"?}``. Times are in seconds; ``latest`` is a promised latest start,
``planned`` the start in the previous round's plan, ``epoch`` the Unix time of time 0, for clocks.

Machines with more than processors have ``"resources": {NAME: {"capacity", "unit"?}}``, and their jobs
``"demands": {NAME: amount}``; ``"windows": [{"start", "end", "procs"?, "demands"?}]`` are times in which a part of the
machine is unavailable.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from planbatch.experiments.common.atomic import atomic_write
from planbatch.experiments.rounds.lines import line_of
from planbatch.planner.arguments import expect
from planbatch.planner.model import MAX_VALUE, NEVER, IntArray
from planbatch.planner.names import did_you_mean
from planbatch.planner.resources import Resource, Windows
from planbatch.planner.round import Round, RunningTable, job_table

_ROUND_FIELDS = {
    "capacity": True, "now": True, "running": False, "waiting": True, "source": False,
    "resources": False, "windows": False, "epoch": False,
}  # fmt: skip
_RUNNING_FIELDS = {"procs": True, "end": True, "demands": False}
_WAITING_FIELDS = {
    "id": True, "submit": True, "procs": True, "walltime": True,
    "deadline": False, "latest": False, "planned": False, "user": False, "demands": False,
}  # fmt: skip
_WINDOW_FIELDS = {"start": True, "end": True, "procs": False, "demands": False}
_RESOURCE_FIELDS = {"capacity": True, "unit": False}


class _Reader:
    """Reads fields of a round file; errors name the file, the line and the field."""

    def __init__(self, name: str, text: str = "") -> None:
        self.name, self.text = name, text

    def wrong(self, field: str, what: str) -> ValueError:
        line = f", line {line_of(self.text, field)}" if self.text else ""
        return ValueError(f"{self.name}{line}: {field}: {what}")

    def fields(self, value: Any, field: str, known: Mapping[str, bool]) -> dict[str, Any]:
        """An object with all required fields and no unknown ones."""
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

    def resources(self, value: Any) -> tuple[Resource, ...]:
        """The resources besides processors: an object of names, each with a capacity or {capacity, unit}."""
        if not isinstance(value, dict):
            raise self.wrong("resources", f"expected an object, got {type(value).__name__}")
        found = []
        for name, given in value.items():
            field = f"resources.{name}"
            entries = given if isinstance(given, dict) else {"capacity": given}
            row = self.fields(entries, field, _RESOURCE_FIELDS)
            capacity = self.number(row["capacity"], f"{field}.capacity", 1)
            try:
                found.append(Resource(name, capacity, str(row.get("unit", ""))))
            except ValueError as error:
                raise self.wrong(field, str(error)) from None
        return tuple(found)

    def demands(self, value: Any, field: str, resources: Sequence[Resource]) -> list[int]:
        """What a job takes of every resource; nothing of resources that it does not name."""
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise self.wrong(field, f"expected an object, got {type(value).__name__}")
        names = [resource.name for resource in resources]
        for name in value:
            if name not in names:
                known = did_you_mean(name, names) if names else "it has processors alone"
                raise self.wrong(f"{field}.{name}", f"the machine has no such resource; {known}")
        return [
            self.number(
                value.get(resource.name, 0), f"{field}.{resource.name}", 0, resource.capacity
            )
            for resource in resources
        ]


def round_from(data: Any, name: str = "round", text: str = "") -> Round:
    """The round that a JSON object describes.

    Parameters
    ----------
    data : dict
        The object.
    name : str
        The name of the file, for messages.
    text : str
        The text of the file, for the lines in messages.

    Raises
    ------
    ValueError
        The message is one sentence with the name and the field: a field that is missing, unknown or out of its range,
        running jobs above the capacity, a waiting job larger than the machine, an end that is not after now, two jobs
        with the same id.
    """
    read = _Reader(name, text)
    top = read.fields(data, "round", _ROUND_FIELDS)
    capacity = read.number(top["capacity"], "capacity", 1)
    now = read.number(top["now"], "now", 0)
    resources = read.resources(top.get("resources", {}))
    running = _running(read, top.get("running", []), now, capacity, resources)
    demands = []
    columns: dict[str, list[int]] = {field: [] for field in _WAITING_FIELDS if field != "demands"}
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
        demands.append(read.demands(row.get("demands"), f"waiting[{i}].demands", resources))
    order = np.argsort(np.array(columns["submit"], dtype=np.int64), kind="stable")
    table = {field: np.array(column, dtype=np.int64)[order] for field, column in columns.items()}
    ids, planned = table.pop("id"), table.pop("planned")
    table["demands"] = _rows(demands, resources)[order]
    windows = _windows(read, top.get("windows", []), capacity, resources)
    return Round(
        now,
        capacity,
        running,
        job_table(**table),
        planned,
        ids=ids,
        resources=resources,
        windows=windows,
        epoch=None if top.get("epoch") is None else read.number(top["epoch"], "epoch", 0),
    )


def _rows(demands: list[list[int]], resources: Sequence[Resource]) -> IntArray:
    return np.array(demands, dtype=np.int64).reshape(len(demands), len(resources))


def _running(
    read: _Reader, value: Any, now: int, capacity: int, resources: Sequence[Resource]
) -> RunningTable:
    """The running jobs; together within the capacities."""
    sizes, ends, demands = [], [], []
    for i, row in enumerate(read.rows(value, "running", _RUNNING_FIELDS)):
        sizes.append(read.number(row["procs"], f"running[{i}].procs", 1, capacity))
        ends.append(read.number(row["end"], f"running[{i}].end", now + 1))
        demands.append(read.demands(row.get("demands"), f"running[{i}].demands", resources))
    if sum(sizes) > capacity:
        raise read.wrong(
            "running", f"{sum(sizes)} processors in use, above the capacity {capacity}"
        )
    for resource, used in zip(resources, _rows(demands, resources).sum(axis=0), strict=True):
        if used > resource.capacity:
            raise read.wrong(
                "running",
                f"{resource.amount(int(used))} in use, above the capacity {resource.capacity}",
            )
    procs, end = (np.array(column, dtype=np.int64) for column in (sizes, ends))
    return RunningTable(procs, end, _rows(demands, resources))


def _windows(read: _Reader, value: Any, capacity: int, resources: Sequence[Resource]) -> Windows:
    """The windows in which a part of the machine is unavailable."""
    start, end, amounts = [], [], []
    for i, row in enumerate(read.rows(value, "windows", _WINDOW_FIELDS)):
        field = f"windows[{i}]"
        start.append(read.number(row["start"], f"{field}.start", 0))
        end.append(read.number(row["end"], f"{field}.end", start[-1] + 1))
        procs = read.number(row.get("procs", 0), f"{field}.procs", 0, capacity)
        taken = read.demands(row.get("demands"), f"{field}.demands", resources)
        if not procs and not any(taken):
            raise read.wrong(field, "it takes nothing of any resource")
        amounts.append([procs, *taken])
    table = np.array(amounts, dtype=np.int64).reshape(len(amounts), 1 + len(resources))
    begins, ends = (np.array(column, dtype=np.int64) for column in (start, end))
    return Windows(begins, ends, table)


def read_round(path: str | Path) -> Round:
    """Read a round file; see :func:`round_from` for its errors.

    Parameters
    ----------
    path : str or Path
        A round file, JSON; ``-`` is standard input.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "round.json")
    ...     pb.write_round(file, problem)
    ...     again = pb.read_round(file)
    >>> again
    Round(at 0 s, 2 waiting, 0 running, 4 of 4 processors free)
    """
    name = "standard input" if str(path) == "-" else str(path)
    try:
        text = sys.stdin.read() if str(path) == "-" else Path(path).read_text(encoding="utf-8")
        data = json.loads(text)
    except FileNotFoundError:
        raise FileNotFoundError(f"{name}: there is no such round file") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{name}: not a round file, since it is not JSON ({error})") from None
    return round_from(data, name, text)


def round_to(problem: Round, source: str = "") -> dict[str, Any]:
    """The JSON object of a round."""

    def demands(row: IntArray) -> dict[str, Any]:
        """The field with the amounts of the resources besides processors, if there are any."""
        named = zip(problem.resources, row.tolist(), strict=True)
        taken = {resource.name: amount for resource, amount in named}
        return {"demands": taken} if taken else {}

    waiting: list[dict[str, Any]] = []
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
        waiting.append({**job, **demands(problem.jobs.demands[i])})
    running = [
        {"procs": int(procs), "end": int(end), **demands(row)}
        for procs, end, row in zip(*problem.running, strict=True)
    ]
    data: dict[str, Any] = {"capacity": problem.capacity, "now": problem.now}
    if problem.resources:
        data["resources"] = {
            resource.name: {"capacity": resource.capacity, "unit": resource.unit}
            for resource in problem.resources
        }
    if len(problem.windows.start):
        data["windows"] = [
            {"start": int(start), "end": int(end), "procs": int(amounts[0]), **demands(amounts[1:])}
            for start, end, amounts in zip(*problem.windows, strict=True)
        ]
    if problem.epoch is not None:
        data["epoch"] = problem.epoch
    data |= {"running": running, "waiting": waiting}
    return {**data, **({"source": source} if source else {})}


def write_round(path: str | Path, problem: Round, source: str = "") -> None:
    """Write a round file, whole or not at all.

    Parameters
    ----------
    path : str or Path
        The file.
    problem : Round
        The round.
    source : str
        Where it comes from, for people.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pb.write_round(Path(folder, "round.json"), problem, source="made up")
    """
    expect("problem", problem, Round)
    with atomic_write(Path(path)) as stream:
        stream.write(json.dumps(round_to(problem, source), indent=1).encode() + b"\n")
