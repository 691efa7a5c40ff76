"""Round files: one scheduling round as JSON.

``{"capacity", "now", "running"?: [{"procs", "end"}], "waiting": [{"id", "submit", "procs", "walltime", "deadline"?,
"latest"?, "planned"?, "user"?}], "source"?, "epoch"?}``. Times are in seconds; ``latest`` is a promised latest start,
``planned`` the start in the previous round's plan, ``epoch`` the Unix time of time 0, for clocks.

Machines with more than processors have ``"resources": {NAME: {"capacity", "unit"?}}``, and their jobs
``"demands": {NAME: amount}``; ``"windows": [{"start", "end", "procs"?, "demands"?}]`` are times in which a part of the
machine is unavailable.
"""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from planbatch.experiments.common.atomic import atomic_write
from planbatch.experiments.common.paths import as_path
from planbatch.planner.arguments import expect
from planbatch.planner.display import short_repr
from planbatch.planner.model import MAX_VALUE, NEVER, IntArray
from planbatch.planner.names import did_you_mean
from planbatch.planner.resources import Resource, Windows
from planbatch.planner.round import Round, RunningTable, job_table

_ROUND_FIELDS = {
    "capacity": True, "now": True, "running": False, "waiting": True, "source": False,
    "resources": False, "windows": False, "epoch": False,
}  # fmt: skip
_RESOURCE_FIELDS = {"capacity": True, "unit": False}


class _Field(NamedTuple):
    """A whole number: its range, ``now`` and ``capacity`` being those of the round, and what is meant without it."""

    least: int | str = 0
    most: int | str = MAX_VALUE
    default: int | None = None


_RUNNING = {"procs": _Field(1, "capacity"), "end": _Field("after now")}
_WAITING = {
    "id": _Field(),
    "submit": _Field(0, "now"),
    "procs": _Field(1, "capacity"),
    "walltime": _Field(1),
    "deadline": _Field(default=NEVER),
    "latest": _Field(default=NEVER),
    "planned": _Field(default=NEVER),
    "user": _Field(-1, default=-1),
}
_WINDOWS = {"start": _Field(), "end": _Field(), "procs": _Field(0, "capacity", 0)}


class _Reader:
    """Reads fields of a round file; errors name the file, the line and the field."""

    def __init__(self, name: str, text: str = "") -> None:
        self.name, self.text = name, text

    def wrong(self, field: str, what: str) -> ValueError:
        line = f", line {line_of(self.text, field)}" if self.text else ""
        return ValueError(f"{self.name}{line}: {field}: {what}")

    def fields(self, value: object, field: str, required: Mapping[str, bool]) -> dict[str, Any]:
        """An object with all required fields and no unknown ones."""
        if not isinstance(value, dict):
            raise self.wrong(field, f"expected an object, got {type(value).__name__}")
        prefix = "" if field == "round" else f"{field}."
        for key in value:
            if key not in required:
                raise self.wrong(f"{prefix}{key}", f"unknown field; known are {', '.join(required)}")
        for key, needed in required.items():
            if needed and key not in value:
                raise self.wrong(f"{prefix}{key}", "missing")
        return value

    def table(
        self,
        value: object,
        name: str,
        fields: Mapping[str, _Field],
        limits: Mapping[str, int],
        resources: Sequence[Resource],
    ) -> dict[str, IntArray]:
        """A list of objects, as columns of their fields and of their demands."""
        if not isinstance(value, list):
            raise self.wrong(name, f"expected a list, got {type(value).__name__}")
        required = {field: one.default is None for field, one in fields.items()} | {"demands": False}
        columns: dict[str, list[int]] = {field: [] for field in fields}
        demands = []
        for i, entry in enumerate(value):
            row = self.fields(entry, f"{name}[{i}]", required)
            for field, (least, most, default) in fields.items():
                if row.get(field) is None and default is not None:
                    columns[field].append(default)
                    continue
                ends = (end if isinstance(end, int) else limits[end] for end in (least, most))
                columns[field].append(self.number(row[field], f"{name}[{i}].{field}", *ends))
            demands.append(self.demands(row.get("demands"), f"{name}[{i}].demands", resources))
        arrays = {field: np.array(column, dtype=np.int64) for field, column in columns.items()}
        amounts = np.array(demands, dtype=np.int64).reshape(len(demands), len(resources))
        return arrays | {"demands": amounts}

    def number(self, value: object, field: str, least: int, most: int = MAX_VALUE) -> int:
        """A whole number in a range."""
        if isinstance(value, bool) or not (isinstance(value, int) or (isinstance(value, float) and value.is_integer())):
            raise self.wrong(field, f"{short_repr(value)} is not a whole number")
        if not least <= value <= most:
            raise self.wrong(field, f"{value} is outside {least} … {most}")
        return int(value)

    def resources(self, value: object) -> tuple[Resource, ...]:
        """The resources other than processors: an object of names, each with a capacity or {capacity, unit}."""
        if not isinstance(value, dict):
            raise self.wrong("resources", f"expected an object, got {type(value).__name__}")
        resources = []
        for name, amount in value.items():
            field = f"resources.{name}"
            entries = amount if isinstance(amount, dict) else {"capacity": amount}
            row = self.fields(entries, field, _RESOURCE_FIELDS)
            capacity = self.number(row["capacity"], f"{field}.capacity", 1)
            try:
                resources.append(Resource(name, capacity, str(row.get("unit", ""))))
            except ValueError as error:
                raise self.wrong(field, str(error)) from None
        return tuple(resources)

    def demands(self, value: object, field: str, resources: Sequence[Resource]) -> list[int]:
        """What a job takes of every resource; nothing of resources that it does not name."""
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise self.wrong(field, f"expected an object, got {type(value).__name__}")
        names = [resource.name for resource in resources]
        for name in value:
            if name not in names:
                hint = did_you_mean(name, names) if names else "it has processors alone"
                raise self.wrong(f"{field}.{name}", f"the machine has no such resource; {hint}")
        return [
            self.number(value.get(resource.name, 0), f"{field}.{resource.name}", 0, resource.capacity)
            for resource in resources
        ]


def round_from(data: object, name: str = "round", text: str = "") -> Round:
    """The round that a JSON object describes; ``name`` and ``text`` are those of its file, for messages.

    ``ValueError``, one sentence with file and field: one that is missing, unknown or out of its range, running jobs
    above the capacity, a waiting job larger than the machine, an end that is not after now, two jobs with the same id.
    """
    reader = _Reader(name, text)
    top = reader.fields(data, "round", _ROUND_FIELDS)
    capacity = reader.number(top["capacity"], "capacity", 1)
    now = reader.number(top["now"], "now", 0)
    resources = reader.resources(top.get("resources", {}))
    limits = {"now": now, "after now": now + 1, "capacity": capacity}
    running = reader.table(top.get("running", []), "running", _RUNNING, limits, resources)
    _check_use(reader, running, capacity, resources)
    waiting = reader.table(top["waiting"], "waiting", _WAITING, limits, resources)
    rows: dict[int, int] = {}
    for i, job in enumerate(waiting["id"].tolist()):
        if rows.setdefault(job, i) != i:
            raise reader.wrong(f"waiting[{i}].id", f"{job} is the id of waiting[{rows[job]}] as well")
    windows = reader.table(top.get("windows", []), "windows", _WINDOWS, limits, resources)
    amounts = np.column_stack([windows["procs"], windows["demands"]])
    for i, (start, end) in enumerate(zip(windows["start"].tolist(), windows["end"].tolist(), strict=True)):
        reader.number(end, f"windows[{i}].end", start + 1)
        if not amounts[i].any():
            raise reader.wrong(f"windows[{i}]", "it takes nothing of any resource")
    order = np.argsort(waiting["submit"], kind="stable")
    table = {field: column[order] for field, column in waiting.items()}
    ids, planned = table.pop("id"), table.pop("planned")
    return Round(
        now,
        capacity,
        RunningTable(running["procs"], running["end"], running["demands"]),
        job_table(**table),
        planned,
        ids=ids,
        resources=resources,
        windows=Windows(windows["start"], windows["end"], amounts),
        epoch=None if top.get("epoch") is None else reader.number(top["epoch"], "epoch", 0),
    )


def _check_use(reader: _Reader, running: Mapping[str, IntArray], capacity: int, resources: Sequence[Resource]) -> None:
    """Raise ``ValueError`` if the running jobs take more than there is."""
    procs = int(running["procs"].sum())
    if procs > capacity:
        raise reader.wrong("running", f"{procs} processors in use, above the capacity {capacity}")
    for resource, amount in zip(resources, running["demands"].sum(axis=0).tolist(), strict=True):
        if amount > resource.capacity:
            what = f"{resource.amount(amount)} in use, above the capacity {resource.capacity}"
            raise reader.wrong("running", what)


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
    path = as_path("round", path)
    name = "standard input" if str(path) == "-" else str(path)
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
        data = json.loads(text)
    except FileNotFoundError:
        raise FileNotFoundError(f"{name}: there is no such round file") from None
    except IsADirectoryError:
        raise IsADirectoryError(f"{name} is a folder; give the round file itself") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{name}: not a round file, since it is not JSON ({error})") from None
    return round_from(data, name, text)


def round_to(problem: Round, source: str = "") -> dict[str, Any]:
    """The JSON object of a round."""

    def demands(row: IntArray) -> dict[str, Any]:
        """The field with the amounts of resources other than processors, if there are any."""
        pairs = zip(problem.resources, row.tolist(), strict=True)
        by_resource = {resource.name: amount for resource, amount in pairs}
        return {"demands": by_resource} if by_resource else {}

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
        {"procs": int(procs), "end": int(end), **demands(row)} for procs, end, row in zip(*problem.running, strict=True)
    ]
    data: dict[str, Any] = {"capacity": problem.capacity, "now": problem.now}
    if problem.resources:
        data["resources"] = {
            resource.name: {"capacity": resource.capacity, "unit": resource.unit} for resource in problem.resources
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

    Raises
    ------
    ValueError
        If two waiting jobs have the same id, since the file could not be read.

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
    ids, count = np.unique(problem.ids, return_counts=True)
    if (count > 1).any():
        raise ValueError(f"{path}: {count.max()} waiting jobs have the id {ids[count.argmax()]}; give each its own")
    with atomic_write(as_path("path", path)) as stream:
        stream.write(json.dumps(round_to(problem, source), indent=1).encode() + b"\n")


_SPACE = re.compile(r"\s*")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def line_of(text: str, field: str) -> int:
    r"""Find the line of a field, such as ``waiting[3].procs``, or of the last part of its path that the JSON has.

    >>> line_of('{"now": 1,\n "waiting": [{"id": 1},\n  {"id": 2}]}', "waiting[1].id")
    3
    """
    steps = [name or int(index) for name, index in _STEP.findall(field)]
    index = _skip(text, 0)
    for step in steps:
        inner = _member(text, index, step)
        if inner is None:
            break
        index = inner
    return text.count("\n", 0, index) + 1


def _skip(text: str, at: int) -> int:
    """Return the place of the next character that is no white space."""
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


def _member(text: str, at: int, step: str | int) -> int | None:
    """Return where the value of a key, or an element, of the object or list at a place begins; None without it."""
    opened = text[at]
    if opened != ("{" if isinstance(step, str) else "["):
        return None
    at, count = _skip(text, at + 1), 0
    while text[at] not in "]}":
        name: str | int = count
        if opened == "{":
            name, at = json.JSONDecoder().raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        if name == step:
            return at
        _, at = json.JSONDecoder().raw_decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
        count += 1
    return None
