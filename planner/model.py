"""Jobs and workloads: the jobs submitted to a machine."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from planbatch.planner.arguments import expect_all, short_repr, whole
from planbatch.planner.columns import MAX_VALUE, NEVER, BoolArray, FloatArray, IntArray, check_total, int_column
from planbatch.planner.display import brief_repr, counted, duration, hms, html_table, table_repr
from planbatch.planner.names import create
from planbatch.planner.resources import Resource, Window, amount_table, window_table

__all__ = ["MAX_VALUE", "NEVER", "BoolArray", "FloatArray", "IntArray", "Job", "JobTable", "Workload", "int_column"]


#: First submissions before this (s after 1970 began) are not of a real log.
EARLIEST = 365 * 86400


class JobTable(NamedTuple):
    """The waiting jobs, as columns that objectives, orders and searches may see.

    There is no column of run times, so that no planner can see them.

    Attributes
    ----------
    submit : int64 array, shape (n,)
        Submit times (s).
    procs : int64 array, shape (n,)
        Processors.
    walltime : int64 array, shape (n,)
        Estimated run time that the scheduler has to plan with (s).
    deadline : int64 array, shape (n,)
        Latest end requested by the user (s), or ``NEVER``.
    latest : int64 array, shape (n,)
        Latest start promised to the job (s), or ``NEVER``.
    user : int64 array, shape (n,)
        Number of the user, -1 if unknown.
    demands : int64 array, shape (n, K - 1)
        Demands on the resources besides processors; 0 if left out.
    past : float64 array, shape (n, H)
        Columns of the history that the order asks for (see :mod:`history`); no columns if it asks
        for nothing.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> problem.jobs.procs.tolist(), problem.jobs.walltime.tolist()
    ([4, 2], [100, 50])
    """

    submit: IntArray
    procs: IntArray
    walltime: IntArray
    deadline: IntArray
    latest: IntArray
    user: IntArray
    demands: IntArray = None  # type: ignore[assignment] # filled in by Round
    past: FloatArray = None  # type: ignore[assignment] # filled in by Round

    def __repr__(self) -> str:
        return table_repr(self, ("submit", "procs", "walltime"), NEVER)


@dataclass(frozen=True, slots=True)
class Job:
    """One job of a workload; see :class:`Workload` for the units.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import Job
    >>> job = Job(id=1, submit=0, procs=4, walltime=100, runtime=60)
    >>> job.deadline == pb.NEVER
    True
    """

    __repr__ = brief_repr

    id: int
    submit: int
    procs: int
    walltime: int
    runtime: int
    deadline: int = NEVER
    user: int = -1
    demands: tuple[int, ...] = ()


#: The columns of a workload that have one number per job.
_COLUMNS = ("id", "submit", "procs", "walltime", "runtime", "deadline", "user", "queue", "wait")


@dataclass(frozen=True)
class Workload:
    """The jobs of one machine in FCFS order, that is by (submit time, place in the file).

    Attributes
    ----------
    name : str
        Its name in tables and pictures.
    capacity : int
        Processors of the machine.
    id, submit, procs, walltime, runtime : int64 arrays, shape (n,)
        Job numbers; submit times (s); processors, 1 … capacity; requested times (s), at least 1;
        run times (s), 1 … walltime.
    deadline : int64 array, shape (n,)
        Latest ends (s), ``NEVER`` for none; all ``NEVER`` by default.
    user, queue : int64 arrays, shape (n,)
        Numbers from the log, -1 if unknown.
    header : mapping of str to str
        The header fields that the jobs came with.
    dropped : mapping of str to int
        How many jobs of the source were left out, by reason.
    resources : tuple of Resource
        The resources of the machine besides processors; none by default.
    demands : int64 array, shape (n, K - 1)
        Demands on those, in their order and units; 0 by default.
    windows : tuple of Window
        The windows in which a part of the machine is unavailable.
    wait : int64 array, shape (n,)
        How long each job waited when it was recorded (s), -1 if unknown; all -1 by default. No scheduler sees it.

    Raises
    ------
    ValueError
        If a column is out of its range or the columns differ in length; names the field.

    Examples
    --------
    >>> import numpy as np
    >>> import planbatch as pb
    >>> workload = pb.Workload(
    ...     "two jobs", 4, id=np.array([1, 2]), submit=np.array([0, 10]), procs=np.array([4, 2]),
    ...     walltime=np.array([100, 50]), runtime=np.array([80, 50]),
    ... )
    >>> len(workload), workload.take(workload.procs > 2).id.tolist()
    (2, [1])
    """

    name: str
    capacity: int
    id: IntArray
    submit: IntArray
    procs: IntArray
    walltime: IntArray
    runtime: IntArray
    deadline: IntArray = field(default=None)  # type: ignore[arg-type]
    user: IntArray = field(default=None)  # type: ignore[arg-type]
    queue: IntArray = field(default=None)  # type: ignore[arg-type]
    header: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    resources: tuple[Resource, ...] = ()
    demands: IntArray = field(default=None)  # type: ignore[arg-type]
    windows: tuple[Window, ...] = ()
    wait: IntArray = field(default=None)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        whole("capacity", self.capacity, 1, "processors")
        n = len(int_column("submit", self.submit, -MAX_VALUE))
        absent = {"deadline": NEVER, "user": -1, "queue": -1, "wait": -1}
        limits = {"procs": 1, "walltime": 1, "runtime": 1, "wait": -1}
        columns = {}
        for name in _COLUMNS:
            values = getattr(self, name)
            if values is None:
                values = np.full(n, absent[name])
            most = self.capacity if name == "procs" else MAX_VALUE
            columns[name] = int_column(name, values, limits.get(name, -MAX_VALUE), most)
            if len(columns[name]) != n:
                raise ValueError(f"{name}: {len(columns[name])} entries for {n} jobs")
        check_total("walltime", columns["walltime"])
        long = np.flatnonzero(columns["runtime"] > columns["walltime"])
        if long.size:
            raise ValueError(f"runtime[{long[0]}]: longer than the walltime {columns['walltime'][long[0]]}")
        for name, kind in (("resources", Resource), ("windows", Window)):
            object.__setattr__(self, name, expect_all(name, getattr(self, name), kind))
        window_table(self.windows, int(self.capacity), self.resources)
        columns["demands"] = self._checked_demands(columns["id"])
        order = np.argsort(columns["submit"], kind="stable")
        ordered = bool((order == np.arange(n)).all())
        for name, column in columns.items():
            sorted_column = column if ordered else column[order]
            sorted_column.flags.writeable = False
            object.__setattr__(self, name, sorted_column)
        object.__setattr__(self, "capacity", int(self.capacity))

    def _checked_demands(self, ids: IntArray) -> IntArray:
        """Return the demands, or raise a ``ValueError`` that names the job."""
        names = [resource.name for resource in self.resources]
        if len(set(names)) < len(names):
            raise ValueError(f"resources: a name occurs twice in {', '.join(names)}")
        table = amount_table("demand", self.demands, len(ids), names)
        for k, resource in enumerate(self.resources):
            large = np.flatnonzero(table[:, k] > resource.capacity)
            if large.size:
                i = large[0]
                raise ValueError(
                    f"job {ids[i]}: it takes {resource.amount(int(table[i, k]))}, above the capacity of "
                    f"{resource.capacity:,} ({large.size} such jobs of {len(ids)}; is the demand meant for each "
                    "processor, or for the whole job?)"
                )
        return table

    def __len__(self) -> int:
        return len(self.submit)

    @property
    def capacities(self) -> IntArray:
        """Capacities of all resources, the processors first; shape (K,)."""
        return np.array([self.capacity, *(resource.capacity for resource in self.resources)])

    @property
    def amounts(self) -> IntArray:
        """Demands on all resources, the processors first; shape (n, K)."""
        return np.column_stack([self.procs, self.demands])

    @property
    def _size(self) -> str:
        """Jobs, processors, further resources, and over how long the jobs were submitted."""
        parts = [counted(len(self), "job"), counted(self.capacity, "processor")]
        parts += [resource.amount(resource.capacity) for resource in self.resources]
        if len(self) > 1:
            parts.append(f"submitted in {duration(int(self.submit[-1] - self.submit[0]))}")
        return ", ".join(parts)

    @property
    def epoch(self) -> int | None:
        """The Unix time that submit times count from (s), if the header gives one.

        Made workloads start at 0, which is no date: if the first job would have been submitted in 1970, there is none.
        """
        start = self.unix_start
        return start if start is not None and len(self) and start + int(self.submit[0]) >= EARLIEST else None

    @property
    def unix_start(self) -> int | None:
        """What the header gives as the Unix time of time 0 (s), a date or not; None if nothing."""
        seconds = re.match(r"-?\d+", self.header.get("UnixStartTime", "").strip())
        return None if seconds is None else int(seconds[0])

    @property
    def _dropped(self) -> str:
        """How many jobs were left out, and why; empty if none was."""
        reasons = [f"{n:,} {reason}" for reason, n in self.dropped.items() if n]
        return f"left out: {', '.join(reasons)}" if reasons else ""

    def __repr__(self) -> str:
        parts = [self._size, *filter(None, [self._dropped])]
        return f"Workload({self.name}: {'; '.join(parts)})"

    def _repr_html_(self) -> str:
        """Return what notebooks show: the size, and how processors and times are distributed."""
        notes = [f"{self.name}: {self._size}"]
        users = len(np.unique(self.user[self.user >= 0]))
        notes += [counted(users, "user")] if users else []
        notes += [counted(len(self.windows), "window")] if self.windows else []
        with_deadline = int((self.deadline != NEVER).sum())
        notes += [f"{with_deadline:,} with deadlines"] if with_deadline else []
        notes += filter(None, [self._dropped])
        if not len(self):
            return html_table((), (), "; ".join(notes))
        measures = (("least", np.min), ("median", np.median), ("mean", np.mean), ("most", np.max))
        rows = [
            [name, f"{of(self.procs):,.4g}", hms(float(of(self.runtime))), hms(float(of(self.walltime)))]
            for name, of in measures
        ]
        headings = ("", "processors", "run time (h:m:s)", "walltime (h:m:s)")
        return html_table(headings, rows, "; ".join(notes))

    def __iter__(self) -> Iterator[Job]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, i: int) -> Job:
        columns = (self.id, self.submit, self.procs, self.walltime, self.runtime, self.deadline, self.user)
        numbers: list[Any] = [int(column[i]) for column in columns]
        return Job(*numbers, *[tuple(self.demands[i].tolist())])

    def take(self, which: "IntArray | BoolArray | slice", **changes: Any) -> "Workload":
        """Return the workload of the selected jobs (indices, slice or mask), with fields replaced by ``changes``.

        Raises ``ValueError`` if they select no jobs of this workload.
        """
        try:
            columns = {name: getattr(self, name)[which] for name in (*_COLUMNS, "demands")}
        except IndexError as error:
            raise ValueError(f"which: {short_repr(which)} selects no jobs of {len(self)}: {error}") from None
        if np.ndim(columns["submit"]) == 0:
            raise ValueError(f"which: {short_repr(which)} is one job; give a list of indices, a slice or a mask")
        return replace(self, **{**columns, **changes})

    @classmethod
    def from_frame(cls, frame: object, capacity: int | None = None, **options: Any) -> "Workload":
        """Make a workload of a data frame with one row per job; see :func:`workload_of_frame`."""
        return create("frame", "workload_of_frame")(frame, capacity, **options)  # type: ignore[no-any-return]

    def to_frame(self) -> Any:
        """Return the jobs as a data frame, from which :meth:`from_frame` makes the same workload again."""
        return create("frame", "frame_of_workload")(self)
