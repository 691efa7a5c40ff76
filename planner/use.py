"""The decayed use of every user, and the fair-share factor that follows from it: a history."""

from math import exp

import numpy as np

from planbatch.planner.history import Event, History, News
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.model import FloatArray, IntArray, JobTable

# Columns of the memory: of the users, and of the machine.
USED, RUNNING, SINCE = (
    0,
    1,
    2,
)  # decayed use (processor-seconds), processors in use now, until when it is reckoned (s)
PROCESSORS, USERS = 0, 1  # of the machine; users that have submitted a job
SEEN = 3  # whether the user has submitted a job
WIDTH = 4
# Columns of the round, behind the user's row.
SHARE, SIZE = 1, 2


@kernel
def effective_usage(usage: float, parent: float, share: float, siblings: float) -> float:
    """Usage of a node of the tree of accounts, mixed with its parent's: U + (U_parent − U) · share / Σ shares.

    Slurm, "Classic Fairshare Algorithm": ``share`` are the node's shares, ``siblings`` those of the node and its
    siblings together; for nodes right below the root it is the usage itself.
    """
    return usage + (parent - usage) * share / siblings


@kernel
def share_factor(usage: float, share: float) -> float:
    """The fair-share factor 2^(−U / S): 1 without use, 0.5 for one who uses just the share; U, S parts of the whole."""
    return float(2.0 ** (-usage / share))


@borrowing_kernel
def bring_up_to(row: FloatArray, now: int, decay: float) -> None:
    """Reckon the use of a user until now; in the meantime it decays, and jobs run: U′ = P − decay · U."""
    left = exp(-decay * (now - row[SINCE]))
    row[USED] = row[USED] * left + row[RUNNING] * (1.0 - left) / decay
    row[SINCE] = now


@borrowing_kernel
def follow_use(
    news: IntArray, memory: FloatArray, jobs: JobTable, now: int, half_life: float
) -> None:
    """Keep the decayed use of every user; write the fair-share factor and the size of the waiting jobs.

    All users that have submitted a job have equal shares.
    """
    decay = np.log(2.0) / half_life
    machine = memory[len(memory) - 1]
    for k in range(len(news)):
        row = memory[news[k, News.USER]]
        if news[k, News.EVENT] == Event.SUBMITTED:
            machine[USERS] += 1.0 - row[SEEN]
            row[SEEN] = 1.0
            continue
        bring_up_to(row, news[k, News.TIME], decay)
        sign = 1.0 if news[k, News.EVENT] == Event.STARTED else -1.0
        row[RUNNING] += sign * news[k, News.PROCS]
    total = 0.0
    for user in range(len(memory) - 1):
        bring_up_to(memory[user], now, decay)
        total += memory[user, USED]
    for i in range(len(jobs.submit)):
        used = memory[int(jobs.past[i, 0]), USED]
        of_all = used / total if total > 0.0 else 0.0
        jobs.past[i, SHARE] = share_factor(of_all, 1.0 / machine[USERS])
        jobs.past[i, SIZE] = jobs.procs[i] / machine[PROCESSORS]


@kernel
def follow_weekly_use(news: IntArray, memory: FloatArray, jobs: JobTable, now: int) -> None:
    """:func:`follow_use` with a half-life of a week, Slurm's default."""
    follow_use(news, memory, jobs, now, 604800.0)


FAIR_SHARE = History(follow_weekly_use, WIDTH, 2)
"""The history of users' decayed use, for fair-share; as in Slurm, with a half-life of a week.

Examples
--------
>>> import planbatch as pb
>>> pb.HISTORIES["fair-share"] is pb.FAIR_SHARE
True
"""


@kernel
def fair_share(jobs: JobTable, i: int) -> float:
    """Return the fair-share factor of a job's user, 0 … 1; 1, as of one who used nothing, if no history is kept.

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
    >>> pb.fair_share(problem.jobs, 0)
    1.0
    """
    return float(jobs.past[i, SHARE]) if jobs.past.shape[1] == SIZE + 1 else 1.0
