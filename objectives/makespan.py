"""The end of the plan: system utilisation (PLAN 3) of Zheng et al. 2016, Section IV-B."""

from planner.model import IntArray, JobTable
from planner.native import kernel
from planner.objective import Objective


@kernel
def makespan(start: IntArray, jobs: JobTable, now: int) -> float:
    """max (startᵢ + walltimeᵢ) − now, in seconds.

    Since the node-hours of a round are the same in every plan, the largest utilisation "from the present to when
    all the running and queued jobs complete" is the earliest finish (Section IV-B, PLAN 3).
    """
    last = now
    for i in range(len(start)):
        last = max(last, start[i] + jobs.walltime[i])
    return float(last - now)


MAKESPAN = Objective("makespan", makespan)
