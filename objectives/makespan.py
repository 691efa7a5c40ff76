"""The end of the plan: system utilisation (PLAN 3) of Zheng et al. 2016, Section IV-B."""

import numpy as np

from planbatch import _core
from planbatch.planner.model import JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms


def makespan_terms(jobs: JobTable, now: int) -> Terms:
    """The terms of :func:`makespan`: start − (now − walltime) is the time from now to the end."""
    return Terms(np.ones(len(jobs.submit)), now - jobs.walltime, largest=True)


MAKESPAN = Objective("makespan", _core.Makespan(), terms=makespan_terms)
"""max (startᵢ + walltimeᵢ) − now, in seconds.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.MAKESPAN).cost
150.0
"""
