"""From what a user names to a workload: a path or the name of a fetched log, and flags."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

from experiments import transform
from experiments.archive import CATALOGUE, cached_path, near_names, plain_name
from experiments.swf import Selection, SwfLog, read_swf
from experiments.synthetic import default_workload
from experiments.transform import DROPPED_QUEUE
from experiments.workload_options import NO_CHANGES, WorkloadOptions, parse_span, workload_options
from planner.model import Workload

__all__ = [
    "WorkloadOptions",
    "load_log",
    "load_workload",
    "resolve_source",
    "transform_log",
    "transform_workload",
    "workload_of_log",
    "workload_options",
]

#: How many skipped lines are told one by one.
LISTED = 20
UNREADABLE = "unreadable line"


def resolve_source(source: str | Path) -> Path:
    """Find the file that is meant: a path, or the name of a log that was fetched.

    Raises
    ------
    FileNotFoundError
        Where there is neither; says how to get the log, or which name may be meant.
    """
    path = Path(source)
    if path.exists():
        return path
    wanted = plain_name(str(source)).lower()
    for log in CATALOGUE.values():
        if log.name.lower() == wanted:
            if cached_path(log).is_file():
                return cached_path(log)
            raise FileNotFoundError(
                f"{source}: there is no such file, and the log {log.name} has not been fetched; "
                f"fetch it with: planbatch workload fetch {log.name}"
            )
    near = near_names(path.name)
    hint = f"did you mean {' or '.join(near)}?" if near else "check the path"
    raise FileNotFoundError(f"{source}: there is no such file, and no log of this name; {hint}")


def to_stderr(line: str) -> None:
    """Tell people something, apart from the results."""
    click.echo(line, err=True)


def load_log(
    source: str | Path, *, skip_bad_lines: bool = False, tell: Callable[[str], None] = to_stderr
) -> SwfLog:
    """Read the log of a path or a name, and tell which lines were skipped.

    See :func:`resolve_source` and :func:`experiments.swf.read_swf`.
    """
    log = read_swf(resolve_source(source), skip_bad_lines=skip_bad_lines)
    for bad in log.skipped[:LISTED]:
        tell(f"skipped {log.source}, {bad.told()}")
    if len(log.skipped) > LISTED:
        tell(f"skipped {len(log.skipped)} lines of {log.source} in all")
    return log


def load_workload(source: str | Path | None, options: WorkloadOptions = NO_CHANGES) -> Workload:
    """Load a workload.

    Parameters
    ----------
    source : str or Path, optional
        A path or the name of a fetched log; ``None`` means the embedded workload.
    options : WorkloadOptions
        What to make of it.

    Raises
    ------
    OSError, ValueError
        With one sentence that says what is wrong and what to do.
    """
    if source is None:
        return transform_workload(default_workload(), options)
    return workload_of_log(load_log(source, skip_bad_lines=options.skip_bad_lines), options)


def select_from_log(log: SwfLog, options: WorkloadOptions) -> Selection:
    """Choose the lines of a log that the options leave."""
    keep = np.ones(len(log), dtype=bool)
    if options.drop_queue:
        keep &= ~np.isin(log.columns["queue"], _queue_numbers(log.header.queue_number, options))
    n_dropped = int(np.count_nonzero(~keep))
    if options.span is not None:
        submit = np.floor(log.columns["submit"] + 0.5).astype(np.int64)
        origin = int(submit.min())
        unix_start = log.header.unix_start_time
        start_time = None if unix_start is None else unix_start + origin
        inside = transform.within(submit - origin, *parse_span(options.span, start_time))
        n_dropped = int(np.count_nonzero(inside & ~keep))
        keep &= inside
    selection = log.select(options.capacity, keep=keep, first=options.first)
    before = {UNREADABLE: len(log.skipped), DROPPED_QUEUE: n_dropped}
    dropped = {reason: n for reason, n in before.items() if n} | dict(selection.dropped)
    return Selection(selection.rows, selection.capacity, dropped)


def workload_of_log(log: SwfLog, options: WorkloadOptions) -> Workload:
    """Turn a log into a workload, transformed by the options."""
    return _reshaped(log.build(select_from_log(log, options)), options)


def transform_workload(workload: Workload, options: WorkloadOptions) -> Workload:
    """Transform a workload that does not come from a log in the way that the options say."""
    if options.capacity is not None:
        workload = transform.with_capacity(workload, options.capacity)
    if options.drop_queue:
        numbers = _queue_numbers(_number_or_none, options)
        workload = transform.drop_queues(workload, numbers)
    if options.span is not None:
        workload = transform.in_span(workload, *parse_span(options.span))
    if options.first is not None:
        workload = transform.first_jobs(workload, options.first)
    if not len(workload):
        raise ValueError(f"{workload.name}: no job is left ({options.described()})")
    return _reshaped(workload, options)


def transform_log(log: SwfLog, options: WorkloadOptions) -> SwfLog:
    """Transform a log, keeping all its columns: reading the result gives :func:`workload_of_log`.

    The header stays, with a note of what was done, and with the capacity where that was given.
    """
    selection = select_from_log(log, options)
    workload = _reshaped(log.build(selection), options)
    changed: dict[str, Any] = {}
    if options.load is not None:
        changed["submit"] = workload.submit.astype(np.float64)
    if options.round_sizes is not None:
        changed["requested_procs"] = workload.procs
    header = log.header
    if header.capacity != workload.capacity:
        header = header.replaced("MaxProcs", workload.capacity)
    what = options.described() or "usable jobs only"
    left_out = ", ".join(f"{n} {reason}" for reason, n in selection.dropped.items())
    header = header.noted(f"planbatch: {what}" + (f"; left out: {left_out}" if left_out else ""))
    taken = log.take(selection.rows, **changed)
    return SwfLog(taken.name, taken.source, header, taken.columns, taken.skipped)


def _reshaped(workload: Workload, options: WorkloadOptions) -> Workload:
    if options.round_sizes is not None:
        workload = transform.round_sizes(workload, options.round_sizes)
    if options.load is not None:
        workload = transform.scale_load(workload, options.load)
    return workload


def _number_or_none(name: str) -> int | None:
    return int(name) if re.fullmatch(r"-?\d+", name.strip()) else None


def _queue_numbers(number_of: Callable[[str], int | None], options: WorkloadOptions) -> list[int]:
    numbers = []
    for queue in options.drop_queue:
        number = number_of(queue)
        if number is None:
            raise ValueError(
                f"drop queue: the header names no queue {queue!r}; give the queue's number"
            )
        numbers.append(number)
    return numbers
