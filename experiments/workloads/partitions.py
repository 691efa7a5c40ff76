"""Partitions of a log: the jobs and processors of one, or a warning that all are taken as one pool."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from planbatch.experiments.workloads.options import WorkloadOptions
from planbatch.experiments.workloads.swf.log import SwfHeader, SwfLog
from planbatch.planner.model import BoolArray, IntArray

#: ``1664 (72, 1368, 224)``: processors, and those of each partition.
_PER_PARTITION = re.compile(r"^\s*(\d+)\s*\(\s*(\d+(?:\s*,\s*\d+)+)\s*\)")


def partition_numbers(log: SwfLog) -> list[int]:
    """List the partitions in which a log has jobs; ``ValueError`` if there is none."""
    numbers = [int(number) for number in np.unique(log.columns["partition"]) if number >= 0]
    if not numbers:
        raise ValueError(f"partition: the jobs of {log.source} have none; drop --partition")
    return numbers


def partition_number(log: SwfLog, partition: str) -> int:
    """Find the number of a partition by its number, its name, or the first word of its name.

    Raises ``ValueError`` if no job of the log is in such a partition, or the name fits several; lists those that there
    are.
    """
    names, numbers = log.header.partitions, partition_numbers(log)
    text = partition.strip().lower()
    by_name = [number for number, name in names.items() if name.lower() == text]
    by_word = [number for number, name in names.items() if name.lower().split()[:1] == [text]]
    result = [int(text)] if re.fullmatch(r"\d+", text) else by_name or by_word
    if len(result) == 1 and result[0] in numbers:
        return result[0]
    problem = f"{partition!r} fits several" if len(result) > 1 else f"no job is in {partition!r}"
    raise ValueError(f"partition: {problem}; {log.source} has {partition_list(log.header, numbers)}")


def partition_list(header: SwfHeader, numbers: Sequence[int]) -> str:
    """Write partitions down: their numbers and, if they have them, their names without remarks."""
    names = {number: name.split("(")[0].strip() for number, name in header.partitions.items()}
    return ", ".join(f"{k} ({names[k]})" if names.get(k) else str(k) for k in numbers)


def partition_capacity(header: SwfHeader, number: int) -> int | None:
    """The processors of a partition, if the header lists those of each behind MaxProcs; else None."""
    match = _PER_PARTITION.match(header.fields.get("MaxProcs", ""))
    sizes = [int(size) for size in match[2].split(",")] if match else []
    numbers = sorted(header.partitions)
    if match is None or sum(sizes) != int(match[1]) or len(sizes) != len(numbers):
        return None
    return dict(zip(numbers, sizes, strict=True)).get(number)


def with_capacity_of_partition(log: SwfLog, options: WorkloadOptions) -> WorkloadOptions:
    """Return options with the capacity of the chosen partition; unchanged if there is none, or one is given.

    Raises ``ValueError`` if there is no such partition, or the header does not say how many processors it has.
    """
    if options.partition is None:
        return options
    number = partition_number(log, options.partition)
    if options.capacity is not None:
        return options
    capacity = partition_capacity(log.header, number)
    if capacity is None:
        raise ValueError(
            f"{log.source}: the header does not say how many processors partition {number} has; give them with "
            "--capacity"
        )
    return replace(options, capacity=capacity)


def each_partition(log: SwfLog, options: WorkloadOptions) -> list[WorkloadOptions]:
    """Return the options for every partition in which the log has jobs, each a pool of its own.

    Raises ``ValueError`` if there is none, or a capacity is given, which would be that of each.
    """
    if options.capacity is not None:
        raise ValueError(
            "partition: with all of them, --capacity would be the size of each; give it with one partition at a time"
        )
    return [replace(options, partition=str(number)) for number in partition_numbers(log)]


def in_partition(log: SwfLog, options: WorkloadOptions) -> BoolArray:
    """Mark the lines of the chosen partition; all lines if none is chosen."""
    if options.partition is None:
        return np.ones(len(log), dtype=bool)
    return np.asarray(log.columns["partition"] == partition_number(log, options.partition))


def pool_statement(log: SwfLog, rows: IntArray) -> str:
    """Say that the jobs of several partitions are taken as one pool; empty if they are all of one."""
    numbers = [int(k) for k in np.unique(log.columns["partition"][rows]) if k >= 0]
    if len(numbers) < 2:
        return ""
    return f"{len(numbers)} partitions are taken as one pool: {partition_list(log.header, numbers)}"
