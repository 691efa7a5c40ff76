"""Which lines of a log become jobs, and what they take."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np

from planbatch.experiments.common.text import duration
from planbatch.experiments.workloads import transform
from planbatch.experiments.workloads.demands import Demand, read_demand
from planbatch.experiments.workloads.options import WorkloadOptions, parse_span
from planbatch.experiments.workloads.partitions import in_partition
from planbatch.experiments.workloads.swf.read import Selection, SwfLog
from planbatch.experiments.workloads.transform import DROPPED_QUEUE
from planbatch.planner.arguments import whole
from planbatch.planner.model import BoolArray

UNREADABLE = "unreadable line"
NO_WAIT = "no recorded wait"


def select_from_log(log: SwfLog, options: WorkloadOptions) -> tuple[Selection, list[Demand]]:
    """Choose the lines of a log that the options keep, and read what all lines take of the resources that count."""
    keep = in_partition(log, options)
    if options.span is not None:
        origin, start_time = first_submission(log)
        submit = np.floor(log.columns["submit"] + 0.5).astype(np.int64)
        inside = transform.within(submit - origin, *parse_span(options.span, start_time))
        if not inside.any():
            raise ValueError(_span_outside(log, options.span))
        keep &= inside
    before = {UNREADABLE: len(log.skipped)}
    for reason, unwanted in _unwanted(log, options).items():
        before[reason] = int(np.count_nonzero(keep & unwanted))
        keep &= ~unwanted
    demands = read_demands(log, options, keep)
    wrong: dict[str, BoolArray] = {}
    for demand in demands:
        wrong |= demand.wrong()
    selection = log.select(options.capacity, keep=keep, first=options.first, further=wrong)
    dropped = {reason: n for reason, n in before.items() if n} | dict(selection.dropped)
    return Selection(selection.rows, selection.capacity, dropped), demands


def _unwanted(log: SwfLog, options: WorkloadOptions) -> dict[str, BoolArray]:
    """Which lines the options leave out and count, by reason."""
    unwanted = {}
    if options.drop_queue:
        numbers = queue_numbers(log.header.queue_number, options)
        unwanted[DROPPED_QUEUE] = np.isin(log.columns["queue"], numbers)
    if options.known_waits:
        unusable = [log.columns["runtime"] < 0, *log.unusable.values()]
        unwanted[NO_WAIT] = (log.columns["wait"] < 0) & ~np.logical_or.reduce(unusable)
    return unwanted


def _span_outside(log: SwfLog, span: str) -> str:
    """Say that a span has no job, and when the log's jobs were submitted."""
    origin, start_time = first_submission(log)
    last = int(log.columns["submit"].max()) - origin
    if start_time is None:
        when = f"from 0 to {duration(last)} after its first"
    else:
        first_day, last_day = (
            f"{datetime.fromtimestamp(start_time + after, UTC):%Y-%m-%d}" for after in (0, last)
        )
        when = f"from {first_day} to {last_day}"
    return f"span: no job was submitted within {span}; the submissions of {log.name} are {when}"


def read_demands(log: SwfLog, options: WorkloadOptions, keep: BoolArray) -> list[Demand]:
    """What the lines of a log take of each resource, at the sizes that the options give.

    Raises
    ------
    ValueError
        If most of the lines to keep take more of one than the machine has.
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


def number_or_none(name: str) -> int | None:
    """Return the number that a text is, or None."""
    return int(name) if re.fullmatch(r"-?\d+", name.strip()) else None


def queue_numbers(number_of: Callable[[str], int | None], options: WorkloadOptions) -> list[int]:
    """Return the numbers of the queues to leave out.

    Raises
    ------
    ValueError
        If ``number_of`` knows none for the name of one.
    """
    numbers = []
    for queue in options.drop_queue:
        number = number_of(queue)
        if number is None:
            raise ValueError(
                f"drop queue: the header names no queue {queue!r}; give the queue's number"
            )
        numbers.append(number)
    return numbers
