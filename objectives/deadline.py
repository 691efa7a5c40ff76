"""Deadlines: tardiness, missed deadlines, and waits subject to deadlines.

Tardiness of a job is max(0, end − deadline), with the planned end = start + walltime; jobs without a deadline have
none. Between plans of equal tardiness the search ``hybrid`` prefers a small mean squared wait; between plans that miss
as many deadlines, first those that miss them by less, relative to walltimes.
"""

import numpy as np

from planbatch import _core
from planbatch.planner.model import NEVER, IntArray, JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms


def _due(jobs: JobTable) -> IntArray:
    return np.where(jobs.deadline == NEVER, NEVER, jobs.deadline - jobs.walltime)


def tardiness_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`total_tardiness`."""
    return Terms(np.ones(len(jobs.submit)), _due(jobs))


def maximum_tardiness_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`maximum_tardiness`."""
    return Terms(np.ones(len(jobs.submit)), _due(jobs), largest=True)


TARDINESS = Objective("tardiness", _core.TotalTardiness(), terms=tardiness_terms, needs_deadlines=True)
"""Σ max(0, startᵢ + walltimeᵢ − deadlineᵢ), in seconds.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.TARDINESS).cost
0.0
"""
MAXIMUM_TARDINESS = Objective(
    "maximum-tardiness", _core.MaximumTardiness(), terms=maximum_tardiness_terms, needs_deadlines=True
)
"""max (startᵢ + walltimeᵢ − deadlineᵢ), at least 0, in seconds.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.MAXIMUM_TARDINESS).cost
0.0
"""
MISSED_DEADLINES = Objective("missed-deadlines", _core.MissedDeadlines(), needs_deadlines=True)
"""Σ [startᵢ + walltimeᵢ > deadlineᵢ]: how many jobs end after their deadline.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.MISSED_DEADLINES).cost
0.0
"""
REGULAR_WAIT = Objective("regular-wait", _core.RegularWait())
"""Total tardiness first, then the mean wait of jobs without a deadline (Ntakpé and Suter 2017, Section 4).

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.REGULAR_WAIT).cost
0.0002892681515765114
"""
