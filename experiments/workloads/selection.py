"""Which lines of a log become jobs, and what they take of each resource."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from planbatch.experiments.common.text import duration
from planbatch.experiments.workloads import transform
from planbatch.experiments.workloads.options import WorkloadOptions, parse_span
from planbatch.experiments.workloads.partitions import in_partition
from planbatch.experiments.workloads.resources import COLUMN_TEXT, UNITS, ResourceRule
from planbatch.experiments.workloads.swf.log import Selection, SwfLog
from planbatch.planner.arguments import whole
from planbatch.planner.model import EARLIEST, BoolArray, IntArray, Workload
from planbatch.planner.resources import Resource

#: If more than this share of the jobs exceeds the machine's capacity, the unit is assumed to be wrong.
SUSPICIOUS = 0.5


@dataclass(frozen=True)
class Demand:
    """What the lines of a log take of a resource."""

    rule: ResourceRule  #: how it was read
    resource: Resource  #: the resource of the machine
    amounts: IntArray  #: shape (n,): what each line takes, in the resource's unit
    known: Mapping[str, BoolArray]  #: shape (n,): which lines are known from which column
    assumed: float  #: what is assumed for the others, per processor, job or node

    @property
    def unknown(self) -> BoolArray:
        """The lines without a value."""
        return ~np.logical_or.reduce(list(self.known.values()))

    @property
    def too_much(self) -> str:
        """The reason for leaving out jobs that take more than there is."""
        return f"more {self.rule.name} than the machine has"

    def wrong(self) -> dict[str, BoolArray]:
        """Which lines have to be left out, by reason."""
        dropped = self.rule.unknown == "drop"
        unknown = {f"{self.rule.name} not known": self.unknown} if dropped else {}
        return unknown | {self.too_much: self.amounts > self.resource.capacity}

    def statement(self, rows: IntArray | BoolArray | slice) -> str:
        """Describe what was assumed for how many of the jobs in these rows of the log."""
        counts = [
            f"{int(mask[rows].sum()):,} {COLUMN_TEXT.get(name, f'from {name}')}" for name, mask in self.known.items()
        ]
        text = f"{self.rule.name}: {' and '.join(counts)}, {self.rule.column_text()}"
        absent = int(self.unknown[rows].sum())
        if absent:
            why = ", the median of the others" if self.rule.unknown == "median" else ""
            each = self.rule.column_text().removeprefix(self.rule.unit).strip()
            text += f"; {absent:,} not known and taken as {self.rule.format(self.assumed)} {each}{why}"
        return f"{text}; the machine has {self.rule.format(self.resource.capacity)}"

    def check_units(self, log: SwfLog, procs: IntArray, usable: BoolArray) -> None:
        """Raise ``ValueError``, with units that fit, if most usable lines need more than the machine has."""
        too_large = usable & (self.amounts > self.resource.capacity)
        n, total = int(too_large.sum()), int(usable.sum())
        if not total or n <= SUSPICIOUS * total:
            return
        line = int(np.flatnonzero(too_large)[0])
        raise ValueError(
            f"{log.source}: {n:,} of {total:,} jobs take {self.too_much}; job "
            f"{log.columns['job'][line]} takes {self.rule.format(self.amounts[line])} on {procs[line]} processors, the "
            f"machine has {self.rule.format(self.resource.capacity)}; is the column really "
            f"{'in ' if self.rule.measured else ''}{self.rule.column_text()}?"
            + (self._better(log, procs, usable) if self.rule.measured else "")
        )

    def _better(self, log: SwfLog, procs: IntArray, usable: BoolArray) -> str:
        """Units with which nearly all lines would fit."""
        values, _ = self.rule.column(log)
        for unit, per in (("KB", "job"), ("B", "processor"), ("B", "job")):
            other = replace(self.rule, unit=unit, per=per)
            scale = UNITS[unit] / UNITS[self.rule.unit]
            large = usable & (values * scale * other.units(procs) > self.resource.capacity)
            if large.sum() <= 0.05 * usable.sum():
                flags = f"{self.rule.flag('unit', unit)} {self.rule.flag('per', per)}"
                return f" With {flags}, {int(large.sum()):,} would."
        return ""

    def add_to(self, workload: Workload, rows: IntArray) -> Workload:
        """The workload of these rows with the resource; its header says what was assumed."""
        statement = self.statement(rows)
        if large := workload.dropped.get(self.too_much):
            statement += f", and {large:,} jobs that take more are left out"
        return workload.take(
            slice(None),
            resources=(*workload.resources, self.resource),
            demands=np.column_stack([workload.demands, self.amounts[rows]]),
            header={**workload.header, statement_key(self.rule.name): statement},
        )


def read_demand(rule: ResourceRule, log: SwfLog, procs: IntArray, processors: int) -> Demand:
    """What every line of a log takes of the resource.

    ``procs``, shape (n,), are the processors of its lines, ``processors`` those of the machine. Raises ``ValueError``
    if there is no such column, a value cannot be read, or no line has a value and ``unknown`` is ``median``.
    """
    values, masks = rule.column(log)
    absent = np.isnan(values)
    if rule.unknown == "median":
        if absent.all():
            columns = " and ".join(COLUMN_TEXT.get(name, name) for name in masks)
            raise ValueError(
                f"{log.source}: no job says what {rule.name} it takes ({columns}), so there is no median; "
                f"give {rule.flag('unknown', 'an amount')}, or another column"
            )
        assumed = float(np.median(values[~absent]))
    else:
        assumed = 0.0 if rule.unknown == "drop" else rule.quantity(rule.unknown, "unknown")[0]
    each = np.where(absent, assumed, values)
    product = each * rule.units(np.maximum(procs, 0))
    # Round up; the factor absorbs the rounding of a division and a product.
    rounded = np.where(product % 1 == 0, product, np.ceil(product * (1 - 1e-12)))
    table = np.minimum(rounded, 2.0**53).astype(np.int64)
    return Demand(rule, rule.resource(processors), table, masks, assumed)


def statements(workload: Workload) -> dict[str, str]:
    """Return what was assumed about each resource that was read from a log, by its name."""
    return {
        resource.name: workload.header[statement_key(resource.name)]
        for resource in workload.resources
        if statement_key(resource.name) in workload.header
    }


def statement_key(name: str) -> str:
    """Return the field of a workload's header that says what was assumed about a resource."""
    return name[:1].upper() + name[1:]


DROPPED_QUEUE = "in a dropped queue"
UNREADABLE = "unreadable line"
NO_WAIT = "no recorded wait"


def select_from_log(log: SwfLog, options: WorkloadOptions) -> tuple[Selection, list[Demand]]:
    """Choose the lines of a log that the options keep, and read what all lines take of the resources that count."""
    keep = in_partition(log, options)
    if options.span is not None:
        origin, start_time = first_submission(log)
        submit = np.floor(log.columns["submit"] + 0.5).astype(np.int64)
        inside = transform.in_interval(submit - origin, *parse_span(options.span, start_time))
        if not inside.any():
            raise ValueError(_span_outside(log, options.span))
        keep &= inside
    before = {UNREADABLE: len(log.skipped)}
    for reason, unwanted in _unwanted_lines(log, options).items():
        before[reason] = int(np.count_nonzero(keep & unwanted))
        keep &= ~unwanted
    demands = read_demands(log, options, keep)
    wrong: dict[str, BoolArray] = {}
    for demand in demands:
        wrong |= demand.wrong()
    selection = log.select(options.capacity, keep=keep, first=options.first, further=wrong)
    dropped = {reason: n for reason, n in before.items() if n} | dict(selection.dropped)
    return Selection(selection.rows, selection.capacity, dropped), demands


def _unwanted_lines(log: SwfLog, options: WorkloadOptions) -> dict[str, BoolArray]:
    """Which lines the options leave out and count, by reason."""
    unwanted = {}
    if options.drop_queue:
        unwanted[DROPPED_QUEUE] = np.isin(log.columns["queue"], queue_numbers(log, options))
    if options.known_waits:
        unusable = [log.columns["runtime"] < 0, *log.unusable.values()]
        unwanted[NO_WAIT] = (log.columns["wait"] < 0) & ~np.logical_or.reduce(unusable)
    return unwanted


def _span_outside(log: SwfLog, span: str) -> str:
    """Say that a span has no job, and when the log's jobs were submitted."""
    origin, start_time = first_submission(log)
    last = int(log.columns["submit"].max()) - origin
    if start_time is None or start_time < EARLIEST:
        when = f"from 0 to {duration(last)} after its first"
    else:
        first_day, last_day = (f"{datetime.fromtimestamp(start_time + after, UTC):%Y-%m-%d}" for after in (0, last))
        when = f"from {first_day} to {last_day}"
    return f"span: no job was submitted within {span}; the submissions of {log.name} are {when}"


def read_demands(log: SwfLog, options: WorkloadOptions, keep: BoolArray) -> list[Demand]:
    """What the lines of a log take of each resource, at the sizes that the options give.

    Raises ``ValueError`` if most of the lines to keep take more of one than the machine has.
    """
    rules = options.resource_rules()
    if not rules:
        return []
    size, procs = log.capacity(options.capacity), log.processors()
    if options.round_sizes is not None:
        whole("round sizes", options.round_sizes, 1, "processors")
        procs = np.minimum(-(-procs // options.round_sizes) * options.round_sizes, size)
    usable = keep & (procs >= 1) & (log.processors() <= size) & (log.columns["runtime"] >= 0)
    demands = [read_demand(rule, log, procs, size) for rule in rules]
    for demand in demands:
        demand.check_units(log, procs, usable)
    return demands


def first_submission(log: SwfLog) -> tuple[int, int | None]:
    """The first submit time of a log (s), and its Unix time if the header has it."""
    origin = int(np.floor(log.columns["submit"].min() + 0.5))
    start = log.header.unix_start_time
    return origin, None if start is None else start + origin


def queue_numbers(log: SwfLog, options: WorkloadOptions) -> list[int]:
    """Return the numbers of the queues to leave out; ``ValueError`` if the header has no queue of a name."""
    numbers = []
    for queue in options.drop_queue:
        number = log.header.queue_number(queue)
        if number is None:
            raise ValueError(f"drop queue: the header names no queue {queue!r}; give the queue's number")
        numbers.append(number)
    return numbers
