"""From a plan to commands: a pure function of the cluster as it is, the plan, and the time.

Every tick starts from what Slurm says. A command that was lost is given again, and one that was carried out is not
repeated: applied twice, the second time there is nothing to do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from planbatch.experiments.common.text import clock_time
from planbatch.experiments.live.slurm.marks import (
    FREE,
    DriveRules,
    JobState,
    Mark,
    Target,
    asked_begin,
    is_set,
    mark_of,
    pauses_of,
    shape_of,
    state_of,
)
from planbatch.experiments.live.slurm.snapshot import JobKey, LiveJob, Snapshot

#: Begin times that differ by no more than this are left as they are (s).
TOLERANCE = 1

Action = Literal["release", "open", "take back", "park", "begin", "give back", "mark back"]


@dataclass(frozen=True, slots=True)
class Command:
    """What is done to one job.

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
    >>> from planbatch.experiments import DriveRules, JobKey, LiveJob, LiveNode, Planner, Snapshot, commands_for
    >>> node = LiveNode("n1", "IDLE", frozenset(), cpus=8)
    >>> job = LiveJob(
    ...     JobKey(7, 90), "demo", "ann", "physics", "main", nodes=1, cpus=8, state="PENDING", time_limit=600,
    ...     exclusive=True,
    ... )
    >>> snapshot = Snapshot(100, (job,), (node,))
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
    protected: frozenset[Target] = frozenset(),
) -> list[Command]:
    """Return what has to be done now, in order: what is taken back comes before what is released.

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
        The mode, and what goes with it.
    protected : frozenset of Target
        Jobs that nothing may delay any more. Soft: they may start before they are due, so that Slurm, which starts
        what arrives between two ticks, reserves nodes for them.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.experiments import DriveRules, JobKey, LiveJob, LiveNode, Planner, Snapshot, commands_for
    >>> node = LiveNode("n1", "IDLE", frozenset(), cpus=8)
    >>> job = LiveJob(
    ...     JobKey(7, 90), "demo", "ann", "physics", "main", nodes=1, cpus=8, state="PENDING", time_limit=600,
    ...     exclusive=True,
    ... )
    >>> snapshot = Snapshot(100, (job,), (node,))
    >>> rules = DriveRules("soft")
    >>> starts = Planner(pb.make_policy("easy"), rules)(snapshot, {}).starts
    >>> [(command.action, command.reason[:24]) for command in commands_for(snapshot, starts, 100, rules)]
    [('release', 'its start was planned fo')]
    """
    pending = {job.key: job for job in snapshot.jobs if job.pending}
    states = {key: state_of(job, rules, snapshot.time) for key, job in pending.items()}
    foreign = [job for key, job in pending.items() if not states[key].managed]
    managed = {key: job for key, job in pending.items() if states[key].managed}
    due = {target: start for target, start in starts.items() if start <= snapshot.time}
    released = _released(managed, states, due, now, rules)
    # What is done to the rest of an array is done to its single tasks as well.
    busy = {one.key for one in released} | {k for k in managed if states[k].released is not None}
    arrays = {_array(pending[key]) for key in busy}
    waiting = {
        key: job
        for key, job in managed.items()
        if key not in busy and (job.array is None or _array(job) not in arrays)
    }
    opened = _opened(waiting, states, protected, now, rules)
    for target in protected if rules.mode == "soft" else ():
        waiting.pop(target.key, None)
    others = _parked if rules.mode == "strict" else _begins
    return [
        *_all_given_back(foreign, now),
        *_taken_back(managed, states, snapshot, now, rules),
        *released,
        *opened,
        *others(waiting, states, starts, now, rules),
    ]


def _opened(
    waiting: Mapping[JobKey, LiveJob],
    states: Mapping[JobKey, JobState],
    protected: frozenset[Target],
    now: int,
    rules: DriveRules,
) -> list[Command]:
    """Soft: let jobs start as soon as Slurm can that nothing may delay any more."""
    commands = []
    for key in {target.key for target in protected} & waiting.keys():
        job, mark = waiting[key], states[key].mark
        if job.held or rules.mode == "strict" or (mark is not None and mark.open):
            continue
        line = _line(
            str(int(job.job_id)), replace(_marked(job, states[key], now, rules), open=True), now
        )
        why = "it has waited longest, and nothing may delay it any more"
        commands.append(Command("open", key, job.label, (line,), why))
    return commands


def _array(job: LiveJob) -> int | None:
    return job.array.job_id if job.array is not None else None


def _taken_back(
    managed: Mapping[JobKey, LiveJob],
    states: Mapping[JobKey, JobState],
    snapshot: Snapshot,
    now: int,
    rules: DriveRules,
) -> list[Command]:
    """Take back what is released and does not start."""
    pauses = pauses_of(snapshot, states, rules)
    commands = []
    for key, job in managed.items():
        state = states[key]
        if not state.refused or state.released is None:
            continue
        _, times = pauses[shape_of(job)]
        mark = Mark(0, now + rules.horizon, rules.driver, now, times)
        why = f"released {now - state.released} s ago, it has not started ({_reason(job)})"
        commands.append(
            Command("take back", key, job.label, (_line(str(job.job_id), mark, now),), why)
        )
    return commands


def _reason(job: LiveJob) -> str:
    """Slurm's reason, if it is a plain word: only those are shown."""
    return job.reason if job.reason.isidentifier() else "no reason given"


def _released(
    managed: Mapping[JobKey, LiveJob],
    states: Mapping[JobKey, JobState],
    due: Mapping[Target, int],
    now: int,
    rules: DriveRules,
) -> list[Command]:
    """Let the jobs start that are due, in the order of the plan."""
    commands: list[Command] = []
    for target, start in sorted(due.items(), key=lambda item: item[1]):
        job = managed.get(target.key)
        if job is None or job.held or states[job.key].released is not None:
            continue
        mark = _marked(job, states[job.key], now, rules)
        number = _number(job, target) if rules.mode == "strict" else str(int(job.job_id))
        why = f"its start was planned for {clock_time(start)}"
        command = Command("release", job.key, number, (_line(number, mark, now),), why)
        if not commands or commands[-1] != command:
            commands.append(command)
    return commands


def _marked(job: LiveJob, state: JobState, begin: int, rules: DriveRules) -> Mark:
    """The mark of a job that gets a begin time (s); what Slurm refused of it is not forgotten."""
    back, times = (state.mark.back, state.mark.times) if state.mark is not None else (0, 0)
    return Mark(asked_begin(job), begin, rules.driver, back, times)


def _parked(
    waiting: Mapping[JobKey, LiveJob],
    states: Mapping[JobKey, JobState],
    starts: Mapping[Target, int],
    now: int,
    rules: DriveRules,
) -> list[Command]:
    """Strict: put the begin times of jobs that are not due to the horizon, if half of it has passed."""
    commands = []
    for key, job in waiting.items():
        asked = asked_begin(job)
        if job.begin_time >= now + rules.horizon / 2:
            continue
        mark = _marked(job, states[key], max(now + rules.horizon, asked), rules)
        line = _line(str(job.job_id), mark, now)
        commands.append(Command("park", key, job.label, (line,), "it is not due"))
    return commands


def _begins(
    waiting: Mapping[JobKey, LiveJob],
    states: Mapping[JobKey, JobState],
    starts: Mapping[Target, int],
    now: int,
    rules: DriveRules,
) -> list[Command]:
    """Soft: set the begin times that differ from the plan, the next ones first; an array has that of its first task."""
    first: dict[JobKey, int] = {}
    for target, start in starts.items():
        first[target.key] = min(start, first.get(target.key, start))
    commands = []
    for key, job in sorted(waiting.items(), key=lambda item: first.get(item[0], 0)):
        planned = first.get(key)
        if job.held:
            continue
        if planned is None:
            mark = states[key].mark
            if (
                mark is not None
                and not mark.times
                and now < job.begin_time != mark.asked
                and is_set(job, mark)
            ):
                commands.append(_given_back(job, now))
            continue
        wanted = _begin(planned, job.begin_time, now, rules)
        if wanted is not None:
            mark = _marked(job, states[key], wanted, rules)
            why = f"its start is planned for {clock_time(planned)}"
            line = _line(str(job.job_id), mark, now)
            commands.append(Command("begin", key, job.label, (line,), why))
    return commands


def _begin(planned: int, current: int, now: int, rules: DriveRules) -> int | None:
    """Give the begin time to set (s), or None if the one that it has will do.

    Begin times never lie beyond the horizon: far starts are put there, and put further when half of it has passed.
    """
    if planned <= now + rules.horizon:
        return None if abs(current - planned) <= TOLERANCE else planned
    if now + rules.horizon / 2 <= current <= planned:
        return None
    return now + rules.horizon


def give_back(snapshot: Snapshot, now: int) -> list[Command]:
    """Return the way out: the commands that leave every marked job to Slurm, as its user asked for it.

    Begin times that the driver set become those of the users. Holds are left alone: none is the driver's.

    Parameters
    ----------
    snapshot : Snapshot
        The cluster as it is.
    now : int
        The time (s).

    Examples
    --------
    >>> from planbatch.experiments import JobKey, LiveJob, LiveNode, Snapshot, give_back
    >>> node = LiveNode("n1", "IDLE", frozenset(), cpus=8)
    >>> job = LiveJob(
    ...     JobKey(7, 90), "demo", "ann", "physics", "main", nodes=1, cpus=8, state="PENDING", time_limit=600,
    ...     exclusive=True,
    ... )
    >>> snapshot = Snapshot(100, (job,), (node,))
    >>> give_back(snapshot, now=100)  # none of its jobs has a mark
    []
    """
    return _all_given_back([job for job in snapshot.jobs if job.pending], now)


def held_by_others(snapshot: Snapshot) -> list[str]:
    """Return a sentence for each job that was given back and is held all the same: by whom, and what lifts it."""
    whom = {"user": "its user", "admin": "an administrator, or Slurm itself"}
    return [
        f"job {job.label} is held by {whom[job.held]} ({_reason(job)}): scontrol release {job.job_id}"
        for job in snapshot.jobs
        if job.pending and job.held is not None and job.admin_comment.startswith(FREE)
    ]


def _all_given_back(jobs: Sequence[LiveJob], now: int) -> list[Command]:
    return [_given_back(job, now) for job in jobs if mark_of(job.admin_comment) is not None]


def _given_back(job: LiveJob, now: int) -> Command:
    number, asked = str(int(job.job_id)), asked_begin(job)
    lines = [f"update JobId={number} AdminComment={FREE}"]
    if job.begin_time != asked and job.begin_time > now:
        # A line of its own: an operator may set begin times, but write no marks.
        lines.insert(
            0, f"update JobId={number} StartTime={f'uts{asked}' if asked > now else 'now'}"
        )
    return Command("give back", job.key, job.label, tuple(lines), "it is Slurm's again")


def _number(job: LiveJob, target: Target) -> str:
    """The number by which scontrol knows a job, or one task of an array."""
    if target.task is None or (job.array is not None and job.array.task_id is not None):
        return str(int(job.job_id))
    return f"{int(job.array.job_id if job.array else job.job_id)}_{int(target.task)}"


def _line(number: str, mark: Mark, now: int) -> str:
    return f"update JobId={number} StartTime=uts{max(mark.begin, now)} AdminComment={mark}"


def lines_of(commands: Sequence[Command]) -> list[str]:
    """Return the lines of commands, in order, for one ``scontrol``."""
    return [line for command in commands for line in command.lines]
