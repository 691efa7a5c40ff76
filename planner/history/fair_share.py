"""The decayed use of every user, and the fair-share factor that follows from it."""

from planbatch import _core
from planbatch.planner.history.history import History
from planbatch.planner.model import JobTable

#: Columns of ``jobs.past``, after the user's row: the factor, and the part of the machine that the job takes.
SHARE, SIZE = 1, 2

FAIR_SHARE = History(_core.FairShare(604800.0))
"""The history of users' decayed use, for fair-share; as in Slurm, with a half-life of a week.

Examples
--------
>>> from planbatch.planner import FAIR_SHARE, HISTORIES
>>> HISTORIES["fair-share"] is FAIR_SHARE
True
"""


def fair_share(jobs: JobTable, i: int) -> float:
    """Return the fair-share factor of a job's user, 0 … 1; outside a replay, past use is zero and it is 1.

    The factor is 2^(−U / S): U the part that the user has in the decayed use of all, S the same share for every user
    so far (Slurm, "Classic Fairshare Algorithm").

    Parameters
    ----------
    jobs : JobTable
        The waiting jobs.
    i : int
        Which of them.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import fair_share
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> fair_share(problem.jobs, 0)
    1.0
    """
    has_shares = jobs.past is not None and jobs.past.shape[1] == SIZE + 1
    return float(jobs.past[i, SHARE]) if has_shares else 1.0
