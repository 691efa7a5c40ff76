"""What the driver goes by: its mode, its times, and which jobs are its own."""

from dataclasses import dataclass
from typing import Literal

from planbatch.experiments.live.slurm.marks import (
    FREE,
    NO_PLAN,
    PREFIX,
    Mark,
    is_set,
    mark_of,
)
from planbatch.experiments.live.slurm.snapshot import LiveJob

Mode = Literal["soft", "strict"]
#: Slurm's reasons that say nothing against a job that was released: it was not looked at yet, or others come first.
NEUTRAL = frozenset(("", "None", "Priority", "Resources", "BeginTime"))


@dataclass(frozen=True)
class DriveRules:
    """How a plan is carried out.

    Attributes
    ----------
    mode : {"soft", "strict"}
        Soft: jobs get their planned start as begin time, and Slurm starts them. Strict: jobs arrive with a begin time
        far ahead, which is put forward when they are due.
    every : float
        Seconds from tick to tick.
    grace : float
        How long a released job may wait before it is taken back (s).
    horizon : int
        The latest begin time that is set, from now (s). If the driver dies, every job may start after that.
    partitions : frozenset of str
        The partitions that are planned; empty for all.
    adopt : bool
        Strict: whether pending jobs without a mark are planned, too.
    share : float
        Which part of the machine may be given to released jobs of users whose jobs Slurm refused before.
    noplan : frozenset of str
        The users who may keep jobs out of the plan by the comment ``noplan``; ``*`` for all.
    driver : int
        Which driver this is: when it began (ms).
    idle_ticks : int
        After so many ticks in which a node idles that a job could have, Slurm has its way.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> import planbatch as pb
    >>> rules = pb.DriveRules("strict", every=1.0)
    >>> rules.mode, rules.pause(times=3)
    ('strict', 8.0)
    """

    mode: Mode = "soft"
    every: float = 5.0
    grace: float = 15.0
    horizon: int = 600
    partitions: frozenset[str] = frozenset()
    adopt: bool = False
    share: float = 0.1
    noplan: frozenset[str] = frozenset({"root"})
    driver: int = 0
    idle_ticks: int = 3

    def __post_init__(self) -> None:
        for name in ("every", "grace", "horizon", "idle_ticks"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}: {getattr(self, name)} is not above zero")
        if not 0 <= self.share <= 1:
            raise ValueError(f"share: {self.share} is not between 0 and 1")

    def may_plan(self, job: LiveJob) -> bool:
        """Whether a job may be planned: in its partitions, alone, for no reservation, not kept out by its user."""
        kept_out = job.comment.strip() == NO_PLAN and bool({"*", job.user} & self.noplan)
        if kept_out or job.reservation or job.het_job:
            return False
        return not self.partitions or set(job.partition.split(",")) <= self.partitions

    def pause(self, times: int) -> float:
        """Give the time for which a job is left alone after it was taken back for the ``times``-th time (s)."""
        return float(min(2.0 ** min(times, 16) * self.every, 600.0))

    def patience(self, reason: str) -> float:
        """Give the time after which a released job that waits for a reason of Slurm's is taken back (s).

        ``Resources`` is Slurm's verdict on a job that fits by our count: it gets the time in which nodes come free.
        Any reason that is none of :data:`NEUTRAL` is Slurm's own against the job.
        """
        if reason not in NEUTRAL:
            return 0.0
        return min(self.grace, max(2 * self.every, 3.0)) if reason == "Resources" else self.grace


@dataclass(frozen=True)
class JobState:
    """What a pending job is to the driver.

    Attributes
    ----------
    mark : Mark or None
        What was noted of it.
    managed : bool
        Whether the driver plans it and sets its begin time.
    released : int, optional
        Since when it may start by the begin time that the driver set (s); None if it may not, or is held.
    refused : bool
        Whether it is released and Slurm does not start it, so that it is to be taken back.
    """

    mark: Mark | None
    managed: bool
    released: int | None = None
    refused: bool = False


def state_of(job: LiveJob, rules: DriveRules, now: int) -> JobState:
    """Say what a pending job is to the driver at a time (s)."""
    mark = mark_of(job.admin_comment)
    foreign = mark is None and job.admin_comment.startswith(PREFIX) and job.admin_comment != FREE
    chosen = mark is not None or rules.mode == "soft" or (rules.adopt and job.held is None)
    managed = rules.may_plan(job) and chosen and not foreign
    may_start = job.held is None and job.begin_time <= now
    if not (managed and may_start and mark is not None and is_set(job, mark) and mark.begin <= now):
        return JobState(mark, managed)
    return JobState(mark, True, mark.begin, now - mark.begin > rules.patience(job.reason))
