"""Transformations of workloads: a part of one, another load, another machine.

Each takes a workload and returns a new one; the order of the jobs stays first come, first served.
"""

import math

import numpy as np

from planbatch.experiments.workloads.swf.log import WAITS
from planbatch.planner.arguments import expect, number, whole
from planbatch.planner.model import NEVER, BoolArray, IntArray, Workload


def first_jobs(workload: Workload, n: int) -> Workload:
    """Keep the first ``n`` jobs.

    Parameters
    ----------
    workload : Workload
        The workload.
    n : int
        How many jobs, in the order of their submission.

    Raises
    ------
    ValueError
        If ``n`` is not positive.

    Examples
    --------
    >>> import planbatch as pb
    >>> len(pb.first_jobs(pb.default_workload(), 100))
    100
    """
    expect("workload", workload, Workload)
    return workload.take(slice(0, whole("first", n, 1, "jobs")))


def in_span(workload: Workload, start: int | None = None, end: int | None = None) -> Workload:
    """Keep the jobs that were submitted within a span of time.

    Parameters
    ----------
    workload : Workload
        The workload.
    start, end : int, optional
        Seconds after the first submission; the end is not included. ``None`` means no limit on that side.

    Raises
    ------
    ValueError
        If no job was submitted within the span.

    Examples
    --------
    >>> import planbatch as pb
    >>> len(pb.in_span(pb.default_workload(), end=86400)) < 5000
    True
    """
    expect("workload", workload, Workload)
    for name, limit in (("start", start), ("end", end)):
        if limit is not None:
            whole(name, limit, None, "seconds")
    origin = int(workload.submit[0]) if len(workload) else 0
    inside = in_interval(workload.submit - origin, start, end)
    if not inside.any():
        raise ValueError(f"{workload.name}: no job was submitted within the span {start} to {end} s")
    return workload.take(inside)


def in_interval(times: IntArray, start: int | None, end: int | None) -> BoolArray:
    """Mark the times (s) from ``start`` to before ``end``; bool array of their shape."""
    if start is not None and end is not None and end <= start:
        raise ValueError(f"span: it ends at {end} s, not after its start at {start} s")
    inside = np.ones(len(times), dtype=bool)
    if start is not None:
        inside &= times >= start
    if end is not None:
        inside &= times < end
    return inside


def scale_load(workload: Workload, factor: float) -> Workload:
    """Multiply the offered load by ``factor``, by compressing the times between submissions.

    The first job keeps its submit time; sizes and run times stay. Deadlines move along with their
    jobs, so that every job keeps its slack. Recorded waits are dropped: they belong to the old load. Factors below 1
    stretch.

    Parameters
    ----------
    workload : Workload
        The workload.
    factor : float
        How many times the load.

    Raises
    ------
    ValueError
        If the factor is not a positive number.

    Examples
    --------
    >>> import numpy as np
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> faster = pb.scale_load(workload, 2.0)
    >>> int(np.ptp(workload.submit)), int(np.ptp(faster.submit))
    (195396, 97698)
    """
    expect("workload", workload, Workload)
    factor = number("load", factor, "a positive factor; 1.2 means 20 % more")
    if not len(workload):
        return workload
    first = workload.submit[0]
    submit = first + np.floor((workload.submit - first) / factor).astype(np.int64)
    slack = workload.deadline - workload.submit
    deadline = np.where(workload.deadline < NEVER, slack + submit, NEVER)
    header = dict(workload.header)
    if (workload.wait >= 0).any():
        header[WAITS] = f"its load was multiplied by {factor:g}, and the waits are those of the old load"
    return workload.take(slice(None), submit=submit, deadline=deadline, wait=None, header=header)


def round_sizes(workload: Workload, partition: int) -> Workload:
    """Round sizes up to multiples of a partition, as on machines that allocate whole partitions.

    A job that would then be too large takes the whole machine.

    Raises ``ValueError`` if the partition size is not positive, or larger than the machine.
    """
    whole("round sizes", partition, 1, "processors")
    if partition > workload.capacity:
        raise ValueError(f"round sizes: a partition of {partition} is larger than the machine ({workload.capacity})")
    rounded = -(-workload.procs // partition) * partition
    return workload.take(slice(None), procs=np.minimum(rounded, workload.capacity))


def offered_load(workload: Workload, resource: int = 0) -> float:
    """Compare the work that arrives with what the machine can do in that time.

    Σ amount × run time / (capacity × time from the first to the last submission) of a resource, by default of the
    processors; infinite if all jobs are submitted at once.
    """
    if not len(workload):
        return 0.0
    amounts = workload.amounts[:, resource].astype(np.float64)
    work = float((amounts * workload.runtime).sum())
    span = float(workload.submit[-1] - workload.submit[0])
    return work / (int(workload.capacities[resource]) * span) if span > 0 else math.inf
