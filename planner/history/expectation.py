"""Expected run times, from how much of their requests a user's jobs took.

Users overestimate, and unevenly: knowing *whose* requests to believe is worth more than any search by requested times.
The quotients run time / walltime of the last 64 jobs of a user that have ended are a distribution of those that wait;
where fewer than 5 have ended, those of the last 1,000 jobs of all users.
"""

from enum import IntEnum

from planbatch import _core
from planbatch.planner.history.history import History
from planbatch.planner.model import JobTable


class Expected(IntEnum):
    """Columns of ``jobs.past``; the first has the user's row."""

    RUN = 1  #: the expected run time (s)
    RATE = 2  #: the expectation of 1 / max(run time, 10 s) (1/s)
    KNOWN = 3  #: at how many ended jobs these two were computed


EXPECTED_RUN_TIMES = History(_core.ExpectedRunTimes())
"""The history of run times: columns with E[run] and E[1 / max(run, 10 s)] of each waiting job.

Examples
--------
>>> from planbatch.planner import EXPECTED_RUN_TIMES, HISTORIES
>>> HISTORIES["expectation"] is EXPECTED_RUN_TIMES
True
"""
RUN_TIMES = History(_core.RunTimes(), job_history=True)
"""Expected run times, quantiles of their distributions, and the job history: what scenarios are drawn from."""
#: How many columns ``jobs.past`` has with one of these histories.
_WIDTHS = (1 + EXPECTED_RUN_TIMES.columns, 1 + RUN_TIMES.columns)


def expected_run(jobs: JobTable, i: int) -> float:
    """Return the expected run time of a job (s): its walltime outside a replay that has the history.

    Parameters
    ----------
    jobs : JobTable
        The waiting jobs.
    i : int
        Which of them.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import expected_run
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> expected_run(problem.jobs, 0)
    100.0
    """
    if jobs.past is not None and jobs.past.shape[1] in _WIDTHS:
        return float(jobs.past[i, Expected.RUN.value])  # numba 0.60 takes no IntEnum as an index
    return float(jobs.walltime[i])


def expected_rate(jobs: JobTable, i: int) -> float:
    """Return the expectation of 1 / max(run time, 10 s) of a job (1/s); outside a replay by its walltime.

    Parameters
    ----------
    jobs : JobTable
        The waiting jobs.
    i : int
        Which of them.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import expected_rate
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> expected_rate(problem.jobs, 0)
    0.01
    """
    if jobs.past is not None and jobs.past.shape[1] in _WIDTHS:
        return float(jobs.past[i, Expected.RATE.value])
    return 1.0 / max(float(jobs.walltime[i]), 10.0)


def check_history(what: str, history: History | None) -> None:
    """Raise unless a function asks for no history, or for one of run times: a replay has one."""
    if history not in (None, EXPECTED_RUN_TIMES, RUN_TIMES):
        raise ValueError(f"{what} asks for another history, and a replay has one: that of run times")
