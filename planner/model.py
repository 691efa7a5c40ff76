"""Jobs and workloads: what a machine was asked to run."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

#: "No such time": no deadline, no promise, not planned. Far from the limits of int64, so that sums stay safe.
NEVER = 2**60
#: The largest time, size or duration that is accepted: beyond it, float64 no longer holds every integer.
MAX_VALUE = 2**53


class JobTable(NamedTuple):
    """Waiting jobs as columns: what an objective, an order or a search may see of them.

    There is no column of run times, so that no planner can see them.

    Attributes
    ----------
    submit : int64 array, shape (n,)
        Submit times (s).
    procs : int64 array, shape (n,)
        Processors.
    walltime : int64 array, shape (n,)
        For how long the scheduler has to reckon with the job (s).
    deadline : int64 array, shape (n,)
        Latest end that the user asked for (s), or ``NEVER``.
    latest : int64 array, shape (n,)
        Latest start that the job was promised (s), or ``NEVER``.
    user : int64 array, shape (n,)
        Number of the user, -1 where it is not known.
    """

    submit: IntArray
    procs: IntArray
    walltime: IntArray
    deadline: IntArray
    latest: IntArray
    user: IntArray


@dataclass(frozen=True, slots=True)
class Job:
    """One job of a workload; see :class:`Workload` for the units."""

    id: int
    submit: int
    procs: int
    walltime: int
    runtime: int
    deadline: int = NEVER
    user: int = -1


def int_column(name: str, values: Any, least: int, most: int = MAX_VALUE) -> IntArray:
    """``values`` as a read-only int64 array, or a ``ValueError`` that names the column and the entry.

    Parameters
    ----------
    name : str
        What the column is called in messages.
    values : array_like
        One-dimensional; whole numbers.
    least, most : int
        The range that is accepted, both ends included; ``NEVER`` is accepted as well.

    Returns
    -------
    int64 array, shape (n,)
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected one dimension, got shape {array.shape}")
    if array.dtype.kind not in "iu":
        if array.dtype.kind not in "fb" and array.size:
            raise ValueError(f"{name}: expected whole numbers, got {array.dtype}")
        wrong = np.flatnonzero(~(np.isfinite(array) & (array == np.floor(array))))
        if wrong.size:
            raise ValueError(f"{name}[{wrong[0]}]: {array[wrong[0]]} is not a whole number")
    wrong = np.flatnonzero(((array < least) | (array > most)) & (array != NEVER))
    if wrong.size:
        value = array[wrong[0]]
        raise ValueError(f"{name}[{wrong[0]}]: {value} is outside {least} … {most}")
    column = np.array(array, dtype=np.int64, order="C")
    column.flags.writeable = False
    return column


@dataclass(frozen=True)
class Workload:
    """The jobs of one machine in FCFS order, that is by (submit time, place in the file).

    Attributes
    ----------
    name : str
        What tables and pictures call it.
    capacity : int
        Processors of the machine.
    id, submit, procs, walltime, runtime : int64 arrays, shape (n,)
        Job numbers; submit times (s); processors, 1 … capacity; requested times (s), at least 1;
        run times (s), 1 … walltime.
    deadline : int64 array, shape (n,)
        Latest ends (s), ``NEVER`` for none; all ``NEVER`` by default.
    user, queue : int64 arrays, shape (n,)
        Numbers from the log, -1 where not known.
    header : mapping of str to str
        The header fields that the jobs came with.
    dropped : mapping of str to int
        How many jobs of the source were left out, by reason.

    Raises
    ------
    ValueError
        Where a column is out of its range or the columns differ in length; names the field.
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

    def __post_init__(self) -> None:
        if (
            isinstance(self.capacity, bool)
            or int(self.capacity) != self.capacity
            or self.capacity < 1
        ):
            raise ValueError(
                f"capacity: {self.capacity!r} is not a positive whole number of processors"
            )
        n = len(self.submit)
        absent = {"deadline": NEVER, "user": -1, "queue": -1}
        limits = {"id": -MAX_VALUE, "submit": -MAX_VALUE, "procs": 1, "walltime": 1, "runtime": 1}
        columns = {}
        for name in ("id", "submit", "procs", "walltime", "runtime", "deadline", "user", "queue"):
            values = getattr(self, name)
            if values is None:
                values = np.full(n, absent[name])
            most = self.capacity if name == "procs" else MAX_VALUE
            columns[name] = int_column(name, values, limits.get(name, -MAX_VALUE), most)
            if len(columns[name]) != n:
                raise ValueError(f"{name}: {len(columns[name])} entries for {n} jobs")
        long = np.flatnonzero(columns["runtime"] > columns["walltime"])
        if long.size:
            raise ValueError(
                f"runtime[{long[0]}]: longer than the walltime {columns['walltime'][long[0]]}"
            )
        order = np.argsort(columns["submit"], kind="stable")
        ordered = bool((order == np.arange(n)).all())
        for name, column in columns.items():
            if not ordered:
                column = column[order]
                column.flags.writeable = False
            object.__setattr__(self, name, column)
        object.__setattr__(self, "capacity", int(self.capacity))

    def __len__(self) -> int:
        return len(self.submit)

    def __iter__(self) -> Iterator[Job]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, i: int) -> Job:
        columns = (
            self.id,
            self.submit,
            self.procs,
            self.walltime,
            self.runtime,
            self.deadline,
            self.user,
        )
        return Job(*(int(column[i]) for column in columns))

    def take(self, which: Any, **changes: Any) -> "Workload":
        """The workload of the jobs that ``which`` (indices, a slice or a mask) selects; fields may be replaced."""
        columns = ("id", "submit", "procs", "walltime", "runtime", "deadline", "user", "queue")
        chosen = {name: getattr(self, name)[which] for name in columns}
        return replace(self, **{**chosen, **changes})
