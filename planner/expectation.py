"""Expected run times, from how much of their requests a user's jobs took; orders that know them.

Users overestimate, and unevenly: knowing *whose* requests to believe is worth more than any search by requested times.
The quotients run time / walltime of the last ``OWN`` jobs of a user that have ended are a distribution of those that
wait; where fewer than ``FEW`` have ended, those of the last ``ALL`` jobs of all users. A kernel asks for it by its
attribute ``history``, :data:`EXPECTED_RUN_TIMES`, and finds in the columns :class:`Expected` of ``jobs.past`` what the
distribution says of each job.
"""

from enum import IntEnum

import numpy as np

from planbatch.planner.history import Event, History, News, asks_for
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.model import FloatArray, IntArray, JobTable

#: Of how many jobs quotients are remembered, of one user and of all.
OWN, ALL = 64, 1000
#: So many jobs of a user have to have ended before they count by themselves.
FEW = 5
#: How many quantiles of a distribution stand behind the expectation if they are kept (:mod:`run_times`).
QUANTILES = 16
#: Slowdowns count a shorter run time as this (s).
SHORTEST_RUN = 10.0

# Columns of the memory: how many jobs have ended, and their quotients, the oldest overwritten first.
ENDED, QUOTIENTS = 1, 2


class Expected(IntEnum):
    """Columns of ``jobs.past``; the first has the user's row."""

    RUN = 1  #: the expected run time (s)
    RATE = 2  #: the expectation of 1 / max(run time, 10 s) (1/s)
    KNOWN = 3  #: at how many ended jobs these two were computed


#: The columns of ``jobs.past`` where this history is kept.
COLUMNS = 1 + len(Expected)


@borrowing_kernel
def remember(row: FloatArray, quotient: float, most: int) -> None:
    """Remember what a job took of its request, and forget the oldest of more than ``most``."""
    row[QUOTIENTS + int(row[ENDED]) % most] = quotient
    row[ENDED] += 1.0


@borrowing_kernel
def expect(row: FloatArray, most: int, walltime: float, past: FloatArray) -> None:
    """Write what is expected of a job with this walltime."""
    count = min(int(row[ENDED]), most)
    if count == 0:
        past[Expected.RUN] = walltime
        past[Expected.RATE] = 1.0 / max(walltime, SHORTEST_RUN)
        return
    run, rate = 0.0, 0.0
    for k in range(count):
        one = row[QUOTIENTS + k] * walltime
        run += one
        rate += 1.0 / max(one, SHORTEST_RUN)
    past[Expected.RUN] = run / count
    past[Expected.RATE] = rate / count


@kernel
def follow_quotients(news: IntArray, memory: FloatArray, jobs: JobTable, now: int) -> None:
    """Remember the jobs that ended; bring up to date what is expected of waiting jobs whose users are among theirs."""
    everybody = memory[len(memory) - 1]
    for k in range(len(news)):
        if news[k, News.EVENT] == Event.ENDED:
            quotient = news[k, News.RUNTIME] / news[k, News.WALLTIME]
            remember(memory[news[k, News.USER]], quotient, OWN)
            remember(everybody, quotient, ALL)
    last = -1  # the job before it for which this was computed: jobs come in bursts of equal ones
    for i in range(len(jobs.submit)):
        past = jobs.past[i]
        row = memory[int(past[0])]
        own = row[ENDED] >= FEW
        known = row[ENDED] if own else -1.0 - everybody[ENDED]
        if past[Expected.KNOWN] == known:
            continue
        past[Expected.KNOWN] = known
        same = last >= 0 and jobs.walltime[last] == jobs.walltime[i]
        if (
            same
            and jobs.past[last, Expected.KNOWN] == known
            and (not own or jobs.past[last, 0] == past[0])
        ):
            past[Expected.RUN] = jobs.past[last, Expected.RUN]
            past[Expected.RATE] = jobs.past[last, Expected.RATE]
        else:
            expect(row if own else everybody, OWN if own else ALL, float(jobs.walltime[i]), past)
        last = i


EXPECTED_RUN_TIMES = History(follow_quotients, QUOTIENTS + ALL, len(Expected))
"""The history of run times: columns with E[run] and E[1 / max(run, 10 s)] of each waiting job.

Examples
--------
>>> import planbatch as pb
>>> pb.HISTORIES["expectation"] is pb.EXPECTED_RUN_TIMES
True
"""


@kernel
def knows_expectation(jobs: JobTable) -> bool:
    """Return whether the columns of the past are those of this history, or of that of :mod:`run_times`."""
    columns = jobs.past.shape[1]
    return columns == COLUMNS or columns == COLUMNS + QUANTILES


@kernel
def expected_run(jobs: JobTable, i: int) -> float:
    """Return the expected run time of a job (s): its walltime if no history is kept.

    Parameters
    ----------
    jobs : JobTable
        The waiting jobs.
    i : int
        Which of them.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.expected_run(problem.jobs, 0)
    100.0
    """
    if knows_expectation(jobs):
        return float(jobs.past[i, Expected.RUN])
    return float(jobs.walltime[i])


@kernel
def expected_rate(jobs: JobTable, i: int) -> float:
    """Return the expectation of 1 / max(run time, 10 s) of a job (1/s): by its walltime if no history is kept.

    Parameters
    ----------
    jobs : JobTable
        The waiting jobs.
    i : int
        Which of them.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.expected_rate(problem.jobs, 0)
    0.01
    """
    if knows_expectation(jobs):
        return float(jobs.past[i, Expected.RATE])
    return 1.0 / max(float(jobs.walltime[i]), SHORTEST_RUN)


@kernel
def expected_area(jobs: JobTable, now: int) -> FloatArray:
    """Smallest expected area first: n · E[run].

    Smith's rule for the mean wait if run times are uncertain (Rothkopf: "Scheduling with Random Service Times",
    Management Science 12, 1966).
    """
    keys = np.empty(len(jobs.submit))
    for i in range(len(keys)):
        keys[i] = float(jobs.procs[i]) * expected_run(jobs, i)
    return keys


@kernel
def expected_slowdown(jobs: JobTable, now: int) -> FloatArray:
    """Smallest n · E[run] / E[1 / max(run, 10 s)] first: the same rule, waits weighted as in the slowdown."""
    keys = np.empty(len(jobs.submit))
    for i in range(len(keys)):
        keys[i] = float(jobs.procs[i]) * expected_run(jobs, i) / expected_rate(jobs, i)
    return keys


asks_for(EXPECTED_RUN_TIMES, expected_area, expected_slowdown)
