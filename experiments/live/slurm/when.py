"""When jobs start, for their users: what the last plan in a journal says, and why others are not in it."""

from dataclasses import dataclass
from pathlib import Path

from planbatch.experiments.live.captured import observed_again
from planbatch.experiments.live.journal import Tick, read_ticks
from planbatch.experiments.live.slurm.snapshot import LiveJob
from planbatch.experiments.live.slurm.waiting import TASK_IDS


@dataclass(frozen=True)
class Told:
    """What a user is told about a job; times in seconds, None where there is none.

    Attributes
    ----------
    label : str
        Slurm's number; ``59_1`` for a task of an array.
    job : LiveJob
        Its row of the queue.
    start : int, optional
        Planned start; of a job that runs or has run, its start.
    latest : int, optional
        The latest start that it is promised.
    forecast : int, optional
        Slurm's own forecast.
    why : str
        Why it has no planned start, or that it runs.
    """

    label: str
    job: LiveJob
    start: int | None = None
    latest: int | None = None
    forecast: int | None = None
    why: str = ""


def last_tick(path: Path) -> Tick:
    """Return the last tick of a journal that has a plan.

    Raises
    ------
    OSError
        If there is no journal.
    ValueError
        If it has no plan yet, or a line cannot be read.
    """
    found = last_planned(path)
    if found is None:
        raise ValueError(
            f"{path}: the journal has no plan yet; see what planbatch slurm advise says"
        )
    return found


def last_planned(path: Path) -> Tick | None:
    """Return the last tick of a journal that has a plan; None if none has."""
    found = None
    for tick in read_ticks(path, newest=True):
        if tick.snapshot is not None and tick.plan:
            found = tick
    return found


def told(tick: Tick, number: str | None = None, user: str | None = None) -> tuple[Told, ...]:
    """Return what the last plan says about one job, about a user's, or about all; by planned start.

    Parameters
    ----------
    tick : Tick
        With a snapshot and a plan.
    number : str, optional
        A job, an array, or a task of one: ``59_1``.
    user : str, optional
        Name of a user.

    Raises
    ------
    ValueError
        If there is no such job; one sentence.
    """
    assert tick.snapshot is not None
    reasons = _reasons(tick)
    found: list[Told] = []
    by_id = {job.job_id: job for job in tick.snapshot.jobs}
    for place, times in tick.starts.items():
        array, task = divmod(place, TASK_IDS)
        job = by_id.get(array if place >= TASK_IDS else place)
        if job is not None:
            label = f"{array}_{task}" if place >= TASK_IDS else job.label
            start, latest, forecast = times
            found.append(Told(label, job, start, latest, forecast))
    planned = {one.job.key for one in found}
    for job in tick.snapshot.jobs:
        if job.key in planned:
            continue
        if job.running:
            found.append(Told(job.label, job, job.start_time, why=job.state.lower()))
        elif job.pending:
            found.append(Told(job.label, job, why=reasons.get(job.label, "not planned")))
        elif number is not None:
            found.append(Told(job.label, job, job.start_time or None, why=job.state.lower()))
    if number is not None:
        found = [
            one
            for one in found
            if number in (one.label, one.label.partition("_")[0], str(one.job.job_id))
        ]
        if not found:
            raise ValueError(f"job {number}: it is not in the queue")
    if user is not None:
        found = [one for one in found if one.job.user == user]
    last = 1 << 60
    return tuple(
        sorted(found, key=lambda one: (one.job.running, last if one.start is None else one.start))
    )


def _reasons(tick: Tick) -> dict[str, str]:
    """Why jobs were left out, by their labels."""
    assert tick.snapshot is not None
    try:
        seen = observed_again(tick)
    except ValueError as error:
        return {job.label: str(error) for job in tick.snapshot.jobs}
    return {remark.what: f"{remark.kind}: {remark.why}" for remark in seen.left_out}
