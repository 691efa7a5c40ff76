"""The options of a log: which jobs, on which machine; and how spans of time are written."""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from planbatch.planner.display import brief_repr
from planbatch.planner.durations import seconds_of
from planbatch.planner.settings import Setting

if TYPE_CHECKING:
    from planbatch.experiments.workloads.resources import ResourceRule

_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")
#: The options of the resource memory.
MEMORY = ("memory", "memory_capacity", "memory_per", "memory_unit", "memory_unknown")


#: Which jobs get deadlines.
Deadlines = Annotated[
    str,
    Setting(
        "Give jobs deadlines: random:40 (% of the jobs; max. of 24h and 10 walltimes, or "
        "random:40:48h:5), third (every third; 24h and 2, or third:72h:2), working (jobs that would "
        "end outside working time), csv:FILE (columns id and deadline; csv:FILE:due takes the column "
        "due), column:NAME (of the log itself, such as column:think_time; seconds as submit times), "
        "none.",
        "RULE",
    ),
]
#: What schedulers know of run times.
KnownRunTimes = Annotated[
    str,
    Setting(
        "What schedulers know: requested times; actual run times; mixed, run times of waiting and "
        "requested times of running jobs; or predicted:NAME, what a predictor makes of the past "
        "(planbatch list predictors).",
        "KIND",
    ),
]
#: The kind by default.
REQUESTED = "requested"


@dataclass(frozen=True)
class WorkloadOptions:
    """How to read and transform a log; transformations are applied in the order of the fields.

    Each field says what it is in its annotation; ``planbatch replay --help`` prints them as flags.

    Examples
    --------
    >>> from planbatch.experiments import WorkloadOptions
    >>> WorkloadOptions(span="0d:30d", load=1.1).description()
    'span 0d:30d; load times 1.1'
    """

    __repr__ = brief_repr

    # fmt: off
    preset: Annotated[str, Setting(
        "What the columns mean: of a modern public log by name (frontier, pm100, f-data, kestrel), or your own, "
        "FILE.py:NAME; planbatch list presets has all.", "NAME")] = ""
    skip_bad_lines: Annotated[bool, Setting("Skip lines that cannot be read, and list them.")] = False
    columns: Annotated[tuple[str, ...], Setting(
        "The column of a table that holds a field (submit, processors, walltime, runtime, user …), if its name does "
        "not say so; may be repeated.", "FIELD=NAME", flag="--column", in_files=dict)] = ()
    timezone: Annotated[str, Setting(
        "Time zone of a table's dates that have none, such as Europe/Berlin.", "ZONE")] = "UTC"
    known_waits: Annotated[bool, Setting(
        "Only jobs whose recorded wait is known, as --policy recorded needs.")] = False
    partition: Annotated[str | None, Setting(
        "Only the jobs of this partition (number or name), on its processors; for compare also all, a pool each.",
        "PARTITION", in_files=str | int)] = None
    capacity: Annotated[int | None, Setting("Processors, instead of the header's.", "N")] = None
    drop_queue: Annotated[tuple[str, ...], Setting(
        "Leave out the jobs of this queue (number or name); may be repeated.", "QUEUE", in_files=str | int)] = ()
    span: Annotated[str | None, Setting(
        "Only jobs submitted within this span: durations after the first submission (0:90d, 12h:, :30m, seconds) or "
        "dates (2000-05-01:2000-08-01, UTC).", "FROM:TO")] = None
    first: Annotated[int | None, Setting("Only the first N usable jobs of the file.", "N")] = None
    round_sizes: Annotated[int | None, Setting("Round sizes up to multiples of N processors.", "N")] = None
    load: Annotated[float | None, Setting("Multiply the load by compressing arrivals.", "FACTOR")] = None
    memory: Annotated[str | None, Setting(
        "Make memory a resource: requested (column 10), used (column 7), or either (requested, else used).",
        "COLUMN")] = None
    memory_capacity: Annotated[str | None, Setting(
        "Memory of the machine: 1TB, 1GB/processor, or 4GB/node.", "AMOUNT")] = None
    memory_per: Annotated[str | None, Setting(
        "What an amount refers to: processor, job, or node:N (a node of N processors).  [default: processor]",
        "WHAT")] = None
    memory_unit: Annotated[str | None, Setting(
        "Unit of the column: B, KB, MB, GB.  [default: KB]", "UNIT")] = None
    memory_unknown: Annotated[str | None, Setting(
        "Memory of jobs without a value: median, an amount such as 32MB (per WHAT), 0, or drop.  [default: median]",
        "AMOUNT")] = None
    resource: Annotated[tuple[Any, ...], Setting(
        "Make a column a resource: NAME=COLUMN:CAPACITY[,per=…][,unit=…][,unknown=…], such as gpus=gres/gpu:64 or "
        "memory=mem:4TB; may be repeated.", "RULE")] = ()
    windows: Annotated[str | None, Setting(
        "CSV with start,end,processors (or memory)[,known]: when a part of the machine is unavailable; durations "
        "after the log's first submission, or dates.", "FILE")] = None
    # fmt: on

    def resource_rules(self) -> "list[ResourceRule]":
        """How to read the resources from the columns; empty if none is requested.

        ``ValueError`` if memory flags are given without ``--memory``, or ``--memory`` without a capacity; or if a rule
        cannot be read.
        """
        from planbatch.experiments.workloads.resources import memory_rule, parse_rule

        settings = {name.removeprefix("memory_"): getattr(self, name) for name in MEMORY[1:]}
        settings = {name: value for name, value in settings.items() if value is not None}
        rules = [parse_rule(rule) if isinstance(rule, str) else rule for rule in self.resource]
        if self.memory is None:
            if settings:
                raise ValueError(
                    f"memory {next(iter(settings))}: means nothing without --memory requested, used or either"
                )
            return rules
        if "capacity" not in settings:
            raise ValueError(
                "memory: the log does not say what memory the machine has; give --memory-capacity 1TB or 1GB/processor"
            )
        return [memory_rule(self.memory, **settings), *rules]

    def description(self) -> str:
        """Describe the options in words; empty if they do nothing."""
        phrases = []
        for name, words in _WORDS.items():
            value = getattr(self, name)
            if value == getattr(NO_CHANGES, name):
                continue
            if name == "resource":
                phrases += [words.format(rule) for rule in value]
            else:
                phrases.append(words.format(", ".join(value) if isinstance(value, tuple) else value))
        return "; ".join(phrases)


#: What :meth:`WorkloadOptions.description` says of an option that differs from its default.
_WORDS = {
    "preset": "preset {}",
    "columns": "columns {}",
    "timezone": "time zone {}",
    "known_waits": "known waits only",
    "partition": "partition {}",
    "capacity": "capacity {}",
    "drop_queue": "without queue {}",
    "span": "span {}",
    "first": "first {} usable jobs",
    "round_sizes": "sizes rounded up to multiples of {}",
    "load": "load times {:g}",
    **{name: f"{name.replace('_', ' ')} {{}}" for name in MEMORY},
    "resource": "resource {}",
    "windows": "windows {}",
}
#: The log as it is.
NO_CHANGES = WorkloadOptions()


def parse_span(text: str, start_time: int | None = None) -> tuple[int | None, int | None]:
    """Read a span of time ``FROM:TO``: seconds after the first submission, ``None`` for a side that is open.

    Dates count from ``start_time``, the Unix time of the first submission; ``ValueError`` if it is not known, or the
    text cannot be read.
    """
    sides = text.split(":")
    if len(sides) != 2:
        raise ValueError(f"span: {text!r} is not of the form FROM:TO, such as 0:90d or 2000-05-01:")
    start, end = (moment(side, "span", start_time) if side.strip() else None for side in sides)
    return start, end


def moment(side: str, what: str, start_time: int | None = None) -> int:
    """Read a duration after the first submission, or a date: seconds after the first submission.

    Raises ``ValueError`` if it is neither, or a date and ``start_time`` is not known; the message begins with ``what``.
    """
    side = side.strip()
    with suppress(ValueError):
        return seconds_of(side, plain=True)
    if _DATE.match(side):
        if start_time is None:
            raise ValueError(f"{what}: {side} is a date, but the log does not say when it starts; give durations")
        try:
            date = datetime.strptime(side, "%Y-%m-%d").replace(tzinfo=UTC)
        except ValueError as error:
            raise ValueError(f"{what}: there is no date {side}; write YYYY-MM-DD") from error
        return int(date.timestamp()) - start_time
    raise ValueError(f"{what}: {side!r} is neither a duration (90d, 12h, 30m, seconds) nor a date")
