"""From a plan to commands: a pure function of the cluster as it is, the plan, and the time.

Every tick starts from what Slurm says. A command that was lost is given again, and one that was carried out is not
repeated: applied twice, the second time there is nothing to do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from planbatch.experiments.live.slurm.asked import asked_begin
from planbatch.experiments.live.slurm.marks import STRICT_KINDS, Mark, mark_of
from planbatch.experiments.live.slurm.rules import DriveRules, Mode, Standing, standing
from planbatch.experiments.live.slurm.snapshot import JobKey, LiveJob, Snapshot
from planbatch.experiments.text import clock_time

#: Begin times that differ by no more than this are left as they are (s).
TOLERANCE = 1

Deed = Literal["release", "take back", "hold", "begin", "give back", "mark back"]


class Target(NamedTuple):
    """What is planned: a job, or a task of an array.

    Attributes
    ----------
    key : JobKey
        The row of the queue.
    task : int, optional
        The task, if the row stands for several.
    """

    key: JobKey
    task: int | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """What is done to one job.

    Attributes
    ----------
    deed : str
        What it is.
    key : JobKey
        The job.
    label : str
        Its number, as people and Slurm write it.
    lines : tuple of str
        Lines for ``scontrol``.
    why : str
        The reason, for people.

    Examples
    --------
    >>> import planbatch as pb
    >>> node = pb.LiveNode("n1", "IDLE", frozenset(), cpus=8)
    >>> job = pb.LiveJob(
    ...     pb.JobKey(7, 90), "demo", "ann", "physics", "main", nodes=1, cpus=8, state="PENDING", time_limit=600,
    ...     exclusive=True,
    ... )
    >>> snapshot = pb.Snapshot(100, (job,), (node,))
    >>> rules = pb.DriveRules("soft")
    >>> starts = pb.Planner(pb.make_policy("easy"), rules)(snapshot, {}).starts
    >>> pb.commands_for(snapshot, starts, 100, rules)[0].lines
    ('update JobId=7 StartTime=now AdminComment=planbatch:begin=0:set=100',)
    """

    deed: Deed
    key: JobKey
    label: str
    lines: tuple[str, ...]
    why: str


def commands_for(
    snapshot: Snapshot, starts: Mapping[Target, int], now: int, rules: DriveRules
) -> list[Command]:
    """Return what has to be done now, in order: what is taken back comes before what is released.

    Parameters
    ----------
    snapshot : Snapshot
        The cluster as it is.
    starts : mapping of Target to int
        The planned start of every job that has one (s), in the order of the plan; made of :func:`as_asked`'s snapshot.
    now : int
        The time (s). What the plan starts after the snapshot is not released before the next one, even if its time has
        come meanwhile: the job whose place it takes was still running.
    rules : DriveRules
        The mode, and what goes with it.

    Examples
    --------
    >>> import planbatch as pb
    >>> node = pb.LiveNode("n1", "IDLE", frozenset(), cpus=8)
    >>> job = pb.LiveJob(
    ...     pb.JobKey(7, 90), "demo", "ann", "physics", "main", nodes=1, cpus=8, state="PENDING", time_limit=600,
    ...     exclusive=True,
    ... )
    >>> snapshot = pb.Snapshot(100, (job,), (node,))
    >>> rules = pb.DriveRules("soft")
    >>> starts = pb.Planner(pb.make_policy("easy"), rules)(snapshot, {}).starts
    >>> [(command.deed, command.why[:24]) for command in pb.commands_for(snapshot, starts, 100, rules)]
    [('begin', 'its start is planned for')]
    """
    pending = {job.key: job for job in snapshot.jobs if job.pending}
    found = {key: standing(job, rules, now) for key, job in pending.items()}
    ours = {key: job for key, job in pending.items() if found[key].ours and not found[key].kept}
    if rules.mode == "soft":
        strict = [job for job in pending.values() if _is_strict(found[job.key].mark)]
        return [*_all_given_back(strict, now), *_soft(ours, found, starts, now, rules)]
    elsewhere = [job for job in ours.values() if job.reservation]
    ours = {key: job for key, job in ours.items() if not job.reservation}
    back = [
        command
        for key, job in ours.items()
        if (command := _taken_back(job, found[key], now, rules)) is not None
    ]
    given = _all_given_back(elsewhere, now)
    due = {target: start for target, start in starts.items() if start <= snapshot.time}
    return [*given, *back, *_released(ours, found, due, now, rules)]


def _taken_back(job: LiveJob, found: Standing, now: int, rules: DriveRules) -> Command | None:
    """Hold a job that is not held and should be: it did not start in time, was requeued, or released by others."""
    if job.held is not None:
        return None
    number = str(job.job_id)
    if not found.waits or found.mark is None:
        why = "it is not held, and is not due"
        if found.mark is not None and found.mark.kind == "due":
            why = "it was requeued, and is not held"
        return Command(
            "hold", job.key, job.label, (_mark(number, Mark("held")), f"uhold {number}"), why
        )
    waited = now - found.mark.time
    if waited <= rules.grace:
        return None
    mark = Mark("back", now, found.mark.times + 1)
    why = f"released {waited} s ago, it has not started ({_reason(job)})"
    return Command("take back", job.key, job.label, (f"uhold {number}", _mark(number, mark)), why)


def _reason(job: LiveJob) -> str:
    """Slurm's reason, if it is a plain word: only those are shown."""
    return job.reason if job.reason.isidentifier() else "no reason given"


def _released(
    ours: Mapping[JobKey, LiveJob],
    found: Mapping[JobKey, Standing],
    starts: Mapping[Target, int],
    now: int,
    rules: DriveRules,
) -> list[Command]:
    """Release what is held by the driver of the jobs that are due, in the order of the plan."""
    commands = []
    for target, start in sorted(starts.items(), key=lambda item: item[1]):
        job = ours.get(target.key)
        if job is None or job.held is None:
            continue
        mark = found[job.key].mark
        if mark is None or (mark.kind == "back" and now < mark.time + rules.pause(mark.times)):
            continue
        number = _number(job, target)
        due = Mark("due", now, mark.times, job.key.restarts)
        # The mark comes first: a driver killed in between leaves a held job, which is released again.
        lines = (_mark(number, due), f"release {number}")
        commands.append(
            Command(
                "release", job.key, number, lines, f"its start was planned for {clock_time(start)}"
            )
        )
    return commands


def _soft(
    ours: Mapping[JobKey, LiveJob],
    found: Mapping[JobKey, Standing],
    starts: Mapping[Target, int],
    now: int,
    rules: DriveRules,
) -> list[Command]:
    """Set the begin times that differ from the plan, the next ones first; an array has that of its first task."""
    first: dict[JobKey, int] = {}
    for target, start in starts.items():
        first[target.key] = min(start, first.get(target.key, start))
    commands = []
    for key, job in sorted(ours.items(), key=lambda item: first.get(item[0], 0)):
        if found[key].waits:
            continue
        asked = asked_begin(job, found[key])
        planned = first.get(key)
        if planned is None:
            mark = found[key].mark
            if mark is not None and mark.kind == "begin" and now < job.begin_time != asked:
                commands.append(_given_back(job, found[key], now))
            continue
        wanted = _begin(planned, job.begin_time, now, rules)
        if wanted is None:
            continue
        mark = Mark("begin", wanted, asked=asked if asked > now else 0)
        why = f"its start is planned for {clock_time(planned)}"
        commands.append(Command("begin", key, job.label, (_begins(job, wanted, now, mark),), why))
    return commands


def _begin(planned: int, current: int, now: int, rules: DriveRules) -> int | None:
    """Give the begin time to set (s), or None if the one that it has will do.

    What starts now is told so, whatever its begin time: the mark says since when it may start. Begin times never lie
    beyond the horizon: far starts are put there, and put further when half of it has passed.
    """
    if planned <= now:
        return now
    if planned <= now + rules.horizon:
        return None if abs(current - planned) <= TOLERANCE else planned
    if now + rules.horizon / 2 <= current <= planned:
        return None
    return now + rules.horizon


def give_back(snapshot: Snapshot, now: int) -> list[Command]:
    """Return the way out: the commands that leave every marked job to Slurm, as its user asked for it.

    Jobs that the driver holds are released, begin times that it set become those of the users; jobs that their users
    or administrators hold stay held, and become theirs alone.

    Parameters
    ----------
    snapshot : Snapshot
        The cluster as it is.
    now : int
        The time (s).

    Examples
    --------
    >>> import planbatch as pb
    >>> node = pb.LiveNode("n1", "IDLE", frozenset(), cpus=8)
    >>> job = pb.LiveJob(
    ...     pb.JobKey(7, 90), "demo", "ann", "physics", "main", nodes=1, cpus=8, state="PENDING", time_limit=600,
    ...     exclusive=True,
    ... )
    >>> snapshot = pb.Snapshot(100, (job,), (node,))
    >>> pb.give_back(snapshot, now=100)  # none of its jobs has a mark
    []
    """
    return _all_given_back([job for job in snapshot.jobs if job.pending], now)


def _is_strict(mark: Mark | None) -> bool:
    return mark is not None and mark.kind in STRICT_KINDS


def _all_given_back(jobs: Sequence[LiveJob], now: int) -> list[Command]:
    """Give back those that have a mark; each by the rules of the mode that marked it."""
    commands = []
    for job in jobs:
        mark = mark_of(job.admin_comment)
        if mark is not None and mark.kind != "free":
            mode: Mode = "strict" if _is_strict(mark) else "soft"
            commands.append(_given_back(job, standing(job, DriveRules(mode), now), now))
    return commands


def _given_back(job: LiveJob, found: Standing, now: int) -> Command:
    number = str(job.job_id)
    free = _mark(number, Mark("free"))
    if found.mark is not None and found.mark.kind == "begin":
        asked = asked_begin(job, found)
        if job.begin_time != asked:
            line = f"update JobId={number} StartTime={_time(asked if asked > now else 0)}"
            return Command("give back", job.key, job.label, (f"{line} AdminComment={Mark('free')}",),
                           "its begin time is its user's again")  # fmt: skip
    elif job.held is not None and not found.kept:
        return Command(
            "give back", job.key, job.label, (f"release {number}", free), "it is Slurm's again"
        )
    return Command("give back", job.key, job.label, (free,), "it is Slurm's again")


def _number(job: LiveJob, target: Target) -> str:
    """The number by which scontrol knows a job, or one task of an array."""
    if target.task is None or (job.array is not None and job.array.task_id is not None):
        return str(int(job.job_id))
    return f"{int(job.array.job_id if job.array else job.job_id)}_{int(target.task)}"


def _time(when: int) -> str:
    return f"uts{when}" if when else "now"


def _mark(number: str, mark: Mark) -> str:
    return f"update JobId={number} AdminComment={mark}"


def _begins(job: LiveJob, begin: int, now: int, mark: Mark) -> str:
    when = _time(begin if begin > now else 0)
    return f"update JobId={int(job.job_id)} StartTime={when} AdminComment={mark}"


def lines_of(commands: Sequence[Command]) -> list[str]:
    """Return the lines of commands, in order, for one ``scontrol``."""
    return [line for command in commands for line in command.lines]
