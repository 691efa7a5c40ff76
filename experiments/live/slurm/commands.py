"""From a plan to commands: a pure function of the cluster as it is, the plan, and the time.

Every tick starts from what Slurm says. A command that was lost is given again, and one that was carried out is not
repeated: applied twice, the second time there is nothing to do.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from planbatch.experiments.common.text import clock_time
from planbatch.experiments.live.slurm.marks import (
    FREE,
    DriveRules,
    Mark,
    Target,
    is_set,
    mark_of,
    pauses_of,
    requested_begin,
    shape_of,
    state_of,
)
from planbatch.experiments.live.slurm.snapshot import JobKey, LiveJob, Snapshot

#: Begin times that differ by no more than this (s), or by this part of the time until then, are not changed.
TOLERANCE, TOLERANCE_PART = 1, 0.1

Action = Literal["release", "open", "take back", "park", "begin", "give back", "mark back"]


@dataclass(frozen=True, slots=True)
class Command:
    """A change of one job.

    Experimental: it may change in any release.

    Attributes
    ----------
    action : str
        What it is.
    key : JobKey
        The job.
    label : str
        Its number, as people and Slurm write it.
    lines : tuple of str
        Lines for ``scontrol``.
    reason : str
        The reason, for people.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.experiments import DriveRules, Planner, Snapshot, commands_for
    >>> snapshot = Snapshot.example()
    >>> rules = DriveRules("soft")
    >>> starts = Planner(pb.make_policy("easy"), rules)(snapshot, {}).starts
    >>> commands_for(snapshot, starts, 100, rules)[0].lines
    ('update JobId=7 StartTime=uts100 AdminComment=planbatch:asked=0:begin=100',)
    """

    action: Action
    key: JobKey
    label: str
    lines: tuple[str, ...]
    reason: str


def commands_for(
    snapshot: Snapshot,
    starts: Mapping[Target, int],
    now: int,
    rules: DriveRules,
    early: frozenset[Target] = frozenset(),
) -> list[Command]:
    """Return the commands of this tick, in order: jobs are taken back before others are released.

    Experimental: it may change in any release.

    Parameters
    ----------
    snapshot : Snapshot
        The cluster as it is.
    starts : mapping of Target to int
        The planned start of every job that has one (s), in the order of the plan; made of the snapshot of
        :func:`without_driver_changes`.
    now : int
        The time (s). What the plan starts after the snapshot is not released before the next one, even if its time has
        come meanwhile: the job whose place it takes was still running.
    rules : DriveRules
        The mode and its settings.
    early : frozenset of Target
        Jobs that may start before they are due, in soft mode (:attr:`ClusterPlan.early`): Slurm, which starts what
        arrives between two ticks, reserves nodes for them.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.experiments import DriveRules, Planner, Snapshot, commands_for
    >>> snapshot = Snapshot.example()
    >>> rules = DriveRules("soft")
    >>> starts = Planner(pb.make_policy("easy"), rules)(snapshot, {}).starts
    >>> [(command.action, command.reason[:24]) for command in commands_for(snapshot, starts, 100, rules)]
    [('release', 'its start was planned fo')]
    """
    return _Commands(snapshot, starts, now, rules).list_all(early)


class _Commands:
    """The commands of one tick."""

    def __init__(self, snapshot: Snapshot, starts: Mapping[Target, int], now: int, rules: DriveRules) -> None:
        self.snapshot, self.starts, self.now, self.rules = snapshot, starts, now, rules
        pending = {job.key: job for job in snapshot.jobs if job.pending}
        self.states = {key: state_of(job, rules, snapshot.time) for key, job in pending.items()}
        self.managed = {key: job for key, job in pending.items() if self.states[key].managed}
        self.foreign = [job for key, job in pending.items() if key not in self.managed]

    def list_all(self, early: frozenset[Target]) -> list[Command]:
        """Return all commands, in order."""
        releases = self._release()
        # What is done to the rest of an array is done to its single tasks as well.
        busy = {one.key for one in releases} | {key for key in self.managed if self.states[key].released is not None}
        arrays = {job.array.job_id for key in busy if (job := self.managed[key]).array is not None}
        waiting = {
            key: job
            for key, job in self.managed.items()
            if key not in busy and (job.array is None or job.array.job_id not in arrays)
        }
        if self.rules.mode == "strict":
            others = self._park(waiting.values())
        else:
            keys = {target.key for target in early}
            others = [
                *self._open([job for key, job in waiting.items() if key in keys]),
                *self._set_begin_times([job for key, job in waiting.items() if key not in keys]),
            ]
        return [*_give_all_back(self.foreign, self.now), *self._take_back(), *releases, *others]

    def _mark(self, job: LiveJob, begin: int) -> Mark:
        """Return the mark of a job with a new begin time (s); it keeps the count of refusals."""
        before = self.states[job.key].mark or Mark(0, 0)
        return Mark(requested_begin(job), begin, self.rules.driver, before.back, before.times)

    def _command(self, action: Action, job: LiveJob, mark: Mark, reason: str, number: str = "") -> Command:
        """The command that sets a begin time and its mark."""
        begin, number_ = max(mark.begin, self.now), number or str(job.job_id)
        line = f"update JobId={number_} StartTime=uts{begin} AdminComment={mark}"
        return Command(action, job.key, number or job.label, (line,), reason)

    def _take_back(self) -> Iterator[Command]:
        """Take back released jobs that do not start."""
        pauses = pauses_of(self.snapshot, self.states, self.rules)
        for key, job in self.managed.items():
            state = self.states[key]
            if not state.refused or state.released is None:
                continue
            _, times = pauses[shape_of(job)]
            mark = Mark(0, self.now + self.rules.horizon, self.rules.driver, self.now, times)
            waited = self.now - state.released
            reason = f"released {waited} s ago, it has not started ({_reason(job)})"
            yield self._command("take back", job, mark, reason)

    def _release(self) -> list[Command]:
        """Release the jobs that are due, in the order of the plan."""
        commands: list[Command] = []
        for target, start in sorted(self.starts.items(), key=lambda item: item[1]):
            job = self.managed.get(target.key)
            if start > self.snapshot.time or job is None or job.held:
                continue
            if self.states[job.key].released is not None:
                continue
            number = _number(job, target) if self.rules.mode == "strict" else str(job.job_id)
            reason = f"its start was planned for {clock_time(start)}"
            command = self._command("release", job, self._mark(job, self.now), reason, number)
            if not commands or commands[-1] != command:
                commands.append(command)
        return commands

    def _park(self, waiting: Iterable[LiveJob]) -> list[Command]:
        """Strict: put the begin times of jobs that are not due to the horizon, if half of it has passed."""
        horizon = self.now + self.rules.horizon
        return [
            self._command("park", job, self._mark(job, max(horizon, requested_begin(job))), "it is not due")
            for job in waiting
            if job.begin_time < self.now + self.rules.horizon / 2
        ]

    def _open(self, waiting: Iterable[LiveJob]) -> Iterator[Command]:
        """Soft: release jobs before they are due, so that Slurm starts them as soon as it can."""
        for job in waiting:
            before = self.states[job.key].mark
            if not job.held and (before is None or not before.open):
                mark = replace(self._mark(job, self.now), open=True)
                reason = "it is next to start, or nothing may delay it any more"
                yield self._command("open", job, mark, reason)

    def _set_begin_times(self, waiting: Iterable[LiveJob]) -> Iterator[Command]:
        """Soft: set the begin times that differ from the plan, the next ones first.

        An array has that of its first task. A job that left the plan gets its own.
        """
        first: dict[JobKey, int] = {}
        for target, begin in self.starts.items():
            first[target.key] = min(begin, first.get(target.key, begin))
        for job in sorted(waiting, key=lambda job: first.get(job.key, 0)):
            start, mark = first.get(job.key), self.states[job.key].mark
            if job.held:
                continue
            if start is not None:
                new_begin = _begin(start, job.begin_time, self.now, self.rules)
                if new_begin is not None:
                    reason = f"its start is planned for {clock_time(start)}"
                    yield self._command("begin", job, self._mark(job, new_begin), reason)
            elif (
                mark is not None
                and not mark.times
                and is_set(job, mark)
                and self.now < job.begin_time != mark.requested
            ):
                yield _give_back(job, self.now)


def _reason(job: LiveJob) -> str:
    """Return Slurm's reason if it is a plain word, which is safe to print."""
    return job.reason if job.reason.isidentifier() else "no reason given"


def _begin(start: int, current: int, now: int, rules: DriveRules) -> int | None:
    """Return the begin time to set (s), or None if the one that it has will do.

    Begin times never lie beyond the horizon: far starts are put there, and put further when half of it has passed.
    """
    if start <= now + rules.horizon:
        tolerance = max(TOLERANCE, TOLERANCE_PART * (min(current, start) - now))
        return None if abs(current - start) <= tolerance else start
    if now + rules.horizon / 2 <= current <= start:
        return None
    return now + rules.horizon


def give_back(snapshot: Snapshot, now: int) -> list[Command]:
    """Return the commands that return every marked job to Slurm, as its user asked for it.

    Experimental: it may change in any release.

    Begin times that the driver set become those of the users. Holds are left alone: none is the driver's.

    Parameters
    ----------
    snapshot : Snapshot
        The cluster as it is.
    now : int
        The time (s).

    Examples
    --------
    >>> from planbatch.experiments import Snapshot, give_back
    >>> snapshot = Snapshot.example()
    >>> give_back(snapshot, now=100)  # none of its jobs has a mark
    []
    """
    return _give_all_back([job for job in snapshot.jobs if job.pending], now)


def held_by_others(snapshot: Snapshot) -> list[str]:
    """Return a sentence for each job that is held after the release: by whom, and how to lift the hold."""
    whom = {"user": "its user", "admin": "an administrator, or Slurm itself"}
    return [
        f"job {job.label} is held by {whom[job.held]} ({_reason(job)}): scontrol release {job.job_id}"
        for job in snapshot.jobs
        if job.pending and job.held is not None and job.admin_comment.startswith(FREE)
    ]


def _give_all_back(jobs: Sequence[LiveJob], now: int) -> list[Command]:
    return [_give_back(job, now) for job in jobs if mark_of(job.admin_comment) is not None]


def _give_back(job: LiveJob, now: int) -> Command:
    begin = requested_begin(job)
    lines = [f"update JobId={job.job_id} AdminComment={FREE}"]
    if job.begin_time != begin and job.begin_time > now:
        # A line of its own: an operator may set begin times, but write no marks.
        when = f"uts{begin}" if begin > now else "now"
        lines.insert(0, f"update JobId={job.job_id} StartTime={when}")
    return Command("give back", job.key, job.label, tuple(lines), "it is Slurm's again")


def _number(job: LiveJob, target: Target) -> str:
    """The number by which scontrol knows a job, or one task of an array."""
    if target.task is None or job.array is None or job.array.task_id is not None:
        return str(job.job_id)
    return f"{job.array.job_id}_{target.task}"


def lines_of(commands: Sequence[Command]) -> list[str]:
    """Return the lines of commands, in order, for one ``scontrol``."""
    return [line for command in commands for line in command.lines]
