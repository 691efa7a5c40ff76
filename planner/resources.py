"""Resources besides processors, and windows of time in which a part of the machine is unavailable."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from planbatch.planner.arguments import short_repr, whole
from planbatch.planner.columns import MAX_VALUE, IntArray, int_column
from planbatch.planner.names import did_you_mean

#: The first resource of every machine.
PROCESSORS = "processors"


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource that jobs share besides the processors: memory, GPUs, licences, burst buffers.

    Attributes
    ----------
    name : str
        Its name in files, tables and messages.
    capacity : int
        The amount that the machine has.
    unit : str
        The unit of capacities and demands.

    Raises
    ------
    ValueError
        If the name is empty or taken, or the capacity is not a positive whole number.

    Examples
    --------
    >>> import planbatch as pb
    >>> memory = pb.Resource("memory", 64_000_000, "kB")
    >>> memory.amount(2_000_000)
    '2,000,000 kB of memory'
    """

    name: str
    capacity: int
    unit: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name or self.name in (PROCESSORS, "procs"):
            raise ValueError(f"resource name: {self.name!r} is no text, empty, or means the processors")
        if not isinstance(self.unit, str):
            raise ValueError(f"resource {self.name}: the unit {short_repr(self.unit)} is no text")
        object.__setattr__(self, "capacity", whole(f"resource {self.name}: capacity", self.capacity, 1))

    def amount(self, value: int) -> str:
        """Return an amount of the resource in words."""
        return f"{value:,} {self.unit}".strip() + f" of {self.name}"


@dataclass(frozen=True, slots=True)
class Window:
    """One window of a workload in which a part of the machine is unavailable.

    Running jobs keep what they have, even into a window: the window takes what is free, then each processor as it is
    released; until it has its share, nothing is free. A window that becomes known late may break promises, which is
    reported.

    Attributes
    ----------
    start, end : int
        Begin and end (s).
    amounts : mapping of str to int
        Unavailable amounts, by the names of the resources; ``processors`` is the first.
    known : int, optional
        Time from which schedulers know of it (s): early for maintenance, its start (the default) for a failure.

    Raises
    ------
    ValueError
        If a time or an amount is no whole number, an amount is negative, or the window takes no time or nothing.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.Window(start=3600, end=7200, amounts={"processors": 64}, known=0).announced
    0
    """

    start: int
    end: int
    amounts: Mapping[str, int]
    known: int | None = None

    def __post_init__(self) -> None:
        start, end = whole("window start", self.start, None), whole("window end", self.end, None)
        if end <= start:
            raise ValueError(f"window: {never_left(start, end)}")
        if not isinstance(self.amounts, Mapping):
            raise ValueError(f"window amounts: {short_repr(self.amounts)} is no mapping such as {{'processors': 64}}")
        amounts = {name: whole(f"window {name}", amount) for name, amount in self.amounts.items()}
        if not any(amounts.values()):
            raise ValueError("window: it takes nothing of any resource")
        known = None if self.known is None else whole("window known", self.known, None)
        for name, value in (("start", start), ("end", end), ("amounts", amounts), ("known", known)):
            object.__setattr__(self, name, value)

    @property
    def announced(self) -> int:
        """The time at which it becomes known (s), its start at the latest."""
        return self.start if self.known is None else min(self.known, self.start)


class Windows(NamedTuple):
    """Times at which a part of the machine is unavailable: maintenance, failed nodes, advance reservations."""

    start: IntArray  # begin of each (s), shape (w,)
    end: IntArray  # end of each (s), shape (w,)
    amounts: IntArray  # unavailable amount of each resource, the processors first, shape (w, K)


def never_left(begin: object, end: object) -> str:
    """Say what is wrong with a window that does not end after its start."""
    return f"it begins at {begin} and ends at {end}, which is never left; give an end after its start"


def names_of(resources: Sequence[Resource]) -> list[str]:
    """Return the names of a machine's resources, the processors first."""
    return [PROCESSORS, *(resource.name for resource in resources)]


def no_windows(further: int) -> Windows:
    """Return a table of no windows, for a machine with so many resources besides processors."""
    empty = np.zeros(0, dtype=np.int64)
    return Windows(empty, empty, np.zeros((0, 1 + further), dtype=np.int64))


def checked_windows(windows: Windows | None, capacity: int, resources: Sequence[Resource]) -> Windows:
    """Return windows as read-only int64 columns.

    Raises ``ValueError`` if a window ends before it begins, takes more than there is or takes nothing, or a column has
    the wrong shape.
    """
    if windows is None:
        return no_windows(len(resources))
    start = int_column("window start", windows.start, -MAX_VALUE)
    end = int_column("window end", windows.end, -MAX_VALUE)
    if len(start) != len(end):
        raise ValueError(f"window end: {len(end)} entries for {len(start)} windows")
    wrong = np.flatnonzero((end <= start) | (end > MAX_VALUE))
    if wrong.size:
        i = wrong[0]
        raise ValueError(f"window {i}: {never_left(start[i], end[i])}")
    limits = [capacity, *(resource.capacity for resource in resources)]
    names = names_of(resources)
    amounts = amount_table("window", windows.amounts, len(start), names, limits)
    idle = np.flatnonzero(amounts.sum(axis=1) == 0)
    if idle.size:
        raise ValueError(f"window {idle[0]}: it takes nothing of any resource")
    return Windows(start, end, amounts)


def window_table(windows: Sequence[Window], capacity: int, resources: Sequence[Resource]) -> Windows:
    """Return the windows as columns, checked (see :func:`checked_windows`)."""
    names = names_of(resources)
    amounts = np.zeros((len(windows), len(names)), dtype=np.int64)
    for w, window in enumerate(windows):
        for name, amount in window.amounts.items():
            if name not in names:
                raise ValueError(f"window {w}: the machine has no {name!r}; {did_you_mean(name, names)}")
            amounts[w, names.index(name)] = amount
    columns = ([window.start for window in windows], [window.end for window in windows])
    start, end = (np.array(column, dtype=np.int64) for column in columns)
    return checked_windows(Windows(start, end, amounts), capacity, resources)


def amount_table(
    what: str, values: object, rows: int, names: Sequence[str], limits: Sequence[int] | None = None
) -> IntArray:
    """Return ``values`` as a read-only int64 array of shape (rows, resources), from 0 up to the limit of each column.

    Raises ``ValueError`` if an entry is out of its range, or the shape is wrong; names the table, the entry and the
    resource.
    """
    if values is None:
        values = np.zeros((rows, len(names)), dtype=np.int64)
    array = np.asarray(values)
    if array.shape != (rows, len(names)):
        raise ValueError(
            f"{what} amounts: expected {rows} rows of {len(names)} ({', '.join(names)}), got shape {array.shape}"
        )
    table = np.empty(array.shape, dtype=np.int64)
    for k, name in enumerate(names):
        table[:, k] = int_column(f"{what} {name}", array[:, k], 0)
        wrong = np.flatnonzero(table[:, k] > limits[k]) if limits else np.empty(0)
        if limits and wrong.size:
            raise ValueError(f"{what} {name}[{wrong[0]}]: {table[wrong[0], k]} is above the capacity of {limits[k]}")
    table.flags.writeable = False
    return table
