"""Any resource of a log or a synthetic workload: what a column means, and what is assumed if it is empty.

Memory is counted in KB, and 1 KB is 1,024 bytes; everything else, such as GPUs and licences, in whole numbers. Columns
7 (used) and 10 (requested) of the Standard Workload Format hold memory, which should be in KB per processor, but not
every log follows this.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.tables.columns import UNKNOWN
from planbatch.planner.display import short_repr
from planbatch.planner.model import BoolArray, FloatArray, IntArray, Workload
from planbatch.planner.names import did_you_mean
from planbatch.planner.resources import Resource

# Amounts as they are written: numbers, and sizes of memory with a unit.

UNITS = {"B": 1 / 1024, "KB": 1.0, "MB": 1024.0, "GB": 1024.0**2, "TB": 1024.0**3}
_AMOUNT = re.compile(r"^(\d+(?:\.\d*)?)\s*([KMGT]?)i?(B?)(?:/(processor|node))?$", re.IGNORECASE)
_COUNT = re.compile(r"^(\d+)(?:/(processor|node))?$", re.IGNORECASE)


def amount(text: str, flag: str) -> tuple[float, str]:
    """Read an amount such as ``1.5GB`` or ``1GB/processor``: in KB, and what it refers to ("" for the whole).

    Raises ``ValueError`` if it cannot be read; the message names the flag.
    """
    match = _AMOUNT.match(text.strip())
    if not match or not (match[2] or match[3] or float(match[1]) == 0):
        extra = ", and 1GB/processor" if "capacity" in flag else ""
        raise ValueError(f"{flag}: {text!r} is not an amount such as 512MB, 1.5GB or 1TB{extra}")
    if match[4] and "capacity" not in flag:
        raise ValueError(f"{flag}: {text!r} is for each {match[4]}; give an amount, such as 32MB")
    return float(match[1]) * UNITS[f"{match[2].upper()}B"], (match[4] or "").lower()


def count(text: str, flag: str) -> tuple[float, str]:
    """Read a number such as ``64`` or ``4/node``, and what it refers to, as :func:`amount` does."""
    match = _COUNT.match(text.strip())
    if not match:
        raise ValueError(f"{flag}: {text!r} is not a whole number such as 64, or 4/node")
    if match[2] and "capacity" not in flag:
        raise ValueError(f"{flag}: {text!r} is for each {match[2]}; give a number")
    return float(match[1]), (match[2] or "").lower()


def has_unit(text: str) -> bool:
    """Whether a text is a size of memory with its unit."""
    match = _AMOUNT.match(text.strip())
    return bool(match and (match[2] or match[3]))


def amount_text(kilobytes: float | NDArray[Any]) -> str:
    """Format an amount: in the largest unit that gives a number above 1, with at most two decimals."""
    value = float(kilobytes)
    unit = next((name for name in ("TB", "GB", "MB") if value >= UNITS[name]), "KB")
    return f"{value / UNITS[unit]:,.2f}".rstrip("0").rstrip(".") + f" {unit}"


_NODE = re.compile(r"^node:([1-9]\d*)$")
_RULE = re.compile(r"^([^=,]+)=(.+?)(?::([^:,/]+(?:/\w+)?))?((?:,[a-z]+=[^,]+)*)$")
#: What statements call columns of the Standard Workload Format.
COLUMN_TEXT = {"requested_memory": "requested (column 10)", "used_memory": "used (column 7)"}


@dataclass(frozen=True)
class ResourceRule:
    """What columns of a log say about a resource; ``ValueError`` if a field cannot be read: the message names it."""

    name: str  # of the resource
    columns: tuple[str, ...]  # of the log; the first known value counts
    #: What the machine has: ``64``, or with a unit ``1TB``; for each ``/processor``, or ``/node`` if ``per`` gives the
    #: size of a node.
    capacity: str
    per: str = "job"  # what a value refers to: ``processor``, ``job``, or ``node:N``, a node of N processors
    unit: str = ""  # unit of memory in the column: B, KB, MB, GB or TB; empty for counts
    #: The value of jobs without one: ``median`` of the others, an amount (per processor, job or node), ``0``, or
    #: ``drop`` to leave these jobs out.
    unknown: str = "0"
    flags: bool = False  # whether each of these has a flag of its own, which messages name

    def __post_init__(self) -> None:
        if self.unit and self.unit not in UNITS:
            raise ValueError(f"{self.name} unit: there is no {self.unit!r}; choose one of {', '.join(UNITS)}")
        if self.per not in ("processor", "job") and not _NODE.match(self.per):
            raise ValueError(f"{self.name} per: {self.per!r} is none of processor, job and node:N (N processors)")
        if self.unknown not in ("median", "drop"):
            self.quantity(self.unknown, "unknown")
        self.quantity(self.capacity, "capacity")

    @property
    def measured(self) -> bool:
        """Whether the resource is memory, and not a count."""
        return bool(self.unit)

    def quantity(self, text: str, what: str) -> tuple[float, str]:
        """Read an amount in KB or a number, and what it refers to; ``what`` is the parameter that messages name."""
        return (amount if self.measured else count)(text, f"{self.name} {what}")

    def format(self, value: float) -> str:
        """Write an amount down for people."""
        return amount_text(value) if self.measured else f"{value:,g}"

    def flag(self, key: str, value: str) -> str:
        """Return how the user gives a parameter."""
        return f"--{self.name}-{key} {value}" if self.flags else f"{key}={value}"

    def units(self, procs: IntArray) -> IntArray:
        """How many times jobs of these sizes take the value in the column: once per processor, job or node."""
        if self.per == "processor":
            return procs
        if self.per == "job":
            return np.ones_like(procs)
        return -(-procs // int(self.per[5:]))

    def resource(self, processors: int) -> Resource:
        """The resource of a machine with this many processors; memory is in KB."""
        size, each = self.quantity(self.capacity, "capacity")
        number = 1
        if each == "processor":
            number = processors
        elif each == "node":
            if not _NODE.match(self.per):
                raise ValueError(
                    f"{self.name} capacity: {self.capacity} needs the size of a node; give "
                    f"{self.flag('per', 'node:N')}, or the whole amount"
                )
            number = processors // int(self.per[5:])
        whole = int(size * number)
        if whole < 1:
            least = "1 KB" if self.measured else "1"
            raise ValueError(
                f"{self.name} capacity: {self.capacity} makes less than {least} on {processors} processors"
            )
        return Resource(self.name, whole, "KB" if self.measured else "")

    def column(self, log: SwfLog) -> tuple[FloatArray, dict[str, BoolArray]]:
        """The column, shape (n,), NaN for unknown values; and which lines are known from which column."""
        values = np.full(len(log), np.nan)
        masks: dict[str, BoolArray] = {}
        for name in self.columns:
            amounts = self._read(log, name)
            masks[name] = np.isnan(values) & ~np.isnan(amounts)
            values[masks[name]] = amounts[masks[name]]
        return values, masks

    def _read(self, log: SwfLog, name: str) -> FloatArray:
        """The values of one column in the resource's unit, shape (n,)."""
        scale = UNITS[self.unit] if self.measured else 1.0
        if name in log.columns:
            amounts = np.asarray(log.columns[name], dtype=np.float64)
            return np.where(amounts > 0, amounts * scale, np.nan)  # in SWF, 0 is no amount either
        if name not in log.further:
            names = [*log.further, *log.columns]
            raise ValueError(f"{self.name}: {log.source} has no column {name!r}; {did_you_mean(name, names)}")
        column = log.further[name]
        if column.dtype.kind in "iuf":
            return np.where(column >= 0, column * scale, np.nan)
        return np.array([self._value(log, name, i, scale) for i in range(len(log))], dtype=np.float64)

    def _value(self, log: SwfLog, name: str, i: int, scale: float) -> float:
        """One value that is written as a text."""
        text = str(log.further[name][i]).strip()
        if text.lower() in UNKNOWN:
            return np.nan
        try:
            if self.measured and has_unit(text):
                return amount(text, name)[0]
            value = float(text) * scale
        except ValueError:
            value = np.nan
        if not 0 <= value <= 2.0**53:
            job = log.columns["job"][i]
            what = "an amount such as 512MB" if self.measured else "a number"
            raise ValueError(f"{log.source}, job {job}: column {name} is {short_repr(text)}, not {what}")
        return value

    def column_text(self) -> str:
        """Describe the column in words."""
        each = {"processor": "for each processor", "job": "for the whole job"}.get(
            self.per, f"for each node of {self.per[5:]} processors"
        )
        return f"{self.unit} {each}".strip()


def parse_rule(text: str) -> ResourceRule:
    """Read ``NAME=COLUMN:CAPACITY[,per=…][,unit=…][,unknown=…]``, such as ``gpus=gres/gpu:64``.

    A capacity with a unit (``memory=mem:4TB``) says that the column holds memory, in KB or in its own units; jobs
    without a value then take the median of the others, and otherwise nothing.

    Raises ``ValueError`` if it cannot be read.
    """
    match = _RULE.match(text.strip())
    form = "NAME=COLUMN:CAPACITY, such as gpus=ngpus:64 or memory=mem:4TB,per=job"
    if match is None:
        raise ValueError(f"resource: {text!r} is not of the form {form}")
    name, column, capacity, rest = match.groups()
    if capacity is None:
        raise ValueError(f"resource {name}: how much the machine has is missing in {text!r}; give {form}")
    options = dict(pair.split("=", 1) for pair in rest.split(",")[1:])
    for key in options:
        if key not in ("per", "unit", "unknown"):
            hint = did_you_mean(key, ("per", "unit", "unknown"))
            raise ValueError(f"resource {name}: there is no {key!r}; {hint}")
    if has_unit(capacity):
        options = {"unit": "KB", "unknown": "median"} | options
    return ResourceRule(name.strip(), (column.strip(),), capacity, **options)  # type: ignore[arg-type] # only texts


#: Value of ``--memory`` → columns of the log; the first known one counts.
SOURCES = {"requested": ("requested_memory",), "used": ("used_memory",), "either": ("requested_memory", "used_memory")}


def memory_rule(
    source: str, capacity: str, per: str = "processor", unit: str = "KB", unknown: str = "median"
) -> ResourceRule:
    """Make the rule that turns memory columns into a resource.

    ``source`` says which column counts: ``requested``, ``used``, or ``either``, the requested memory, else the used
    one. The others are those of :class:`ResourceRule`. Raises ``ValueError`` if one of them cannot be read; the message
    names the flag.
    """
    if source not in SOURCES:
        raise ValueError(f"memory: there is no {source!r}; {did_you_mean(source, SOURCES)}")
    return ResourceRule("memory", SOURCES[source], capacity, per, unit, unknown, flags=True)


# Memory of synthetic workloads

#: How often amounts are scaled again, since no job can take more than the machine has.
ROUNDS = 50


def with_scarce_memory(workload: Workload, memory: str, seed: int = 1) -> Workload:
    """Give jobs memory demands, so that memory is as scarce as processors.

    Each job takes the same share of the memory as another job, drawn at random, takes of the processors: both have the
    same distribution, and they are independent. Then all amounts are scaled so that Σ memory × run time is the same
    share of the machine as Σ processors × run time. ``memory`` is that of the machine: ``256GB``, or ``1GB/processor``;
    ``ValueError`` if it cannot be read.
    """
    size, each = amount(memory, "memory capacity")
    if each == "node":
        raise ValueError(f"memory capacity: {memory} needs nodes; give an amount, or 1GB/processor")
    count = workload.capacity if each else 1
    resource = Resource("memory", max(int(size * count), 1), "KB")
    share = np.random.default_rng([seed, 2]).permutation(workload.procs) / workload.capacity
    run = workload.runtime.astype(np.float64)
    target = (workload.procs * run).sum() / workload.capacity
    for _ in range(ROUNDS):
        share = np.minimum(share * target / (share * run).sum(), 1.0)
    amounts = np.ceil(share * resource.capacity).astype(np.int64)
    return workload.take(
        slice(None), resources=(*workload.resources, resource), demands=np.column_stack([workload.demands, amounts])
    )
