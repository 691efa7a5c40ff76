"""Windows in which a part of the machine is unavailable, from a CSV file: maintenance, failures, reservations.

The columns are ``start`` and ``end``; one for each resource that the window takes (``processors``, ``memory`` …, in
its unit, or amounts such as ``64GB``; empty for nothing); and optionally ``known``, the time from which schedulers
know of the window (empty: its start, as for a failure). Times are durations after the log's first submission (``30d``,
``12h``, or seconds), or dates (``1995-01-31``, UTC).
"""

import csv
from pathlib import Path

import numpy as np

from planbatch.experiments.workloads.options import moment
from planbatch.experiments.workloads.resources import amount
from planbatch.planner.display import short_repr
from planbatch.planner.model import Workload
from planbatch.planner.names import did_you_mean
from planbatch.planner.resources import PROCESSORS, Window, names_of, never_left

_TIMES = ("start", "end", "known")


def with_windows(workload: Workload, path: str, origin: int, start_time: int | None) -> Workload:
    """Give a workload the windows of a file.

    ``origin`` is the first submit time of the log (s), which durations count from, and ``start_time`` its Unix time,
    which dates count from. Raises ``OSError`` or ``ValueError`` if the file cannot be read, or a window takes more than
    the machine has or never ends; the message names file, line and column.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise OSError(f"windows: {path} cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ValueError(f"windows: {path} is not UTF-8 text") from None
    rows = csv.reader(text.splitlines())
    header = [name.strip().lower() for name in next(rows, [])]
    _check_header(path, header, names_of(workload.resources))
    windows = []
    for number, row in enumerate(rows, start=2):
        cells = [cell.strip() for cell in row]
        where = f"{path}, line {number}"
        if not any(cells):
            continue
        if len(cells) != len(header):
            raise ValueError(f"{where}: {len(cells)} columns instead of {len(header)}")
        by_name = dict(zip(header, cells, strict=True))
        windows.append(_window(where, by_name, origin, start_time))
    try:
        return workload.take(slice(None), windows=(*workload.windows, *windows))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _check_header(path: str, header: list[str], names: list[str]) -> None:
    """Check that all required columns are present, and no unknown one."""
    for name in ("start", "end"):
        if name not in header:
            raise ValueError(
                f"{path}, line 1: there is no column {name}; the header is start,end,{','.join(names)},known"
            )
    for name in header:
        if name not in (*_TIMES, *names):
            raise ValueError(f"{path}, line 1: the machine has no {name!r}; {did_you_mean(name, (*_TIMES, *names))}")
    if len(set(header)) < len(header):
        raise ValueError(f"{path}, line 1: a column appears twice")


def _window(where: str, cells: dict[str, str], origin: int, start_time: int | None) -> Window:
    """The window of one line."""
    times = {
        name: origin + moment(cells[name], f"{where}, {name}", start_time)
        for name in _TIMES
        if cells.get(name) or name != "known"
    }
    amounts = {name: _amount(f"{where}, {name}", cell) for name, cell in cells.items() if name not in _TIMES and cell}
    if times["end"] <= times["start"]:
        raise ValueError(f"{where}: window: {never_left(cells['start'], cells['end'])}")
    try:
        return Window(times["start"], times["end"], amounts, times.get("known"))
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _amount(where: str, text: str) -> int:
    """A whole number in the resource's unit, or (memory) an amount with a unit, in KB."""
    if text.isdecimal():
        return int(text)
    if where.endswith(PROCESSORS):
        raise ValueError(f"{where}: {short_repr(text)} is not a whole number")
    return int(np.ceil(amount(text, where)[0]))
