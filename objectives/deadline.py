"""Deadlines: tardiness, missed deadlines, and waits subject to deadlines.

Tardiness of a job is max(0, end − deadline), with the planned end = start + walltime; jobs without a deadline have
none.
"""

import numpy as np

from planbatch.objectives.combine import squashed
from planbatch.planner.kernels.native import kernel
from planbatch.planner.model import NEVER, IntArray, JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms


@kernel
def total_tardiness(start: IntArray, jobs: JobTable, now: int) -> float:
    """Σ max(0, startᵢ + walltimeᵢ − deadlineᵢ), in seconds."""
    total = 0.0
    for i in range(len(start)):
        total += float(max(0, start[i] + jobs.walltime[i] - jobs.deadline[i]))
    return total


@kernel
def maximum_tardiness(start: IntArray, jobs: JobTable, now: int) -> float:
    """Max max(0, startᵢ + walltimeᵢ − deadlineᵢ), in seconds."""
    most = 0
    for i in range(len(start)):
        most = max(most, start[i] + jobs.walltime[i] - jobs.deadline[i])
    return float(most)


@kernel
def missed_deadlines(start: IntArray, jobs: JobTable, now: int) -> float:
    """How many jobs end after their deadline: Σ [startᵢ + walltimeᵢ > deadlineᵢ]."""
    missed = 0
    for i in range(len(start)):
        if start[i] + jobs.walltime[i] > jobs.deadline[i]:
            missed += 1
    return float(missed)


@kernel
def regular_wait(start: IntArray, jobs: JobTable, now: int) -> float:
    """Total tardiness first, then the mean wait of the jobs without a deadline (Ntakpé and Suter 2017, Section 4).

    The cost is the whole seconds of tardiness plus a fraction below one that grows with the mean wait, so that no gain
    for regular jobs outweighs a second of tardiness.
    """
    tardiness = 0.0
    wait = 0.0
    regular = 0
    for i in range(len(start)):
        if jobs.deadline[i] == NEVER:
            wait += float(start[i] - jobs.submit[i])
            regular += 1
        else:
            tardiness += float(max(0, start[i] + jobs.walltime[i] - jobs.deadline[i]))
    return tardiness + squashed(wait / max(regular, 1))


def _due(jobs: JobTable) -> IntArray:
    return np.where(jobs.deadline == NEVER, NEVER, jobs.deadline - jobs.walltime)


def tardiness_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`total_tardiness`."""
    return Terms(np.ones(len(jobs.submit)), _due(jobs))


def maximum_tardiness_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`maximum_tardiness`."""
    return Terms(np.ones(len(jobs.submit)), _due(jobs), largest=True)


TARDINESS = Objective("tardiness", total_tardiness, terms=tardiness_terms)
"""Σ max(0, startᵢ + walltimeᵢ − deadlineᵢ), in seconds.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.TARDINESS).cost
0.0
"""
MAXIMUM_TARDINESS = Objective("maximum-tardiness", maximum_tardiness, terms=maximum_tardiness_terms)
"""max (startᵢ + walltimeᵢ − deadlineᵢ), at least 0, in seconds.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.MAXIMUM_TARDINESS).cost
0.0
"""
MISSED_DEADLINES = Objective("missed-deadlines", missed_deadlines)
"""Σ [startᵢ + walltimeᵢ > deadlineᵢ]: how many jobs end after their deadline.

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.MISSED_DEADLINES).cost
0.0
"""
REGULAR_WAIT = Objective("regular-wait", regular_wait)
"""Total tardiness first, then the mean wait of jobs without a deadline (Ntakpé and Suter 2017, Section 4).

Examples
--------
>>> import planbatch as pb
>>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
>>> pb.solve(problem, pb.REGULAR_WAIT).cost
0.0002892681515765114
"""
