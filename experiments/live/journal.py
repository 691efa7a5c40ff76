"""Writing and reading the journal: the snapshot, the plan and the commands of every tick.

The format of the lines is that of :mod:`planbatch.experiments.workloads.journal_lines`. Snapshots and plans hold what
changed since the ones before; each file, and each start of the writer, begins with full ones.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import FileIO
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from planbatch.experiments.common.lock import take
from planbatch.experiments.common.records import Row, record_of, row_of
from planbatch.experiments.live.slurm.snapshot import (
    JobKey,
    LiveJob,
    LiveNode,
    LivePartition,
    LiveReservation,
    Snapshot,
)
from planbatch.experiments.workloads.journal_lines import FAULT, KINDS, PLAN, SCHEMA, SNAPSHOT, parts_of, read_lines

#: Size at which the journal starts a new file (bytes), and number of older files kept.
MOST_BYTES, MOST_PARTS = 64 * 2**20, 20
#: Lists of a snapshot that are written whole if anything in them changed.
MACHINE: dict[str, Any] = {"nodes": LiveNode, "partitions": LivePartition, "reservations": LiveReservation}


class Journal:
    """A file of JSON lines, written whole line by whole line, and rotated by size.

    Experimental: it may change in any release.

    Parameters
    ----------
    path : str or Path
        The file. If it is there, it is continued; a line that a killed writer cut off is taken away.
    most_bytes, most_parts : int
        From which size on a new file is begun; how many older ones are kept.

    Raises
    ------
    OSError
        If it cannot be written, or another process writes it.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> from planbatch.experiments import Journal, read_ticks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "journal.jsonl")
    ...     with Journal(file) as journal:
    ...         journal.fault(100, "squeue: no answer within 20 s")
    ...     [tick.others[0]["message"] for tick in read_ticks(file)]
    ['squeue: no answer within 20 s']
    """

    def __init__(self, path: str | Path, most_bytes: int = MOST_BYTES, most_parts: int = MOST_PARTS) -> None:
        self.path, self.most_bytes, self.most_parts = Path(path), most_bytes, most_parts
        self._last_rows: dict[str, dict[Any, Any]] = {}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._open()

    def __repr__(self) -> str:
        return f"Journal({self.path})"

    def _open(self) -> FileIO:
        """Open the file behind its last whole line."""
        file = FileIO(self.path, "ab+")
        if not take(file):  # type: ignore[arg-type]
            file.close()
            raise BlockingIOError(
                f"{self.path}: another planbatch writes this journal; choose another one with --journal"
            )
        if file.seek(0, os.SEEK_END):
            with mmap(file.fileno(), 0, access=ACCESS_READ) as content:
                end = content.rfind(b"\n") + 1
            file.truncate(end)
        file.seek(0, os.SEEK_END)
        return file

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def write(self, kind: str, time: int, **values: object) -> None:
        """Write one line: one of :data:`KINDS`, when it happened (s), and further values for JSON.

        ``OSError`` if the disk is full, say. Nothing of the line is left then, and the next snapshot and plan are full
        ones.
        """
        if kind not in KINDS:
            raise ValueError(f"journal: {kind!r} is none of {', '.join(KINDS)}")
        line = {"schema": SCHEMA, "kind": kind, "time": time, **values}
        data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
        size = self._file.seek(0, os.SEEK_END)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._last_rows.clear()
            self._file.truncate(size)
            raise OSError(f"{self.path}: the journal cannot be written ({error.strerror or error})") from error

    def snapshot(self, snapshot: Snapshot) -> None:
        """Write the changes since the last snapshot; rotate the file first if it is large."""
        if self._file.seek(0, os.SEEK_END) >= self.most_bytes:
            self._turn_over()
        jobs = {job.key: job for job in snapshot.jobs}
        machine = {name: getattr(snapshot, name) for name in MACHINE}
        full, before = SNAPSHOT not in self._last_rows, self._last_rows.get(SNAPSHOT, {})
        line: dict[str, Any] = {"full": True, "cluster": snapshot.cluster, "version": snapshot.version} if full else {}
        line["jobs"] = [row_of(job) for key, job in jobs.items() if before.get(key) != job]
        line["gone"] = [list(key) for key in before if key not in jobs]
        was = self._last_rows.get("machine", {})
        changed = {name: records for name, records in machine.items() if full or was.get(name) != records}
        line |= {name: [row_of(record) for record in records] for name, records in changed.items()}
        self.write(SNAPSHOT, snapshot.time, **line)
        self._last_rows[SNAPSHOT], self._last_rows["machine"] = jobs, machine

    def plan(self, time: int, starts: Mapping[int, Sequence[int | None]], **values: object) -> None:
        """Write the plan of a tick at a time (s).

        ``starts`` has, by the jobs' numbers in the round, planned start, promised latest start and Slurm's forecast
        (s), None where there is none; ``values`` are ``policy``, ``unit``, ``capacity``, and figures of the tick.
        """
        full = PLAN not in self._last_rows
        before = self._last_rows.get(PLAN, {})
        now = {number: list(times) for number, times in starts.items()}
        changes = {str(number): times for number, times in now.items() if before.get(number) != times}
        gone = [number for number in before if number not in now]
        self.write(PLAN, time, **({"full": True} if full else {}), **values, starts=changes, gone=gone)
        self._last_rows[PLAN] = now

    def fault(self, time: int, message: str) -> None:
        """Write that a tick failed."""
        self.write(FAULT, time, message=message)

    def _turn_over(self) -> None:
        """Rotate: give the file a number, start a new one, and delete the oldest."""
        older = [part for part in parts_of(self.path) if part != self.path]
        number = 1 + max((int(part.stem.rpartition("-")[2]) for part in older), default=0)
        self._file.close()
        self.path.rename(self.path.with_name(f"{self.path.stem}-{number:06d}{self.path.suffix}"))
        for part in older[: max(len(older) + 1 - self.most_parts, 0)]:
            part.unlink()
        self._last_rows.clear()
        self._file = self._open()


@dataclass(frozen=True)
class TickRecord:
    """What a journal has of one tick."""

    time: int  # when it was (s)
    snapshot: Snapshot | None = None  # the cluster; None if it could not be read
    #: The plan, by the jobs' numbers in the round (s); empty if there is none.
    starts: Mapping[int, Sequence[int | None]] = field(default_factory=dict)
    #: Further fields of the plan: ``policy``, ``unit``, ``capacity``, and figures.
    plan: Mapping[str, Any] = field(default_factory=dict)
    others: tuple[dict[str, Any], ...] = ()  # lines of other kinds: commands, results, faults


def read_ticks(path: str | Path, *, newest: bool = False) -> Iterator[TickRecord]:
    """Read a journal, tick by tick: each begins with a snapshot, or with the fault that there is none.

    Experimental: it may change in any release.

    Parameters
    ----------
    path : str or Path
        The journal.
    newest : bool
        Read its newest part only, which begins with a full snapshot.

    Raises
    ------
    OSError
        If there is no journal.
    ValueError
        If a line cannot be read; names file and line.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> from planbatch.experiments import Journal, Snapshot, read_ticks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "journal.jsonl")
    ...     with Journal(file) as journal:
    ...         journal.snapshot(Snapshot(100, (), ()))
    ...     [tick.snapshot.time for tick in read_ticks(file)]
    [100]
    """
    path = Path(path)
    state = _State()
    tick: TickRecord | None = None
    for line in read_lines(path, newest=newest):
        kind, time = line["kind"], line["time"]
        alone = kind == FAULT and (tick is None or tick.time != time)
        if kind == SNAPSHOT or alone or tick is None:
            if tick is not None:
                yield tick
            tick = TickRecord(time)
        try:
            tick = state.read(tick, line)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            what = f"the field {error} is missing" if isinstance(error, KeyError) else str(error)
            raise ValueError(
                f"{path}: its {kind} of time {time} is of another version ({what}); move the journal away"
            ) from None
    if tick is not None:
        yield tick


class _State:
    """The state after the lines read so far."""

    def __init__(self) -> None:
        self._jobs: dict[JobKey, LiveJob] = {}
        self._starts: dict[int, Sequence[int | None]] = {}
        self._machine: dict[str, Any] = {}

    def read(self, tick: TickRecord, line: Row) -> TickRecord:
        if line["kind"] == SNAPSHOT:
            return replace(tick, snapshot=self.snapshot(line))
        if line["kind"] == PLAN:
            others = ("starts", "gone", "schema", "kind")
            plan = {name: value for name, value in line.items() if name not in others}
            return replace(tick, starts=self.starts(line), plan=plan)
        return replace(tick, others=(*tick.others, line))

    def snapshot(self, line: Row) -> Snapshot:
        if line["full"]:
            self._jobs.clear()
            self._machine = {"cluster": line["cluster"], "version": line["version"]}
        for key in line["gone"]:
            self._jobs.pop(JobKey(*key), None)
        for row in line["jobs"]:
            job = record_of(LiveJob, row)
            self._jobs[job.key] = job
        for name, kind in MACHINE.items():
            if name in line:
                self._machine[name] = tuple(record_of(kind, row) for row in line[name])
        return Snapshot(time=int(line["time"]), jobs=tuple(self._jobs.values()), **self._machine)

    def starts(self, line: Row) -> dict[int, Sequence[int | None]]:
        if line["full"]:
            self._starts.clear()
        for number in line["gone"]:
            self._starts.pop(number, None)
        self._starts |= line["starts"]
        return dict(self._starts)
