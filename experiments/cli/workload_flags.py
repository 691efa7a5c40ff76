"""The flags of every command that takes a workload."""

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import click

from planbatch.experiments.workloads.options import WorkloadOptions

_FLAGS = (
    click.option(
        "--column",
        "columns",
        multiple=True,
        metavar="FIELD=NAME",
        help="The column of a table that holds a field (submit, processors, walltime, runtime, user …), if its name "
        "does not say so; may be repeated.",
    ),
    click.option(
        "--timezone",
        default="UTC",
        show_default=True,
        metavar="ZONE",
        help="Time zone of a table's dates that have none, such as Europe/Berlin.",
    ),
    click.option(
        "--partition",
        metavar="PARTITION",
        help="Only the jobs of this partition (number or name), on its processors; for compare also all, a pool each.",
    ),
    click.option(
        "--known-waits",
        is_flag=True,
        help="Only jobs whose recorded wait is known, as --policy recorded needs.",
    ),
    click.option("--capacity", type=int, metavar="N", help="Processors, instead of the header's."),
    click.option(
        "--first", type=int, metavar="N", help="Only the first N usable jobs of the file."
    ),
    click.option(
        "--span",
        metavar="FROM:TO",
        help="Only jobs submitted within this span: durations after the first submission (0:90d, "
        "12h:, :30m, seconds) or dates (2000-05-01:2000-08-01, UTC).",
    ),
    click.option(
        "--load", type=float, metavar="FACTOR", help="Multiply the load by compressing arrivals."
    ),
    click.option(
        "--round-sizes", type=int, metavar="N", help="Round sizes up to multiples of N processors."
    ),
    click.option(
        "--drop-queue",
        multiple=True,
        metavar="QUEUE",
        help="Leave out the jobs of this queue (number or name); may be repeated.",
    ),
    click.option(
        "--resource",
        multiple=True,
        metavar="RULE",
        help="Make a column a resource: NAME=COLUMN:CAPACITY[,per=…][,unit=…][,unknown=…], such as gpus=gres/gpu:64 or "
        "memory=mem:4TB; may be repeated.",
    ),
    click.option(
        "--memory",
        metavar="COLUMN",
        help="Make memory a resource: requested (column 10), used (column 7), or either (requested, else used).",
    ),
    click.option(
        "--memory-capacity",
        metavar="AMOUNT",
        help="Memory of the machine: 1TB, 1GB/processor, or 4GB/node.",
    ),
    click.option(
        "--memory-per",
        metavar="WHAT",
        help="What an amount refers to: processor, job, or node:N (a node of N processors).  [default: processor]",
    ),
    click.option(
        "--memory-unit", metavar="UNIT", help="Unit of the column: B, KB, MB, GB.  [default: KB]"
    ),
    click.option(
        "--memory-unknown",
        metavar="AMOUNT",
        help="Memory of jobs without a value: median, an amount such as 32MB (per WHAT), 0, or drop.  "
        "[default: median]",
    ),
    click.option(
        "--windows",
        metavar="FILE",
        help="CSV with start,end,processors (or memory)[,known]: when a part of the machine is unavailable; "
        "durations after the log's first submission, or dates.",
    ),
    click.option(
        "--skip-bad-lines", is_flag=True, help="Skip lines that cannot be read, and list them."
    ),
)


def workload_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags of :class:`WorkloadOptions` to a command, as its parameter ``options``."""
    names = [field.name for field in fields(WorkloadOptions)]

    @functools.wraps(command)
    def with_options(*args: Any, **kwargs: Any) -> Any:
        chosen = {name: kwargs.pop(name) for name in names}
        return command(*args, options=WorkloadOptions(**chosen), **kwargs)

    for flag in reversed(_FLAGS):
        with_options = flag(with_options)
    return with_options
