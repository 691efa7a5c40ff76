"""What to make of a log: which jobs, on which machine, and how spans of time are written."""

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planbatch.experiments.workloads.resources import ResourceRule

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_DURATION = re.compile(r"^(\d+(?:\.\d*)?)\s*([smhdw]?)$")
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")


@dataclass(frozen=True)
class WorkloadOptions:
    """How to read and transform a log; transformations are applied in the order of the fields.

    Attributes
    ----------
    skip_bad_lines : bool
        Skip lines that cannot be read.
    columns : tuple of str
        ``FIELD=COLUMN``: columns of a table that are not found by their names; see :data:`FIELDS`.
    timezone : str
        Time zone of dates in a table that have none.
    known_waits : bool
        Keep only jobs whose wait is known.
    partition : str, optional
        The partition to keep, by number or name; its processors are those of the machine.
    capacity : int, optional
        Processors of the machine, instead of the number in the header.
    drop_queue : tuple of str
        Queues to leave out, by number or name.
    span : str, optional
        ``FROM:TO``, either of which may be left out: durations after the first submission (90d,
        12h, 30m, or seconds), or dates (2000-05-01, UTC); TO is not included.
    first : int, optional
        How many usable jobs to keep, in the order of the file.
    round_sizes : int, optional
        Round sizes up to multiples of this many processors.
    load : float, optional
        Factor on the offered load.
    memory : str, optional
        The memory column that becomes a resource; see :func:`memory_rule`, also for the next four.
    memory_capacity, memory_per, memory_unit, memory_unknown : str, optional
        Memory of the machine, meaning of the column, and the amount if it is empty.
    resource : tuple of str or ResourceRule
        Further resources, each from a column; see :func:`parse_rule`.
    windows : str, optional
        A CSV file of windows; see :mod:`windows`.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.WorkloadOptions(span="0d:30d", load=1.1).described()
    'span 0d:30d; load times 1.1'
    """

    skip_bad_lines: bool = False
    columns: tuple[str, ...] = ()
    timezone: str = "UTC"
    known_waits: bool = False
    partition: str | None = None
    capacity: int | None = None
    drop_queue: tuple[str, ...] = ()
    span: str | None = None
    first: int | None = None
    round_sizes: int | None = None
    load: float | None = None
    memory: str | None = None
    memory_capacity: str | None = None
    memory_per: str | None = None
    memory_unit: str | None = None
    memory_unknown: str | None = None
    resource: "tuple[str | ResourceRule, ...]" = ()
    windows: str | None = None

    def resource_rules(self) -> "list[ResourceRule]":
        """How to read the resources from the columns; empty if none is requested.

        Raises
        ------
        ValueError
            If memory flags are given without ``--memory``, or ``--memory`` without a capacity; or if a rule cannot be
            read.
        """
        from planbatch.experiments.workloads.memory import memory_rule
        from planbatch.experiments.workloads.resources import parse_rule

        names = ("capacity", "per", "unit", "unknown")
        given = {name: getattr(self, f"memory_{name}") for name in names}
        given = {name: value for name, value in given.items() if value is not None}
        rules = [parse_rule(rule) if isinstance(rule, str) else rule for rule in self.resource]
        if self.memory is None:
            if given:
                raise ValueError(
                    f"memory {next(iter(given))}: means nothing without --memory requested, used or either"
                )
            return rules
        if "capacity" not in given:
            raise ValueError(
                "memory: the log does not say what memory the machine has; give --memory-capacity 1TB or 1GB/processor"
            )
        return [memory_rule(self.memory, **given), *rules]

    def described(self) -> str:  # noqa: PLR0912 - one per option
        """Describe the options in words; empty if they do nothing."""
        done = []
        if self.columns:
            done.append(f"columns {', '.join(self.columns)}")
        if self.timezone != "UTC":
            done.append(f"time zone {self.timezone}")
        if self.known_waits:
            done.append("known waits only")
        if self.partition is not None:
            done.append(f"partition {self.partition}")
        if self.capacity is not None:
            done.append(f"capacity {self.capacity}")
        if self.drop_queue:
            done.append(f"without queue {', '.join(self.drop_queue)}")
        if self.span is not None:
            done.append(f"span {self.span}")
        if self.first is not None:
            done.append(f"first {self.first} usable jobs")
        if self.round_sizes is not None:
            done.append(f"sizes rounded up to multiples of {self.round_sizes}")
        if self.load is not None:
            done.append(f"load times {self.load:g}")
        for flag in ("memory", "memory_capacity", "memory_per", "memory_unit", "memory_unknown"):
            if getattr(self, flag) is not None:
                done.append(f"{flag.replace('_', ' ')} {getattr(self, flag)}")
        done += [f"resource {rule}" for rule in self.resource]
        if self.windows is not None:
            done.append(f"windows {self.windows}")
        return "; ".join(done)


#: The log as it is.
NO_CHANGES = WorkloadOptions()


def parse_span(text: str, start_time: int | None = None) -> tuple[int | None, int | None]:
    """Read a span of time.

    Parameters
    ----------
    text : str
        ``FROM:TO``; see :class:`WorkloadOptions`.
    start_time : int, optional
        Unix time of the first submission, which dates count from.

    Returns
    -------
    start, end : int or None
        Seconds after the first submission; ``None`` if that side is open.

    Raises
    ------
    ValueError
        If the text cannot be read, or names a date and ``start_time`` is not known.
    """
    sides = text.split(":")
    if len(sides) != 2:
        raise ValueError(f"span: {text!r} is not of the form FROM:TO, such as 0:90d or 2000-05-01:")
    start, end = (moment(side, "span", start_time) if side.strip() else None for side in sides)
    return start, end


def moment(side: str, what: str, start_time: int | None = None) -> int:
    """Read a duration after the first submission, or a date: seconds after the first submission.

    Raises
    ------
    ValueError
        If it is neither, or a date and ``start_time`` is not known; the message begins with ``what``.
    """
    side = side.strip()
    if match := _DURATION.match(side):
        return math.floor(float(match[1]) * _UNITS[match[2]])
    if _DATE.match(side):
        if start_time is None:
            raise ValueError(
                f"{what}: {side} is a date, but the log does not say when it starts; give durations"
            )
        try:
            date = datetime.strptime(side, "%Y-%m-%d").replace(tzinfo=UTC)
        except ValueError as error:
            raise ValueError(f"{what}: there is no date {side}; write YYYY-MM-DD") from error
        return int(date.timestamp()) - start_time
    raise ValueError(f"{what}: {side!r} is neither a duration (90d, 12h, 30m, seconds) nor a date")
