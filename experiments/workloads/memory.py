"""Memory as a resource: what the memory columns of a log mean, and what is assumed if they are empty.

Column 10 of the Standard Workload Format is the requested memory, column 7 the memory that was used; both should be
in KB per processor, but not every log follows this. All amounts here are in KB, and 1 KB is 1,024 bytes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.planner.model import BoolArray, FloatArray, IntArray, Workload
from planbatch.planner.names import did_you_mean
from planbatch.planner.resources import Resource

UNITS = {"B": 1 / 1024, "KB": 1.0, "MB": 1024.0, "GB": 1024.0**2, "TB": 1024.0**3}
_AMOUNT = re.compile(r"^(\d+(?:\.\d*)?)\s*([KMGT]?)i?(B?)(?:/(processor|node))?$", re.IGNORECASE)
_NODE = re.compile(r"^node:([1-9]\d*)$")
#: Value of ``source`` → columns of the log; the first known one counts.
SOURCES = {
    "requested": ("requested_memory",),
    "used": ("used_memory",),
    "either": ("requested_memory", "used_memory"),
}
COLUMN_TEXT = {"requested_memory": "requested (column 10)", "used_memory": "used (column 7)"}
UNKNOWN_MEMORY = "memory not known"
TOO_MUCH_MEMORY = "more memory than the machine has"
#: If more than this share of the jobs exceeds the machine's memory, the unit is assumed to be wrong.
SUSPICIOUS = 0.5


@dataclass(frozen=True)
class MemoryRule:
    """What the memory columns of a log mean.

    Attributes
    ----------
    source : {"requested", "used", "either"}
        Which column counts; ``either`` takes the requested memory, else the used one.
    capacity : str
        Memory of the machine: an amount such as ``1TB``, ``1GB/processor``, or ``4GB/node`` if ``per`` gives the size
        of a node.
    per : str
        What an amount refers to: a ``processor``, the whole ``job``, or ``node:N``, a node of N processors.
    unit : str
        Unit of the column: B, KB, MB, GB or TB.
    unknown : str
        Memory of jobs without a value: ``median`` of the others, an amount (per processor, job or node), ``0``, or
        ``drop`` to leave these jobs out.

    Raises
    ------
    ValueError
        If one of them cannot be read; the message names the flag.
    """

    source: str
    capacity: str
    per: str = "processor"
    unit: str = "KB"
    unknown: str = "median"

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise ValueError(
                f"memory: there is no {self.source!r}; {did_you_mean(self.source, SOURCES)}"
            )
        if self.unit not in UNITS:
            raise ValueError(
                f"memory unit: there is no {self.unit!r}; choose one of {', '.join(UNITS)}"
            )
        if self.per not in ("processor", "job") and not _NODE.match(self.per):
            raise ValueError(
                f"memory per: {self.per!r} is none of processor, job and node:N (N processors)"
            )
        if self.unknown not in ("median", "drop"):
            amount(self.unknown, "memory unknown")
        amount(self.capacity, "memory capacity")

    def units(self, procs: IntArray) -> IntArray:
        """How many times jobs of these sizes take the amount in the column: once per processor, job or node."""
        if self.per == "processor":
            return procs
        if self.per == "job":
            return np.ones_like(procs)
        return -(-procs // int(self.per[5:]))

    def resource(self, processors: int) -> Resource:
        """Memory of a machine with this many processors, in KB."""
        size, each = amount(self.capacity, "memory capacity")
        count = 1
        if each == "processor":
            count = processors
        elif each == "node":
            if not _NODE.match(self.per):
                raise ValueError(
                    f"memory capacity: {self.capacity} needs the size of a node; give --memory-per node:N, "
                    "or the whole amount"
                )
            count = processors // int(self.per[5:])
        whole = int(size * count)
        if whole < 1:
            raise ValueError(
                f"memory capacity: {self.capacity} makes less than 1 KB on {processors} processors"
            )
        return Resource("memory", whole, "KB")

    def column(self, log: SwfLog) -> tuple[FloatArray, dict[str, BoolArray]]:
        """The column, shape (n,), NaN for unknown values; and which lines are known from which column."""
        values = np.full(len(log), np.nan)
        known: dict[str, BoolArray] = {}
        for name in SOURCES[self.source]:
            given = log.columns[name]
            known[name] = np.isnan(values) & (given > 0)
            values[known[name]] = given[known[name]] * UNITS[self.unit]
        return values, known

    def read(self, log: SwfLog, procs: IntArray, processors: int) -> "Memory":
        """The memory of every line of a log.

        Parameters
        ----------
        log : SwfLog
            The log.
        procs : int64 array, shape (n,)
            Processors of its lines.
        processors : int
            Processors of the machine.

        Raises
        ------
        ValueError
            If no line has a value and ``unknown`` is ``median``.
        """
        values, known = self.column(log)
        missing = np.isnan(values)
        if self.unknown == "median":
            if missing.all():
                columns = " and ".join(COLUMN_TEXT[name] for name in known)
                raise ValueError(
                    f"{log.source}: no job says what memory it takes ({columns}), so there is no median; "
                    "give --memory-unknown an amount, or another --memory"
                )
            assumed = float(np.median(values[~missing]))
        else:
            assumed = 0.0 if self.unknown == "drop" else amount(self.unknown, "memory unknown")[0]
        each = np.where(missing, assumed, values)
        # Round up to whole KB; the factor absorbs the rounding of a division and a product.
        taken = np.ceil(each * self.units(np.maximum(procs, 0)) * (1 - 1e-12))
        table = np.minimum(taken, 2.0**53).astype(np.int64)
        return Memory(self, self.resource(processors), table, known, assumed)

    def column_text(self) -> str:
        """Describe the column in words."""
        each = {"processor": "for each processor", "job": "for the whole job"}.get(
            self.per, f"for each node of {self.per[5:]} processors"
        )
        return f"{self.unit} {each}"


@dataclass(frozen=True)
class Memory:
    """The memory of the lines of a log.

    Attributes
    ----------
    rule : MemoryRule
        How it was read.
    resource : Resource
        The memory of the machine, in KB.
    amounts : int64 array, shape (n,)
        Memory of each line (KB).
    known : mapping of str to bool array, shape (n,)
        Which lines are known from which column.
    assumed : float
        Amount assumed for the others (KB), per processor, job or node.
    """

    rule: MemoryRule
    resource: Resource
    amounts: IntArray
    known: Mapping[str, BoolArray]
    assumed: float

    @property
    def unknown(self) -> BoolArray:
        """The lines without a value."""
        return ~np.logical_or.reduce(list(self.known.values()))

    def wrong(self) -> dict[str, BoolArray]:
        """Which lines have to be left out, by reason."""
        found = {UNKNOWN_MEMORY: self.unknown} if self.rule.unknown == "drop" else {}
        return found | {TOO_MUCH_MEMORY: self.amounts > self.resource.capacity}

    def statement(self, rows: Any) -> str:
        """Describe what was assumed for how many of the jobs in these rows of the log."""
        counts = [
            f"{int(mask[rows].sum()):,} {COLUMN_TEXT[name]}" for name, mask in self.known.items()
        ]
        text = f"memory: {' and '.join(counts)}, {self.rule.column_text()}"
        absent = int(self.unknown[rows].sum())
        if absent:
            why = ", the median of the others" if self.rule.unknown == "median" else ""
            each = self.rule.column_text().split(" ", 1)[1]
            text += f"; {absent:,} not known and taken as {amount_text(self.assumed)} {each}{why}"
        return f"{text}; the machine has {amount_text(self.resource.capacity)}"

    def check_units(self, log: SwfLog, procs: IntArray, usable: BoolArray) -> None:
        """Refuse units with which most usable lines need more memory than the machine has.

        Raises
        ------
        ValueError
            With an example, the numbers, and the units that would make sense.
        """
        above = usable & (self.amounts > self.resource.capacity)
        n, total = int(above.sum()), int(usable.sum())
        if not total or n <= SUSPICIOUS * total:
            return
        line = int(np.flatnonzero(above)[0])
        raise ValueError(
            f"{log.source}: {n:,} of {total:,} jobs take more memory than the machine has; job "
            f"{log.columns['job'][line]} takes {amount_text(self.amounts[line])} on {procs[line]} processors, the "
            f"machine has {amount_text(self.resource.capacity)}; is the column really in {self.rule.column_text()}?"
            + self._better(log, procs, usable)
        )

    def _better(self, log: SwfLog, procs: IntArray, usable: BoolArray) -> str:
        """Units with which nearly all lines would fit."""
        values, _ = self.rule.column(log)
        for unit, per in (("KB", "job"), ("B", "processor"), ("B", "job")):
            other = replace(self.rule, unit=unit, per=per)
            scale = UNITS[unit] / UNITS[self.rule.unit]
            large = usable & (values * scale * other.units(procs) > self.resource.capacity)
            if large.sum() <= 0.05 * usable.sum():
                flags = f"--memory-unit {unit} --memory-per {per}"
                return f" With {flags}, {int(large.sum()):,} would."
        return ""

    def given_to(self, workload: Workload, rows: IntArray) -> Workload:
        """The workload of these rows with its memory; its header says what was assumed."""
        statement = self.statement(rows)
        if large := workload.dropped.get(TOO_MUCH_MEMORY):
            statement += f", and {large:,} jobs that take more are left out"
        return workload.take(
            slice(None),
            resources=(*workload.resources, self.resource),
            demands=np.column_stack([workload.demands, self.amounts[rows]]),
            header={**workload.header, "Memory": statement},
        )


def amount(text: str, flag: str) -> tuple[float, str]:
    """Read an amount such as ``1.5GB`` or ``1GB/processor``: in KB, and what it refers to ("" for the whole).

    Raises
    ------
    ValueError
        If it cannot be read; the message names the flag.
    """
    match = _AMOUNT.match(text.strip())
    if not match or not (match[2] or match[3] or float(match[1]) == 0):
        extra = ", and 1GB/processor" if "capacity" in flag else ""
        raise ValueError(f"{flag}: {text!r} is not an amount such as 512MB, 1.5GB or 1TB{extra}")
    if match[4] and "capacity" not in flag:
        raise ValueError(f"{flag}: {text!r} is for each {match[4]}; give an amount, such as 32MB")
    return float(match[1]) * UNITS[f"{match[2].upper()}B"], (match[4] or "").lower()


def amount_text(kilobytes: float | NDArray[Any]) -> str:
    """Format an amount: in the largest unit that gives a number above 1, with at most two decimals."""
    value = float(kilobytes)
    unit = next((name for name in ("TB", "GB", "MB") if value >= UNITS[name]), "KB")
    return f"{value / UNITS[unit]:,.2f}".rstrip("0").rstrip(".") + f" {unit}"
