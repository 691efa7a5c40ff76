"""What predictors know of a user when she submits a job: her last jobs, and those that run.

Rows of the memory have a user's numbers, :class:`Own`; the first of those that are kept for a job chain the running
jobs of its user, oldest first, :class:`Of`.
"""

from enum import IntEnum

from planbatch.planner.kernels.native import borrowing_kernel

from planbatch.planner.history import News
from planbatch.planner.model import FloatArray, IntArray

#: How many of a user's last ended jobs are known one by one.
LAST = 3
#: The weight of the latest quotient in the mean of a user's quotients.
LATEST = 0.2


class Own(IntEnum):
    """Columns of a user's row; the first is not used."""

    JOBS = 1  #: jobs that have ended
    SECONDS = 2  #: their run times together (s)
    PROCS = 3  #: their processors together
    ENDED = 4  #: when the last one ended (s)
    QUOTIENT = 5  #: mean quotient of run time and request, recent jobs weighing more
    SUBMITTED = 6  #: when the last ``LAST`` ended jobs were submitted (s), the latest first
    RAN = 9  #: for how long they ran (s)
    RUNNING = 12  #: jobs that run
    BUSY = 13  #: processors on which they run
    STARTS = 14  #: their starts together (s)
    OLDEST = 15  #: the number of the one that started first, + 1; 0 for none
    NEWEST = 16  #: that of the last one


#: Columns of a user's row.
WIDTH = len(Own) + 1 + 2 * (LAST - 1)


class Of(IntEnum):
    """The first numbers that are kept for a job."""

    SUBMIT = 0  #: when it was submitted (s)
    START = 1  #: when it was started (s)
    BEFORE = (
        2  #: the number, + 1, of the running job of its user that started before it; 0 for none
    )
    BEHIND = 3  #: of the one that started after it


#: How many there are.
CHAIN = len(Of)


@borrowing_kernel
def kept_from(memory: FloatArray, shared: int, kept: int, job: int) -> int:
    """Return where the numbers of a job begin, in the memory as one column."""
    return (len(memory) - 1) * memory.shape[1] - shared - (job + 1) * kept


@borrowing_kernel
def note_start(row: FloatArray, numbers: FloatArray, first: int, kept: int, told: IntArray) -> None:
    """Append a job that starts to the running jobs of its user.

    ``numbers`` is the memory as one column, in which those of job j begin at ``first`` − j · ``kept``.
    """
    job = told[News.JOB]
    at = first - job * kept
    newest = int(row[Own.NEWEST])
    numbers[at + Of.START] = told[News.TIME]
    numbers[at + Of.BEFORE] = newest
    numbers[at + Of.BEHIND] = 0.0
    if newest:
        numbers[first - (newest - 1) * kept + Of.BEHIND] = job + 1
    else:
        row[Own.OLDEST] = job + 1
    row[Own.NEWEST] = job + 1
    row[Own.RUNNING] += 1.0
    row[Own.BUSY] += told[News.PROCS]
    row[Own.STARTS] += told[News.TIME]


@borrowing_kernel
def note_end(row: FloatArray, numbers: FloatArray, first: int, kept: int, told: IntArray) -> None:
    """Take a job that ends out of the running jobs of its user, and into her past."""
    at = first - told[News.JOB] * kept
    before, behind = int(numbers[at + Of.BEFORE]), int(numbers[at + Of.BEHIND])
    if before:
        numbers[first - (before - 1) * kept + Of.BEHIND] = behind
    else:
        row[Own.OLDEST] = behind
    if behind:
        numbers[first - (behind - 1) * kept + Of.BEFORE] = before
    else:
        row[Own.NEWEST] = before
    row[Own.RUNNING] -= 1.0
    row[Own.BUSY] -= told[News.PROCS]
    row[Own.STARTS] -= numbers[at + Of.START]
    for place in range(LAST - 1, 0, -1):
        row[Own.SUBMITTED + place] = row[Own.SUBMITTED + place - 1]
        row[Own.RAN + place] = row[Own.RAN + place - 1]
    row[Own.SUBMITTED] = numbers[at + Of.SUBMIT]
    row[Own.RAN] = told[News.RUNTIME]
    quotient = told[News.RUNTIME] / told[News.WALLTIME]
    weight = LATEST if row[Own.JOBS] else 1.0
    row[Own.QUOTIENT] += weight * (quotient - row[Own.QUOTIENT])
    row[Own.JOBS] += 1.0
    row[Own.SECONDS] += told[News.RUNTIME]
    row[Own.PROCS] += told[News.PROCS]
    row[Own.ENDED] = told[News.TIME]
