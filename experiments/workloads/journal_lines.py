"""The format of a live cluster's journal, line by line.

Every line is a JSON object with ``schema``, ``kind`` and ``time`` (s). Of the kinds, ``snapshot`` has the rows of the
queue that changed since the snapshot before (all of them if ``full``), ``plan`` the planned starts that changed, with
what they are counted in; ``commands``, ``results`` and ``fault`` are for people. A journal that grew too large goes on
in a new file; older parts have numbers, in the same folder.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from planbatch.experiments.common.compressed import decompress, read_bytes
from planbatch.experiments.common.records import record_of
from planbatch.planner.display import short_repr
from planbatch.planner.model import NEVER

#: What every line says first; the number changes if older readers could not read it.
SCHEMA = "planbatch-journal/1"
SNAPSHOT, PLAN, COMMANDS, RESULTS, FAULT = KINDS = ("snapshot", "plan", "commands", "results", "fault")
_BEGIN = '{"schema":"planbatch-journal/'
#: Slurm's states of jobs that hold nodes, and of those that wait.
RUNNING_STATES = frozenset(
    ("RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "RESIZING", "SIGNALING", "STAGE_OUT", "STOPPED")
)
WAITING_STATES = frozenset(("PENDING", "REQUEUE_HOLD", "REQUEUE_FED", "RESV_DEL_HOLD", "SPECIAL_EXIT"))
#: Those of jobs that were cancelled, perhaps before their start.
CANCELLED_STATES = frozenset(("CANCELLED", "DEADLINE", "REVOKED"))


@dataclass(frozen=True)
class SnapshotLine:
    """A snapshot: rows of the jobs that changed, and the keys of those that left the queue."""

    jobs: list[dict[str, Any]]
    gone: list[tuple[int, int, int]]
    full: bool = False


@dataclass(frozen=True)
class PlanLine:
    """A plan: start, promised latest start and Slurm's forecast of the jobs that changed, by their numbers (s)."""

    policy: str
    unit: Literal["nodes", "cpus"]
    capacity: int
    starts: dict[int, tuple[int | None, int | None, int | None]]
    gone: list[int]
    full: bool = False


_RECORDS: dict[str, type] = {SNAPSHOT: SnapshotLine, PLAN: PlanLine}


def _integer(digits: str) -> int:
    value = int(digits)
    if abs(value) > NEVER:
        raise ValueError(f"{digits[:40]} is too large")
    return value


def is_journal(first_line: str) -> bool:
    """Whether a text begins like a journal, of whatever version."""
    return first_line.replace(" ", "").startswith(_BEGIN)


def parts_of(path: Path) -> list[Path]:
    """Return the parts of a journal in the order in which they were written: older ones, then the file itself."""
    older = re.compile(re.escape(path.stem) + r"-(\d{6,})" + re.escape(path.suffix))
    result = [(int(match[1]), other) for other in path.parent.glob(f"{path.stem}-*{path.suffix}")
             if (match := older.fullmatch(other.name))]  # fmt: skip
    return [other for _, other in sorted(result)] + ([path] if path.is_file() else [])


def lines_of(text: str, source: str) -> Iterator[dict[str, Any]]:
    """Read the lines of one part of a journal; ``source`` is what messages call it.

    A last line without an end is left out: the writer may still be at it, or was killed. Raises ``ValueError`` if a
    line cannot be read, or is of a version that is not known; names file and line.
    """
    for number, row in enumerate(text.split("\n")[:-1], start=1):
        if not row.strip():
            continue
        where = f"{source}, line {number}"
        try:
            line = json.loads(row, parse_int=_integer)
        except ValueError as error:
            what = "" if isinstance(error, json.JSONDecodeError) else f" ({error})"
            raise ValueError(f"{where}: it is damaged{what}; remove the line") from None
        if not isinstance(line, dict) or line.get("schema") != SCHEMA:
            value = line.get("schema") if isinstance(line, dict) else None
            raise ValueError(f"{where}: schema {short_repr(value)} is not {SCHEMA}; read it with its own version")
        for name, kind in (("kind", str), ("time", int)):
            value = line.get(name)
            if not isinstance(value, kind):
                raise ValueError(f"{where}: {name} {short_repr(value)} is not what {SCHEMA} has; remove the line")
        if line["kind"] in _RECORDS:
            try:
                line |= vars(record_of(_RECORDS[line["kind"]], line))
            except ValueError as error:
                raise ValueError(f"{where}: it is of another version ({error}); move the journal away") from None
        yield line


def read_lines(path: Path, *, newest: bool = False) -> Iterator[dict[str, Any]]:
    """Read all parts of a journal, or the newest one, line by line; ``OSError`` if there is none."""
    parts = parts_of(path)
    if not parts:
        raise FileNotFoundError(f"{path}: there is no such journal; planbatch slurm advise writes one")
    for part in parts[-1:] if newest else parts:
        text = decompress(read_bytes(part), str(part)).decode("utf-8", "replace")
        yield from lines_of(text, str(part))
