"""What the driver goes by: its mode, its times, and which jobs are its own."""

from dataclasses import dataclass
from typing import Literal

from planbatch.experiments.live.slurm.marks import (
    NO_PLAN,
    STRICT_KINDS,
    Mark,
    held_by_its_user,
    mark_of,
)
from planbatch.experiments.live.slurm.snapshot import LiveJob

Mode = Literal["soft", "strict"]


@dataclass(frozen=True)
class DriveRules:
    """How a plan is carried out.

    Attributes
    ----------
    mode : {"soft", "strict"}
        Soft: jobs that are not held get a begin time. Strict: jobs arrive held, and are released when due.
    every : float
        Seconds from tick to tick.
    grace : float
        How long a released job may wait before it is taken back (s).
    horizon : int
        Soft: the latest begin time that is set, from now (s). If the driver dies, every job may start after that.
    partitions : frozenset of str
        The partitions that are planned; empty for all.
    adopt : bool
        Strict: whether pending jobs without a mark are held and planned, too.

    Raises
    ------
    ValueError
        If a time is not positive.

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

    def __post_init__(self) -> None:
        for name in ("every", "grace", "horizon"):
            if not getattr(self, name) > 0:
                raise ValueError(
                    f"{name}: {getattr(self, name)} is not a positive number of seconds"
                )

    def may_plan(self, job: LiveJob) -> bool:
        """Say whether a pending job may be planned: in its partitions, for no reservation, not kept out by its user."""
        if job.comment.strip() == NO_PLAN or job.reservation:
            return False
        return not self.partitions or set(job.partition.split(",")) <= self.partitions

    def pause(self, times: int) -> float:
        """Give the time for which a job is left alone after it was taken back for the ``times``-th time (s)."""
        return float(min(2.0 ** min(times, 16) * self.every, 600.0))


@dataclass(frozen=True)
class Standing:
    """What a pending job is to the driver.

    Attributes
    ----------
    mark : Mark or None
        What was noted of it, if it is the driver's.
    ours : bool
        Whether the driver may touch it.
    kept : bool
        Whether its user or an administrator holds it; it is left as it is then.
    waits : bool
        Whether it may start and has not yet: it is released, or its begin time has come, less than the grace ago.
    """

    mark: Mark | None
    ours: bool
    kept: bool = False
    waits: bool = False


def standing(job: LiveJob, rules: DriveRules, now: int) -> Standing:
    """Say what a pending job is to the driver, by its mark, its holds and its comment, at a time (s)."""
    mark = mark_of(job.admin_comment)
    if rules.mode == "soft":
        foreign = job.admin_comment.startswith("planbatch:") and mark is None
        ours = rules.may_plan(job) and not foreign and not (mark and mark.kind in STRICT_KINDS)
        set_by_us = mark is not None and mark.kind == "begin" and job.begin_time <= mark.time + 2
        began = set_by_us and mark is not None and 0 <= now - mark.time <= rules.grace
        return Standing(mark, ours, job.held is not None, ours and began and job.held is None)
    if mark is None or mark.kind not in STRICT_KINDS:
        unmarked = mark is not None or not job.admin_comment.startswith("planbatch:")
        ours = rules.adopt and unmarked and job.held is None and rules.may_plan(job)
        return Standing(mark, ours, kept=job.held is not None)
    kept = job.held == "admin" or held_by_its_user(job.comment)
    # A job that was requeued since is another run: what was released then is not released now.
    released = mark.kind == "due" and job.held is None and job.key.restarts == mark.run
    return Standing(mark, True, kept, released and not kept)
