"""The end of the plan: system utilisation (PLAN 3) of Zheng et al. 2016, Section IV-B."""

import numpy as np

from planbatch.planner.kernels.native import kernel
from planbatch.planner.model import IntArray, JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms


@kernel
def makespan(start: IntArray, jobs: JobTable, now: int) -> float:
    """Max (startᵢ + walltimeᵢ) − now, in seconds.

    Since the node-hours of a round are the same in every plan, the largest utilisation "from the present to when
    all the running and queued jobs complete" is the earliest finish (Section IV-B, PLAN 3).
    """
    last = now
    for i in range(len(start)):
        last = max(last, start[i] + jobs.walltime[i])
    return float(last - now)


def makespan_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`makespan`: start − (now − walltime) is the time from now to the end."""
    return Terms(np.ones(len(jobs.submit)), now - jobs.walltime, largest=True)


MAKESPAN = Objective("makespan", makespan, terms=makespan_terms)
"""max (startᵢ + walltimeᵢ) − now, in seconds.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.MAKESPAN).cost
150.0
"""
