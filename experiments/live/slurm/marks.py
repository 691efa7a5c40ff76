"""Marks: the driver's state of a job, kept in the job itself, in ``AdminComment``.

Users cannot write them, they survive a restart of the controller, and a driver that was killed finds them again. The
whole of what a driver remembers is in the marks (and in the journal, for people). The driver never holds a job: holds
are those of users and administrators. It sets begin times, and notes in the mark the one that the user asked for:
``planbatch:asked=A:begin=B``, then, as far as they apply, ``:by=D``, ``:back=T:times=K`` and ``:open``. A job that was
given back to Slurm has ``planbatch:free``.
"""

import math
import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple

from planbatch.experiments.live.slurm.snapshot import JobKey, LiveJob, Snapshot
from planbatch.planner.settings import Setting

PREFIX = "planbatch:"
FREE = "planbatch:free"
#: The comment by which a user keeps a job out of the plan.
NO_PLAN = "noplan"
#: Slurm moves a begin time that has passed to the moment in which it is set, no more than this later (s).
MOST_SHIFT = 60
_FORM = re.compile(
    r"planbatch:asked=(\d{1,10}):begin=(\d{1,10})(?::by=(\d{1,13}))?(?::back=(\d{1,10}):times=(\d{1,3}))?(:open)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Mark:
    """The driver's state of a job; times in seconds.

    Examples
    --------
    >>> str(Mark(0, 1795379090, back=1795379000, times=2))
    'planbatch:asked=0:begin=1795379090:back=1795379000:times=2'
    """

    #: The begin time for which the user had asked, 0 for none.
    requested: int
    #: The begin time that was set.
    begin: int
    #: Which driver set it: when that began (ms), 0 for ``job_submit.lua``.
    by: int = 0
    #: When the job was last taken back because it did not start, and how often; 0 for never.
    back: int = 0
    times: int = 0
    #: Whether it may start although it is not due, so that Slurm itself lets nothing pass that would delay it, and
    #: starts it when nodes come free.
    open: bool = False

    def __str__(self) -> str:
        by = f":by={self.by}" if self.by else ""
        back = f":back={self.back}:times={min(self.times, 999)}" if self.times else ""
        suffix = ":open" if self.open else ""
        return f"{PREFIX}asked={self.requested}:begin={self.begin}{by}{back}{suffix}"


@lru_cache(maxsize=65536)  # each tick reads those of all jobs
def mark_of(admin_comment: str) -> Mark | None:
    """Read a mark; None for any other text, so that a mark from elsewhere leaves the job alone.

    >>> mark_of("planbatch:asked=0:begin=1795379090")
    Mark(requested=0, begin=1795379090, by=0, back=0, times=0, open=False)
    >>> mark_of("planbatch:keep your hands off") is None
    True
    """
    match = _FORM.fullmatch(admin_comment.strip())
    if not match:
        return None
    requested, begin, by, back, times = (int(number or 0) for number in match.groups()[:5])
    return Mark(requested, begin, by, back, times, match[6] is not None)


def is_set(job: LiveJob, mark: Mark) -> bool:
    """Whether the begin time of a pending job is the one of its mark: otherwise somebody changed it since."""
    begin = job.begin_time or job.submit_time  # which are the same if it may start at once
    return 0 <= begin - mark.begin <= MOST_SHIFT


def requested_begin(job: LiveJob) -> int:
    """Return the begin time for which the user of a pending job asked (s), 0 for none."""
    mark = mark_of(job.admin_comment)
    return job.begin_time if mark is None or not is_set(job, mark) else mark.requested


Mode = Literal["soft", "strict"]
#: Slurm's reasons that say nothing against a job that was released: it was not looked at yet, or others come first.
NEUTRAL = frozenset(("", "None", "Priority", "Resources", "BeginTime"))
#: How long a released job may at least wait in soft mode (s): Slurm's backfill looks for room every 30 s by default.
BACKFILL = 60.0


@dataclass(frozen=True)
class DriveRules:
    """How a plan is carried out; a flag of ``planbatch slurm drive`` says what each of the other fields is.

    Experimental: it may change in any release.

    Attributes
    ----------
    mode : {"soft", "strict"}
        Soft: jobs get their planned start as begin time, and Slurm starts them. Strict: jobs arrive with a begin time
        far ahead, which is put forward when they are due.
    partitions : tuple of str
        The partitions that are planned; none for all.
    driver : int
        Which driver this is: when it began (ms).

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> from planbatch.experiments import DriveRules
    >>> rules = DriveRules("strict", every=1.0)
    >>> rules.mode, rules.pause(times=3)
    ('strict', 8.0)
    """

    # fmt: off
    mode: Mode = "soft"
    every: Annotated[float, Setting("Time between ticks.", "TIME")] = 5.0
    poll: Annotated[float, Setting(
        "Between ticks, how often to poll for jobs that arrived or ended, which starts a tick; longer than --every for "
        "never.", "TIME")] = 0.2
    grace: Annotated[float, Setting(
        "How long a released job may take to start before it is taken back.", "TIME")] = 15.0
    horizon: Annotated[int, Setting(
        "The latest begin time that is set, from now; after that, jobs start without a driver. Slurm's priority counts "
        "no age while it lies ahead.", "TIME")] = 600
    partitions: tuple[str, ...] = ()
    adopt: Annotated[bool, Setting("Strict: plan jobs that arrived before the driver, too.")] = False
    share: Annotated[float, Setting(
        "Part of the machine that released jobs may hold if Slurm refused others of the same user.", "PART")] = 0.1
    idle_ticks: Annotated[int, Setting(
        "Stop driving after so many ticks in which a node idles although a waiting job fits; more for policies "
        "that idle on purpose, such as fcfs.", "N")] = 3
    noplan: Annotated[tuple[str, ...], Setting(
        "Who may keep jobs out of the plan by the comment noplan; may be repeated, * for all.", "USER")] = ("root",)
    driver: int = 0
    # fmt: on

    def __post_init__(self) -> None:
        for name in ("every", "grace", "horizon", "idle_ticks"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name.replace('_', '-')}: {getattr(self, name)} is not above zero")
        if not 0 <= self.share <= 1:
            raise ValueError(f"share: {self.share} is not between 0 and 1")

    def may_plan(self, job: LiveJob) -> bool:
        """Whether a job may be planned: in its partitions, alone, for no reservation, not kept out by its user."""
        kept_out = job.comment.strip() == NO_PLAN and ("*" in self.noplan or job.user in self.noplan)
        if kept_out or job.reservation or job.het_job:
            return False
        return not self.partitions or set(job.partition.split(",")).issubset(self.partitions)

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
        if reason == "Resources":
            return min(self.grace, max(2 * self.every, 3.0))
        return self.grace if self.mode == "strict" else max(self.grace, BACKFILL)


@dataclass(frozen=True)
class JobState:
    """The driver's view of a pending job."""

    #: Its mark.
    mark: Mark | None
    #: Whether the driver plans it and sets its begin time.
    managed: bool
    #: Since when it may start by the begin time that the driver set (s); None if it may not, or is held.
    released: int | None = None
    #: Whether it is released and Slurm does not start it, so that it is to be taken back.
    refused: bool = False


def state_of(job: LiveJob, rules: DriveRules, now: int) -> JobState:
    """Return the driver's view of a pending job at a time (s)."""
    mark = mark_of(job.admin_comment)
    foreign = mark is None and job.admin_comment.startswith(PREFIX) and job.admin_comment != FREE
    in_scope = mark is not None or rules.mode == "soft" or (rules.adopt and job.held is None)
    managed = rules.may_plan(job) and in_scope and not foreign
    may_start = job.held is None and job.begin_time <= now
    if not (managed and may_start and mark is not None and is_set(job, mark) and mark.begin <= now):
        return JobState(mark, managed)
    if mark.open and job.reason in NEUTRAL:
        return JobState(mark, True)
    return JobState(mark, True, mark.begin, now - mark.begin > rules.patience(job.reason))


class Target(NamedTuple):
    """What is planned: a row of the queue, or a task of it if it stands for several."""

    key: JobKey
    task: int | None = None


#: The fields that decide whether Slurm refuses a job, its user first; see :func:`shape_of`.
Shape = tuple[Hashable, ...]


@dataclass(frozen=True)
class UserQueue:
    """A queue without the driver's begin times."""

    #: The cluster, jobs that are released first; no job has a mark.
    snapshot: Snapshot
    #: Jobs that may start and have not started yet, and since when they may (s): what they take is theirs.
    released: Mapping[JobKey, int]
    #: Jobs of users of whom Slurm refused one that still waits.
    suspects: frozenset[JobKey]

    def without(self, targets: frozenset[Target], until: int) -> "UserQueue":
        """Return the queue without some jobs: they begin later (s); arrays lose the tasks."""
        keys = {target.key for target in targets}

        def rest(job: LiveJob) -> LiveJob:
            if job.key not in keys:
                return job
            if job.array is not None:
                others = (task for task in job.array.tasks if Target(job.key, task) not in targets)
                if tasks := tuple(others):
                    return replace(job, array=replace(job.array, tasks=tasks))
            return replace(job, begin_time=until)

        jobs = tuple(map(rest, self.snapshot.jobs))
        return replace(self, snapshot=replace(self.snapshot, jobs=jobs))


def without_driver_changes(snapshot: Snapshot, rules: DriveRules) -> UserQueue:
    """Return the queue as it would be without the driver."""
    now = snapshot.time
    states = {job.key: state_of(job, rules, now) for job in snapshot.jobs if job.pending}
    pauses = pauses_of(snapshot, states, rules)
    released = {
        key: state.released for key, state in states.items() if state.released is not None and not state.refused
    }

    def as_requested(job: LiveJob) -> LiveJob:
        if not job.pending:
            return job
        comment = "" if job.admin_comment.startswith(PREFIX) else job.admin_comment
        if job.key in released:
            return replace(job, admin_comment=comment)
        state = states[job.key]
        pause, _ = pauses.get(shape_of(job), (0, 0)) if state.managed else (0, 0)
        begin = max(requested_begin(job), pause if pause > now else 0)
        is_parked = state.mark is not None and job.begin_time > now and not job.held
        reason = "" if is_parked else job.reason
        if (comment, begin, reason) == (job.admin_comment, job.begin_time, job.reason):
            return job
        return replace(job, admin_comment=comment, begin_time=begin, reason=reason)

    jobs = sorted(map(as_requested, snapshot.jobs), key=lambda job: job.key not in released)
    users = {shape[0] for shape in pauses}
    suspects = frozenset(key for job in jobs if (key := job.key) in states and job.user in users)
    return UserQueue(replace(snapshot, jobs=tuple(jobs)), released, suspects)


def shape_of(job: LiveJob) -> Shape:
    """Return the fields by which Slurm refuses a job, its user first; jobs of one shape are refused together."""
    return (job.user, job.account, job.qos, job.partition, job.nodes, job.cpus, job.gpus, job.exclusive,
            job.required, job.excluded, job.features, job.licenses, *sorted(job.tres.items()))  # fmt: skip


def pauses_of(snapshot: Snapshot, states: Mapping[JobKey, JobState], rules: DriveRules) -> dict[Shape, tuple[int, int]]:
    """Return until when each shape that was refused is left alone (s), and how often it was."""
    pauses: dict[Shape, tuple[int, int]] = {}
    refused_shapes = set()
    for job in snapshot.jobs:
        state = states.get(job.key)
        if state is None or not state.managed:
            continue
        shape, mark = shape_of(job), state.mark or Mark(0, 0)
        if state.refused:
            refused_shapes.add(shape)
        if state.refused or mark.times:
            until, times = pauses.get(shape, (0, 0))
            end = math.ceil(mark.back + rules.pause(mark.times))
            pauses[shape] = max(until, end), max(times, mark.times)
    for shape in refused_shapes:
        times = pauses[shape][1] + 1
        pauses[shape] = math.ceil(snapshot.time + rules.pause(times)), times
    return pauses
