"""The job history: what is known, at a round, of every job submitted so far; for policies that reckon with the past.

A replay keeps it if the history that a policy asks for wants it (:mod:`history`). A row is written when its job is
submitted, started and ended, so what a policy reads in it is causal: there is no row of a job to come, and no run time
before its end.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from planbatch.planner.columns import FloatArray, IntArray


class JobColumn(IntEnum):
    """The columns of the job history; behind them stand the demands on the resources besides processors.

    Examples
    --------
    >>> from planbatch.planner import JobColumn
    >>> list(JobColumn)[:3]
    [<JobColumn.SUBMIT: 0>, <JobColumn.PROCS: 1>, <JobColumn.WALLTIME: 2>]
    """

    SUBMIT = 0  #: submit time (s)
    PROCS = 1  #: processors
    WALLTIME = 2  #: walltime (s)
    USER = 3  #: the number of its user
    START = 4  #: its start (s); ``NEVER`` while it waits
    RUNTIME = 5  #: its run time (s); ``UNKNOWN`` until it has ended


#: The run time of a job that has not ended.
UNKNOWN = -1


class JobHistory(NamedTuple):
    """The jobs submitted so far, in FCFS order.

    Attributes
    ----------
    rows : int64 array, shape (k, len(JobColumn) + K - 1)
        One row per job; none if no history is kept.
    past : float64 array, shape (k, C)
        The history's columns of each job, as of its last round in the queue.
    running : int64 array, shape (m,)
        The rows of the running jobs, in their order.

    Examples
    --------
    >>> import planbatch as pb
    >>> job_history = pb.Round.of(capacity=4).job_history  # empty outside a replay
    >>> job_history.rows.shape, job_history.past.shape, job_history.running.shape
    ((0, 6), (0, 0), (0,))
    """

    rows: IntArray
    past: FloatArray
    running: IntArray


def empty_job_history() -> JobHistory:
    """Return the job history of a round outside a replay: no rows."""
    return JobHistory(np.zeros((0, len(JobColumn)), np.int64), np.zeros((0, 0)), np.zeros(0, np.int64))
