"""The jobs of Gaussier et al. (SC 2015), read from a raw log by the paper's rules; they are not those of planbatch."""

import numpy as np

from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.planner.model import Workload


def workload_of(log: SwfLog, name: str) -> Workload:
    """Read the jobs as the paper does, in FCFS order.

    Left out are jobs that are larger than the machine by either column, or whose processors, run time, request or
    submission are not known. Processors are the requested ones, or else the allocated; runs are cut at the request.

    Raises
    ------
    ValueError
        If the header does not say how large the machine is.
    """
    capacity = log.header.capacity
    if capacity is None:
        raise ValueError(f"{log.source}: the header has neither MaxProcs nor MaxNodes")
    c = {column: values.astype(np.int64) for column, values in log.columns.items()}
    allocated, requested = c["used_procs"], c["requested_procs"]
    procs = np.where(requested > 0, requested, allocated)
    run, request, submit = c["runtime"], c["requested_time"], c["submit"]
    known = (procs > 0) & (run > 0) & (request > 0) & (submit >= 0)
    kept = np.flatnonzero(known & (np.maximum(allocated, requested) <= capacity))
    kept = kept[np.argsort(submit[kept], kind="stable")]
    return Workload(
        name,
        capacity,
        c["job"][kept],
        submit=submit[kept],
        procs=procs[kept],
        walltime=request[kept],
        runtime=np.minimum(run, request)[kept],
        user=c["user"][kept],
    )
