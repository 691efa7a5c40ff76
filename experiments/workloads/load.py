"""Load a workload: from a path or the name of a fetched log, and flags."""

from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from planbatch.experiments.common.paths import as_path
from planbatch.experiments.common.text import Notify, silent
from planbatch.experiments.workloads import transform
from planbatch.experiments.workloads.archive import cached_path, named_log, near_names
from planbatch.experiments.workloads.deadlines import with_deadlines
from planbatch.experiments.workloads.lublin import default_workload
from planbatch.experiments.workloads.options import NO_CHANGES, WorkloadOptions
from planbatch.experiments.workloads.partitions import each_partition, pool_statement, with_capacity_of_partition
from planbatch.experiments.workloads.selection import first_submission, select_from_log, statements
from planbatch.experiments.workloads.swf.log import POOLS, SwfLog
from planbatch.experiments.workloads.swf.write import swf_from_workload
from planbatch.experiments.workloads.windows import with_windows
from planbatch.planner.model import Workload

#: How many skipped lines are listed one by one.
MOST_LISTED = 20
#: The name of the workload that comes with planbatch.
EMBEDDED = "embedded"
#: The value of ``--partition`` for every partition.
ALL = "all"


def resolve_source(source: str | Path) -> Path:
    """Find the file: a path, or the name of a fetched log.

    Raises ``FileNotFoundError`` if there is neither; the message says how to get the log, or suggests a name.
    """
    path = as_path("workload", source)
    if path.exists():
        return path
    if (log := named_log(str(source))) is not None:
        if cached_path(log).is_file():
            return cached_path(log)
        raise FileNotFoundError(
            f"{source}: there is no such file, and the log {log.name} has not been fetched; "
            f"fetch it with: planbatch workload fetch {log.name}"
        )
    near = near_names(path.name) or get_close_matches(str(source), [EMBEDDED], cutoff=0.8)
    hint = f"did you mean {' or '.join(near)}?" if near else "check the path"
    raise FileNotFoundError(f"{source}: there is no such file, and no log of this name; {hint}")


def load_log(source: str | Path, options: WorkloadOptions = NO_CHANGES, notify: Notify = silent) -> SwfLog:
    """Read the log of a path or a name; see :func:`resolve_source` and :func:`read_log`.

    Of the options, only those count that say how to read. ``notify`` is called with a sentence for each of the first
    lines that were skipped, and with their number.
    """
    if source == EMBEDDED:
        return swf_from_workload(default_workload())
    from planbatch.experiments.workloads.read import read_log  # loads pandas

    log = read_log(
        resolve_source(source),
        options.columns,
        options.timezone,
        preset=options.preset,
        skip_bad_lines=options.skip_bad_lines,
    )
    for bad in log.skipped[:MOST_LISTED]:
        notify(f"skipped {log.source}, {bad.describe()}")
    if len(log.skipped) > MOST_LISTED:
        notify(f"skipped {len(log.skipped)} lines of {log.source} in all")
    return log


def workload_of_source(
    source: str | Path | None, options: WorkloadOptions = NO_CHANGES, notify: Notify = silent
) -> Workload:
    """Load a workload as the command does; see :func:`~planbatch.experiments.workloads.keywords.load_workload`.

    >>> workload_of_source("embedded", WorkloadOptions(first=100))
    Workload(lublin-batch-256: 100 jobs, 256 processors, submitted in 30.3 h)
    """
    if source is None or source == EMBEDDED:
        return transform_workload(default_workload(), options)
    return _report_assumptions(workload_of_log(load_log(source, options, notify), options), notify)


def _report_assumptions(workload: Workload, notify: Notify) -> Workload:
    """Return a workload, after notes on what was assumed."""
    for statement in statements(workload).values():
        notify(f"{workload.name}: {statement}")
    if POOLS in workload.header:
        notify(f"{workload.name}: {workload.header[POOLS]}; --partition takes one of them")
    return workload


def load_pools(
    source: str | Path | None, options: WorkloadOptions = NO_CHANGES, notify: Notify = silent
) -> list[Workload]:
    """Load a workload, or, if the partition is ``all``, one for each partition; see :func:`workload_of_source`."""
    if source in (None, EMBEDDED) or options.partition != ALL:
        return [workload_of_source(source, options, notify)]
    log = load_log(source, options, notify)
    return [_report_assumptions(workload_of_log(log, pool), notify) for pool in each_partition(log, options)]


def load_deadlines(
    workload: Workload, rule: str, seed: int, source: str | Path | None, options: WorkloadOptions = NO_CHANGES
) -> Workload:
    """Give a workload deadlines, as :func:`with_deadlines` does.

    Columns are read from the log ``source`` that it came from, as the options say.
    """
    log = None
    if rule.startswith("column:") and source is not None:
        log = load_log(source, replace(options, skip_bad_lines=True))
    return with_deadlines(workload, rule, seed, log)


def workload_of_log(log: SwfLog, options: WorkloadOptions) -> Workload:
    """Turn a log into a workload, transformed by the options."""
    options = with_capacity_of_partition(log, options)
    selection, demands = select_from_log(log, options)
    workload = _reshape(log.build(selection), options)
    for demand in demands:
        workload = demand.add_to(workload, selection.rows)
    if options.windows is not None:
        workload = with_windows(workload, options.windows, *first_submission(log))
    if options.partition is not None:
        return workload.take(slice(None), name=f"{workload.name}, partition {options.partition}")
    if pools := pool_statement(log, selection.rows):
        return workload.take(slice(None), header={**workload.header, POOLS: pools})
    return workload


def transform_workload(workload: Workload, options: WorkloadOptions) -> Workload:
    """Transform a workload that does not come from a log, as the options say."""
    if options == NO_CHANGES:
        return workload
    if options.partition is not None:
        raise ValueError(f"partition: {workload.name} has none; name a log, or drop --partition")
    if options.known_waits:
        raise ValueError(f"known waits: {workload.name} is not a log and has no waits; name a log")
    if rules := options.resource_rules():
        name = rules[0].name
        flag = "--memory" if rules[0].flags else "--resource"
        raise ValueError(f"{name}: {workload.name} is not a log and has no {name} columns; name a log, or drop {flag}")
    return workload_of_log(swf_from_workload(workload), options)


def transform_log(log: SwfLog, options: WorkloadOptions) -> SwfLog:
    """Transform a log, keeping all its columns: reading the result gives :func:`workload_of_log`.

    The header stays, with a note of what was done, and with the capacity if one was given. The new log has no columns
    for resources and windows, which need their flags again; only lines that take too much are left out.
    """
    options = with_capacity_of_partition(log, options)
    selection, _ = select_from_log(log, options)
    workload = _reshape(log.build(selection), options)
    changed: dict[str, Any] = {}
    if options.load is not None:
        changed["submit"] = workload.submit.astype(np.float64)
        changed["wait"] = workload.wait.astype(np.float64)
    if options.round_sizes is not None:
        changed["requested_procs"] = workload.procs
    header = log.header
    if header.capacity != workload.capacity:
        header = header.with_field("MaxProcs", workload.capacity)
    transformation = options.description() or "usable jobs only"
    left_out = ", ".join(f"{n} {reason}" for reason, n in selection.dropped.items())
    header = header.with_note(f"planbatch: {transformation}" + (f"; left out: {left_out}" if left_out else ""))
    lines = log.take(selection.rows, **changed)
    return replace(lines, header=header)


def _reshape(workload: Workload, options: WorkloadOptions) -> Workload:
    if options.round_sizes is not None:
        workload = transform.round_sizes(workload, options.round_sizes)
    if options.load is not None:
        workload = transform.scale_load(workload, options.load)
    return workload
