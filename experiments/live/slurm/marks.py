"""Marks: what the driver must know of a job and keeps in the job itself, in ``AdminComment``.

Users cannot write them, they survive a restart of the controller, and a driver that was killed finds them again. The
whole of what a driver remembers is in the marks (and in the journal, for people). The driver never holds a job: holds
are those of users and administrators. It sets begin times, and notes in the mark the one that the user asked for:
``planbatch:asked=A:begin=B``, then, as far as they apply, ``:by=D`` and ``:back=T:times=K``; ``planbatch:free`` is a
job that was given back to Slurm.
"""

import re
from dataclasses import dataclass

from planbatch.experiments.live.slurm.snapshot import LiveJob

PREFIX = "planbatch:"
FREE = "planbatch:free"
#: The comment by which a user keeps a job out of the plan.
NO_PLAN = "noplan"
#: Slurm moves a begin time that has passed to the moment in which it is set, no more than this later (s).
LATE = 60
_FORM = re.compile(
    r"planbatch:asked=(\d{1,10}):begin=(\d{1,10})(?::by=(\d{1,13}))?(?::back=(\d{1,10}):times=(\d{1,3}))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Mark:
    """What the driver noted of a job; times in seconds.

    Attributes
    ----------
    asked : int
        The begin time for which the user had asked, 0 for none.
    begin : int
        The begin time that was set.
    by : int
        Which driver set it: when that began (ms), 0 for ``job_submit.lua``.
    back : int
        When the job was last taken back since it did not start, 0 for never.
    times : int
        How often it was.

    Examples
    --------
    >>> str(Mark(0, 1795379090, back=1795379000, times=2))
    'planbatch:asked=0:begin=1795379090:back=1795379000:times=2'
    """

    asked: int
    begin: int
    by: int = 0
    back: int = 0
    times: int = 0

    def __str__(self) -> str:
        by = f":by={self.by}" if self.by else ""
        back = f":back={self.back}:times={min(self.times, 999)}" if self.times else ""
        return f"{PREFIX}asked={self.asked}:begin={self.begin}{by}{back}"


def mark_of(admin_comment: str) -> Mark | None:
    """Read a mark; None for any other text, so that a mark from elsewhere leaves the job alone.

    >>> mark_of("planbatch:asked=0:begin=1795379090")
    Mark(asked=0, begin=1795379090, by=0, back=0, times=0)
    >>> mark_of("planbatch:keep your hands off") is None
    True
    """
    found = _FORM.fullmatch(admin_comment.strip())
    return Mark(*(int(number or 0) for number in found.groups())) if found else None


def is_set(job: LiveJob, mark: Mark) -> bool:
    """Whether the begin time of a pending job is the one of its mark: otherwise somebody changed it since."""
    begin = job.begin_time or job.submit_time  # which are the same if it may start at once
    return 0 <= begin - mark.begin <= LATE


def asked_begin(job: LiveJob) -> int:
    """Give the begin time for which the user of a pending job asked (s), 0 for none."""
    mark = mark_of(job.admin_comment)
    return job.begin_time if mark is None or not is_set(job, mark) else mark.asked
