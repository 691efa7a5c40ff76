"""A log in the Standard Workload Format as columns, and the workload that it makes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from planbatch.planner.display import counted
from planbatch.planner.model import NEVER, BoolArray, IntArray, Workload

if TYPE_CHECKING:
    import pandas as pd


#: ``; Key: value``; keys are single words; some files have no blank after the semicolon.
_FIELD = re.compile(r"^;\s*([A-Za-z][A-Za-z0-9_]*)\s*:(?!//)\s*(.*?)\s*$")
_NUMBERED_VALUE = re.compile(r"^\s*(-?\d+)\s*(.*?)\s*$")
_LEADING_NUMBER = re.compile(r"^\s*(-?\d+)")


@dataclass(frozen=True)
class SwfHeader:
    """The comment lines of a log, and their fields."""

    lines: tuple[str, ...] = ()  # all comment lines before the first job, as read; a log may have none
    #: Key → value; the values of a key that occurs more than once (Note, Queue, Partition, Information …) are joined by
    #: line ends, and lines without a key continue the value before them.
    fields: Mapping[str, str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        values: dict[str, list[str]] = {}
        key = None
        for line in self.lines:
            match = _FIELD.match(line)
            if match:
                key = match[1]
                values.setdefault(key, []).append(match[2])
            elif key is not None and line.strip("; \t"):
                values[key][-1] += "\n" + line.lstrip(";").strip()
        object.__setattr__(self, "fields", {name: "\n".join(parts) for name, parts in values.items()})

    def number(self, key: str) -> int | None:
        """Return the number that the value of ``key`` begins with, or ``None``.

        "1664 (72, 1368, 224)" counts as 1664: several headers of the archive add such remarks.
        """
        match = _LEADING_NUMBER.match(self.fields.get(key, ""))
        return int(match[1]) if match else None

    @property
    def capacity(self) -> int | None:
        """Processors of the machine: MaxProcs, else MaxNodes, if positive; else ``None``."""
        for key in ("MaxProcs", "MaxNodes"):
            number = self.number(key)
            if number is not None and number > 0:
                return number
        return None

    @property
    def unix_start_time(self) -> int | None:
        """The Unix time that submit times count from, or ``None``."""
        return self.number("UnixStartTime")

    @property
    def queues(self) -> dict[int, str]:
        """Number of a queue → its name and remarks."""
        return self._numbered_values("Queue")

    @property
    def partitions(self) -> dict[int, str]:
        """Number of a partition → its name and remarks."""
        return self._numbered_values("Partition")

    def _numbered_values(self, key: str) -> dict[int, str]:
        matches = (_NUMBERED_VALUE.match(line) for line in self.fields.get(key, "").split("\n"))
        return {int(match[1]): match[2] for match in matches if match}

    def queue_number(self, queue: str | int) -> int | None:
        """Find a queue's number by its number or its name; ``None`` for an unknown name."""
        text = str(queue).strip()
        if re.fullmatch(r"-?\d+", text):
            return int(text)
        for number, remark in self.queues.items():
            if remark.lower() == text.lower() or remark.lower().split()[:1] == [text.lower()]:
                return number
        return None

    def with_field(self, key: str, value: int | str) -> "SwfHeader":
        """Set the only value of ``key``, in place of the first one or else at the end."""
        line = f"; {key}: {value}"
        indices = [i for i, text in enumerate(self.lines) if (m := _FIELD.match(text)) and m[1] == key]
        if not indices:
            return SwfHeader((*self.lines, line))
        lines = [text for i, text in enumerate(self.lines) if i not in indices[1:]]
        lines[indices[0]] = line
        return SwfHeader(tuple(lines))

    def with_note(self, text: str) -> "SwfHeader":
        """Add a note at the end."""
        return SwfHeader((*self.lines, f"; Note: {text}"))


#: The 18 columns, in order. Times are in seconds, memory in KB per processor.
FIELDS = (
    "job", "submit", "wait", "runtime", "used_procs", "used_cpu_time", "used_memory", "requested_procs",
    "requested_time", "requested_memory", "status", "user", "group", "executable", "queue", "partition",
    "preceding_job", "think_time",
)  # fmt: skip
#: Columns that may hold fractions: several logs give CPU times, memory, or any time in fractions of
#: a second.
FRACTIONAL = frozenset(
    ("submit", "wait", "runtime", "used_cpu_time", "used_memory", "requested_time", "requested_memory", "think_time")
)
#: The field of a workload's header that says how many walltimes are not known; there is none if all are.
WALLTIMES = "Walltimes"
#: The field that says that jobs of several partitions are taken as one pool.
POOLS = "Pools"
#: The field that says why jobs have no waits.
WAITS = "Waits"
_STATEMENTS = (WALLTIMES, POOLS, WAITS)
NO_PROCESSORS = "no processors"
NEGATIVE_RUN_TIME = "negative run time"
TOO_LARGE = "larger than the machine"
#: Reasons for leaving out a job, in the order in which they are checked.
REASONS = (NO_PROCESSORS, NEGATIVE_RUN_TIME, TOO_LARGE)


@dataclass(frozen=True)
class BadLine:
    """A line of a log that could not be read."""

    line: int  #: its number in the (decompressed) file, from 1
    column: int  #: number of the first wrong column, from 1
    field: str  #: name of that column
    value: str  #: the text of the column; empty if the line is too short
    reason: str  #: what is wrong with it
    what: str = "line"  # what messages call its place: ``line``, or ``row`` of a table that is no text

    def describe(self) -> str:
        """Describe the line and its error."""
        return f"{self.what} {self.line}, column {self.column} ({self.field}): {self.reason}"


@dataclass(frozen=True)
class Selection:
    """Which lines of a log become jobs."""

    rows: IntArray  # shape (n,): rows of the log in FCFS order, that is by (submit time, place in the file)
    capacity: int  #: processors of the machine
    dropped: Mapping[str, int]  # number of lines left out, by reason; reasons without lines are absent


@dataclass(frozen=True)
class SwfLog:
    """A log as read.

    Attributes
    ----------
    name : str
        The file's name without endings.
    source : str
        The path, or another name of the log for messages.
    header : SwfHeader
        Its comment lines.
    columns : mapping of str to array, each of shape (n,)
        The columns named in ``FIELDS``: float64 if fractions may occur, int64 otherwise;
        read-only.
    skipped : tuple of BadLine
        The lines that could not be read and were skipped.
    further : mapping of str to array, each of shape (n,)
        Columns that the format does not have, of other kinds of files: ``deadline`` (s, NaN for none), and whatever
        may be read as a resource.
    unusable : mapping of str to bool array, shape (n,)
        Lines that are no finished jobs, by reason.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> from planbatch.experiments import read_swf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "one.swf")
    ...     _ = file.write_text("1 0 0 80 4 -1 -1 4 100 -1 1 1 1 -1 -1 -1 -1 -1")
    ...     log = read_swf(file)
    >>> log.frame().shape, log.columns['runtime'].tolist()
    ((1, 18), [80.0])
    """

    name: str
    source: str
    header: SwfHeader
    columns: Mapping[str, NDArray[Any]]
    skipped: tuple[BadLine, ...] = field(default=())
    further: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    unusable: Mapping[str, BoolArray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.columns["job"])

    def frame(self) -> "pd.DataFrame":
        """Give the columns as a data frame."""
        import pandas as pd

        return pd.DataFrame(dict(self.columns))

    def processors(self) -> IntArray:
        """Return the processors per line, shape (n,): requested, else used; below 1 if unknown."""
        requested, used = self.columns["requested_procs"], self.columns["used_procs"]
        return np.where(requested > 0, requested, used).astype(np.int64)

    def capacity(self, override: int | None = None) -> int:
        """Return the processors of the machine: ``override``, else the number in the header.

        ``ValueError`` if there is neither, or ``override`` is not positive.
        """
        if override is not None:
            if override < 1:
                raise ValueError(f"capacity: {override} is not a positive number of processors; give at least 1")
            return override
        if self.header.capacity is None:
            raise ValueError(
                f"{self.source}: the header gives neither MaxProcs nor MaxNodes, so the size of the machine is not "
                f"known; give it with --capacity (the largest job takes {self.processors().max():,})"
            )
        return self.header.capacity

    def select(
        self,
        capacity: int | None = None,
        *,
        keep: NDArray[np.bool_] | None = None,
        first: int | None = None,
        further: Mapping[str, NDArray[np.bool_]] | None = None,
    ) -> Selection:
        """Choose the usable lines, by the rules that every replay shares, on a machine of so many processors.

        Lines that ``keep``, shape (n,), leaves out are neither used nor counted. Of the usable lines, the ``first`` so
        many of the file are kept, and lines dropped before them counted. ``further`` lines are dropped by reason, after
        ``unusable`` and ``REASONS``; bool arrays of shape (n,).
        """
        size = self.capacity(capacity)
        if first is not None and first < 1:
            raise ValueError(f"first: {first} is not a positive number of jobs; give at least 1")
        procs = self.processors()
        wrong = {
            **self.unusable,
            NO_PROCESSORS: procs < 1,
            NEGATIVE_RUN_TIME: self.columns["runtime"] < 0,
            TOO_LARGE: procs > size,
            **(further or {}),
        }
        looked_at = np.ones(len(self), dtype=bool) if keep is None else np.array(keep, dtype=bool)
        usable = looked_at & ~np.logical_or.reduce(list(wrong.values()))
        if first is not None and np.count_nonzero(usable) > first:
            end = int(np.flatnonzero(usable)[first - 1]) + 1
            looked_at[end:] = usable[end:] = False
        dropped = {}
        for reason, has_it in wrong.items():
            dropped[reason] = int(np.count_nonzero(has_it & looked_at))
            looked_at &= ~has_it  # a line counts for its first reason only
        rows = np.flatnonzero(usable)
        order = np.argsort(_seconds(self.columns["submit"][rows]), kind="stable")
        return Selection(rows[order], size, {reason: n for reason, n in dropped.items() if n})

    def workload(
        self, capacity: int | None = None, *, keep: NDArray[np.bool_] | None = None, first: int | None = None
    ) -> Workload:
        """Make the workload to replay; the parameters are those of :meth:`select`.

        Processors are the requested ones, else the used ones; the walltime is the requested time,
        else the run time; the run time is at least a second and at most the walltime, at which a
        job is killed. Fractions of seconds are rounded to the nearest second.

        Raises
        ------
        ValueError
            If the capacity is not known, or no job is left.
        """
        return self.build(self.select(capacity, keep=keep, first=first))

    def build(self, selection: Selection) -> Workload:
        """Make the workload of a selection, job by job in the order of its rows."""
        rows = selection.rows
        if not rows.size:
            reasons = ", ".join(f"{n} {reason}" for reason, n in selection.dropped.items()) or "none was selected"
            raise ValueError(f"{self.source}: no usable job on {counted(selection.capacity, 'processor')} ({reasons})")
        logged = np.maximum(_seconds(self.columns["runtime"][rows]), 1)
        requested = self.columns["requested_time"][rows]
        walltime = np.where(requested > 0, np.maximum(_seconds(requested), 1), logged)
        wait = self.columns["wait"][rows]
        unknown = int(np.count_nonzero(requested <= 0))
        header = {key: value for key, value in self.header.fields.items() if key not in _STATEMENTS}
        if unknown:
            header[WALLTIMES] = f"{unknown:,} of {len(rows):,} jobs have none, their run times stand in"
        return Workload(
            name=self.name,
            capacity=selection.capacity,
            id=self.columns["job"][rows],
            submit=_seconds(self.columns["submit"][rows]),
            procs=self.processors()[rows],
            walltime=walltime,
            runtime=np.minimum(logged, walltime),
            user=self.columns["user"][rows],
            queue=self.columns["queue"][rows],
            deadline=self._deadlines(rows),  # type: ignore[arg-type] # None for none
            header=header,
            dropped=dict(selection.dropped),
            wait=np.where(wait >= 0, _seconds(wait), -1),
        )

    def _deadlines(self, rows: IntArray) -> IntArray | None:
        """The deadlines of some lines; None if the log has no such column."""
        if "deadline" not in self.further:
            return None
        deadline = self.further["deadline"][rows]
        has_deadline = deadline < NEVER  # false for NaN
        return np.where(has_deadline, _seconds(np.where(has_deadline, deadline, 0)), NEVER)

    def take(self, rows: IntArray | BoolArray | slice, **changed: NDArray[Any]) -> "SwfLog":
        """Keep some lines (indices, a slice or a mask) in that order, and replace whole columns."""
        columns, further, unusable = (
            {name: column[rows] for name, column in group.items()}
            for group in (self.columns, self.further, self.unusable)
        )
        return replace(self, columns=columns | changed, further=further, unusable=unusable)


def _seconds(times: NDArray[Any]) -> IntArray:
    """Whole seconds: the nearest ones."""
    exact = np.asarray(times, dtype=np.float64)
    down = np.floor(exact)
    # Adding a half to a large whole number would round it up.
    return (down + (exact - down >= 0.5)).astype(np.int64)
