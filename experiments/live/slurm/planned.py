"""What a journal says about jobs: start estimates of the last plan, their reasons, and the rounds of all ticks."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from planbatch.experiments.live.journal import Tick, read_ticks
from planbatch.experiments.live.slurm.marks import mark_of
from planbatch.experiments.live.slurm.observe import TASK_IDS, Observation, observe
from planbatch.experiments.live.slurm.pool import LAG, ObserveOptions
from planbatch.experiments.live.slurm.snapshot import LiveJob
from planbatch.experiments.rounds.capture import Sample
from planbatch.planner.explanation import explain
from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round

#: Most times at which running jobs end that an explanation lists, and most jobs of each.
MOST_ENDS = 4


@dataclass(frozen=True)
class StartEstimate:
    """What a user may know of a job; times in seconds, None where there is none.

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
    result = last_planned(path)
    if result is None:
        raise ValueError(
            f"{path}: the journal has no plan yet; see what planbatch slurm advise says"
        )
    return result


def last_planned(path: Path) -> Tick | None:
    """Return the last tick of a journal that has a plan; None if none has."""
    result = None
    for tick in read_ticks(path, newest=True):
        if tick.snapshot is not None and tick.plan:
            result = tick
    return result


def start_estimates(
    tick: Tick, number: str | None = None, user: str | None = None
) -> tuple[StartEstimate, ...]:
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
    result: list[StartEstimate] = []
    by_id = {job.job_id: job for job in tick.snapshot.jobs}
    for place, times in tick.starts.items():
        array, task = divmod(place, TASK_IDS)
        job = by_id.get(array if place >= TASK_IDS else place)
        if job is not None:
            label = f"{array}_{task}" if place >= TASK_IDS else job.label
            start, latest, forecast = times
            result.append(StartEstimate(label, job, start, latest, forecast))
    planned = {one.job.key for one in result}
    for job in tick.snapshot.jobs:
        if job.key in planned:
            continue
        if job.running:
            result.append(StartEstimate(job.label, job, job.start_time, why=job.state.lower()))
        elif job.pending:
            result.append(StartEstimate(job.label, job, why=reasons.get(job.label, "not planned")))
        elif number is not None:
            result.append(
                StartEstimate(job.label, job, job.start_time or None, why=job.state.lower())
            )
    if number is not None:
        result = [
            one
            for one in result
            if number in (one.label, one.label.partition("_")[0], str(one.job.job_id))
        ]
        if not result:
            raise ValueError(f"job {number}: it is not in the queue")
    if user is not None:
        result = [one for one in result if one.job.user == user]
    last = 1 << 60
    return tuple(
        sorted(result, key=lambda one: (one.job.running, last if one.start is None else one.start))
    )


def _reasons(tick: Tick) -> dict[str, str]:
    """Why jobs were left out, by their labels."""
    assert tick.snapshot is not None
    try:
        seen = observed_again(tick)
    except ValueError as error:
        return {job.label: str(error) for job in tick.snapshot.jobs}
    return {remark.what: f"{remark.kind}: {remark.why}" for remark in seen.left_out}


def why_start(tick: Tick, number: str, clock: Callable[[int], str]) -> list[str]:
    """Explain in sentences why a job starts when the last plan says: what holds its nodes until when, who goes first.

    Parameters
    ----------
    tick : Tick
        With a snapshot and a plan.
    number : str
        A job, or a task of an array: ``59_1``.
    clock : callable
        Writes a time (s).

    Raises
    ------
    ValueError
        If there is no such job, or no node was usable.
    """
    (first, *_) = start_estimates(tick, number)
    seen = observed_again(tick)
    waiting = next((one for one in seen.jobs if one.label == first.label), None)
    planned = [tick.starts.get(one.id, (None,))[0] for one in seen.jobs]
    if waiting is None or first.start is None:
        since = f" since {clock(first.start)}" if first.start else ""
        return [f"job {first.label}: {first.why or 'not planned'}{since}."]
    now = seen.problem.now
    # Jobs that are released and have not started yet are in no plan: they have their nodes.
    start = [
        (now if one.job.begin_time <= now and mark_of(one.job.admin_comment) else NEVER)
        if begin is None
        else max(begin, now)
        for one, begin in zip(seen.jobs, planned, strict=True)
    ]
    labels = {str(one.id): one.label for one in seen.jobs}
    unit = {"nodes": "node", "cpus": "CPU"}[seen.pool.unit]
    lines = [
        re.sub(r"(?<=job )\d+", lambda found: labels.get(found[0], found[0]), line).replace(
            "processor", unit
        )
        for line in _explained(seen.problem, Plan(np.array(start)), waiting.id, clock)
    ]
    running = [job for job in seen.snapshot.jobs if job.running]
    ends: dict[int, list[str]] = {}
    for job in sorted(running, key=lambda job: job.end_time):
        ends.setdefault(job.end_time, []).append(f"{job.label} ({','.join(job.allocated[:4])})")
    before = [(end, names) for end, names in ends.items() if end <= first.start]
    for end, names in before[-MOST_ENDS:]:
        lines.append(f"By its limit, job {', job '.join(names[:MOST_ENDS])} ends at {clock(end)}.")
    if first.latest is not None and first.latest < NEVER:
        lines.append(f"It is promised to start at {clock(first.latest)} at the latest.")
    return lines


def _explained(problem: Round, plan: Plan, number: int, clock: Callable[[int], str]) -> list[str]:
    """Explain a plan of a driver, which gives jobs their limits and a lag, or of an advisor, which does not."""
    for lag in (LAG, 0):
        jobs = problem.jobs._replace(walltime=problem.jobs.walltime + lag)
        try:
            return explain(replace(problem, jobs=jobs), plan, number).sentences(clock)
        except ValueError:
            continue
    return ["The machine has changed since it was planned; ask again after the next tick."]


def options_of(tick: Tick) -> ObserveOptions:
    """Return what was planned in a tick, and how it was counted, as far as it is known here.

    Raises
    ------
    ValueError
        If another version wrote something else.
    """
    given = dict(tick.plan.get("options", {}))
    known = {one.name: given[one.name] for one in fields(ObserveOptions) if one.name in given}
    try:
        return ObserveOptions(**{**known, "partitions": tuple(known.get("partitions", ()))})
    except TypeError as error:
        raise ValueError(f"the options of the plan are of another version ({error})") from None


def observed_again(tick: Tick) -> Observation:
    """Make the round of a tick again, as it was observed then.

    Raises
    ------
    ValueError
        If the tick has no snapshot, or no node was usable.
    """
    if tick.snapshot is None:
        raise ValueError(f"the tick at {tick.time} has no snapshot")
    return observe(tick.snapshot, options_of(tick))


def rounds_of_journal(
    path: Path, sizes: Sequence[int], *, per_size: int = 1, seed: int = 0
) -> dict[int, list[Round]]:
    """Keep some of the rounds that a journal's ticks saw.

    Parameters
    ----------
    path : Path
        The journal.
    sizes : sequence of int
        Numbers of waiting jobs, give or take 5 %. Only rounds in which a job fits count.
    per_size : int
        How many rounds of each size to keep.
    seed : int
        Chooses them.

    Returns
    -------
    dict of int to list of Round
        For every size, in ascending order, the rounds by time; empty if there was none.

    Raises
    ------
    OSError
        If there is no journal.
    ValueError
        If a line cannot be read; names file and line.
    """
    ordered = sorted(set(sizes))
    samples: list[Sample[Round]] = [
        Sample(size, per_size, np.random.default_rng([seed, size])) for size in ordered
    ]
    for tick in read_ticks(path):
        if tick.snapshot is None or not tick.plan:
            continue
        problem = observed_again(tick).problem
        if len(problem) and problem.any_fits:
            for sample in samples:
                sample.offer(len(problem), problem)
    return {one.size: sorted(one.rounds, key=lambda problem: problem.now) for one in samples}
