"""Readings of a journal: when jobs start and why, how well plans were kept, what was promised, and all rounds."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from planbatch.experiments.common.records import record_of
from planbatch.experiments.live.journal import TickRecord, read_ticks
from planbatch.experiments.live.planning import JobMemory
from planbatch.experiments.live.slurm.marks import Target, mark_of
from planbatch.experiments.live.slurm.observe import Observation, observe, row_and_task
from planbatch.experiments.live.slurm.planner import with_lag
from planbatch.experiments.live.slurm.pool import ObserveOptions
from planbatch.experiments.live.slurm.snapshot import LiveJob
from planbatch.experiments.rounds.capture import Sample
from planbatch.experiments.studies.waits import share_of_starts
from planbatch.planner.explanation import explain
from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round

if TYPE_CHECKING:
    from pandas import DataFrame

#: Planner of a start → index of the start in a line of the journal.
PLANNERS = {"planbatch": 0, "Slurm": 2}
#: Older plans are ignored (s).
FORGOTTEN_AFTER = 3600
#: Maximum number of end times that an explanation lists, and of jobs at each.
MOST_ENDS = 4


@dataclass(frozen=True)
class StartEstimate:
    """The start estimate of a job for its user; times in seconds, None if there is none."""

    label: str  # Slurm's number; ``59_1`` for a task of an array
    job: LiveJob  # its row of the queue
    start: int | None = None  # planned start; of a job that runs or has run, its start
    latest: int | None = None  # the latest start that it is promised
    forecast: int | None = None  # Slurm's own forecast
    why: str = ""  # why it has no planned start, or that it runs


def last_tick(path: Path) -> TickRecord:
    """Return the last tick of a journal that has a plan; a ``ValueError`` if none has, or a line cannot be read."""
    result = last_planned(path)
    if result is None:
        raise ValueError(f"{path}: the journal has no plan yet; see what planbatch slurm advise says")
    return result


def last_planned(path: Path) -> TickRecord | None:
    """Return the last tick of a journal that has a plan; None if none has."""
    result = None
    for tick in read_ticks(path, newest=True):
        if tick.snapshot is not None and tick.plan:
            result = tick
    return result


def start_estimates(tick: TickRecord, number: str | None = None, user: str | None = None) -> tuple[StartEstimate, ...]:
    """Return what the last plan says about one job, about a user's, or about all; by planned start.

    ``number`` is a job, an array, or a task of one (``59_1``); a ``ValueError`` if there is no such job.
    """
    assert tick.snapshot is not None
    reasons = _reasons(tick)
    estimates = [
        StartEstimate(label, job, start, latest, forecast)
        for label, job, (start, latest, forecast) in _planned_jobs(tick)
    ]
    planned_keys = {one.job.key for one in estimates}
    for job in tick.snapshot.jobs:
        if job.key in planned_keys:
            continue
        start, why = job.start_time or None, job.state.lower()
        if job.pending:
            start, why = None, reasons.get(job.label, "not planned")
        if job.pending or job.running or number is not None:
            estimates.append(StartEstimate(job.label, job, start, why=why))
    if number is not None:
        estimates = [
            one for one in estimates if number in (one.label, one.label.partition("_")[0], str(one.job.job_id))
        ]
        if not estimates:
            raise ValueError(f"job {number}: it is not in the queue")
    if user is not None:
        estimates = [one for one in estimates if one.job.user == user]

    def order(one: StartEstimate) -> tuple[bool, float]:
        return one.job.running, math.inf if one.start is None else one.start

    return tuple(sorted(estimates, key=order))


def _planned_jobs(tick: TickRecord) -> Iterator[tuple[str, LiveJob, Sequence[int | None]]]:
    """The label, the row and the times of every job that a tick plans."""
    assert tick.snapshot is not None
    jobs = {job.job_id: job for job in tick.snapshot.jobs}
    for number, times in tick.starts.items():
        row, task = row_and_task(number)
        if row in jobs:
            yield jobs[row].label if task is None else f"{row}_{task}", jobs[row], times


def _reasons(tick: TickRecord) -> dict[str, str]:
    """Why jobs were left out, by their labels."""
    assert tick.snapshot is not None
    try:
        observation = observed_again(tick)
    except ValueError as error:
        return {job.label: str(error) for job in tick.snapshot.jobs}
    return {remark.what: f"{remark.kind}: {remark.why}" for remark in observation.left_out}


def why_start(tick: TickRecord, number: str, clock: Callable[[int], str]) -> list[str]:
    """Explain in sentences why a job starts when the last plan says: what holds its nodes until when, who goes first.

    ``number`` is a job, or a task of an array; ``clock`` writes a time. A ``ValueError`` if there is no such job.
    """
    (first, *_) = start_estimates(tick, number)
    observation = observed_again(tick)
    waiting = next((one for one in observation.jobs if one.label == first.label), None)
    planned_starts = [tick.starts.get(one.id, (None,))[0] for one in observation.jobs]
    if waiting is None or first.start is None:
        since = f" since {clock(first.start)}" if first.start else ""
        return [f"job {first.label}: {first.why or 'not planned'}{since}."]
    now = observation.problem.now
    # Jobs that are released and have not started yet are in no plan: they have their nodes.
    start = [
        (now if one.job.begin_time <= now and mark_of(one.job.admin_comment) else NEVER)
        if begin is None
        else max(begin, now)
        for one, begin in zip(observation.jobs, planned_starts, strict=True)
    ]
    labels = {str(one.id): one.label for one in observation.jobs}
    unit = {"nodes": "node", "cpus": "CPU"}[observation.pool.unit]
    lines = [
        re.sub(r"(?<=job )\d+", lambda match: labels.get(match[0], match[0]), line).replace("processor", unit)
        for line in _explain(observation.problem, Plan(np.array(start)), waiting.id, clock)
    ]
    ends: dict[int, list[str]] = defaultdict(list)
    for job in observation.snapshot.jobs:
        if job.running and job.end_time <= first.start:
            ends[job.end_time].append(f"{job.label} ({','.join(job.allocated[:4])})")
    for end, names in sorted(ends.items())[-MOST_ENDS:]:
        lines.append(f"By its limit, job {', job '.join(names[:MOST_ENDS])} ends at {clock(end)}.")
    if first.latest is not None and first.latest < NEVER:
        lines.append(f"It is promised to start at {clock(first.latest)} at the latest.")
    return lines


def _explain(problem: Round, plan: Plan, number: int, clock: Callable[[int], str]) -> list[str]:
    """Explain a plan of a driver, which gives jobs their limits and a lag, or of an advisor, which does not."""
    for one in (with_lag(problem), problem):
        try:
            return explain(one, plan, number).sentences(clock)
        except ValueError:
            continue
    return ["The machine has changed since it was planned; ask again after the next tick."]


def options_of(tick: TickRecord) -> ObserveOptions:
    """Return what was planned in a tick, and how it was counted, as far as it is known here.

    A ``ValueError`` if another version wrote something else.
    """
    try:
        return record_of(ObserveOptions, tick.plan.get("options", {}))
    except ValueError as error:
        raise ValueError(f"the options of the plan are of another version ({error})") from None


def observed_again(tick: TickRecord) -> Observation:
    """Make the round of a tick again, as it was observed then; a ``ValueError`` if it has no snapshot, or no node."""
    if tick.snapshot is None:
        raise ValueError(f"the tick at {tick.time} has no snapshot")
    return observe(tick.snapshot, options_of(tick))


def rounds_of_journal(path: Path, sizes: Sequence[int], *, per_size: int = 1, seed: int = 0) -> dict[int, list[Round]]:
    """Keep some of the rounds that a journal's ticks saw; sizes, seed and result are those of :func:`capture`."""
    ordered = sorted(set(sizes))
    samples: list[Sample[Round]] = [Sample(size, per_size, np.random.default_rng([seed, size])) for size in ordered]
    for tick in read_ticks(path):
        if tick.snapshot is None or not tick.plan:
            continue
        problem = observed_again(tick).problem
        if len(problem) and problem.any_fits:
            for sample in samples:
                sample.offer(len(problem), problem)
    return {one.size: sorted(one.rounds, key=lambda problem: problem.now) for one in samples}


def planned_starts(path: str | Path) -> "dict[str, DataFrame]":
    """Return when jobs were planned to start, and when they did; metrics such as ``first-plan-within`` take this.

    For planbatch, and for Slurm's own forecasts, one row per job that was seen waiting with a planned start and later
    running: its ``job``, ``start``, and ``first_planned`` and ``last_planned`` before (s).
    """
    import pandas as pd

    rows: dict[str, dict[str, list[int]]] = {name: {} for name in PLANNERS}
    actual: dict[str, int] = {}
    for tick in read_ticks(path):
        if tick.snapshot is None:
            continue
        for job in tick.snapshot.jobs:
            if job.start_time and not job.pending:
                actual.setdefault(job.label, job.start_time)
        for label, _, times in _planned_jobs(tick):
            for name, index in PLANNERS.items():
                start = times[index]
                if label not in actual and start is not None:
                    rows[name].setdefault(label, [start, start])[1] = start
    columns = ["job", "start", "first_planned", "last_planned"]
    return {
        name: pd.DataFrame([(job, actual[job], *plans[job]) for job in actual if job in plans], columns=columns)
        for name, plans in rows.items()
    }


def accuracy_of(jobs: "DataFrame") -> dict[str, float]:
    """Return how many jobs a frame of :func:`planned_starts` has, and the shares that started as planned."""
    figures: dict[str, float] = {"jobs": len(jobs)}
    if len(jobs):
        for plan in ("first", "last"):
            for where, minutes in (("within", 1), ("within", 10), ("early", 1), ("late", 1)):
                figures[f"{plan}_{where}_{minutes}"] = share_of_starts(plan, where)(jobs, minutes)
    return figures


def memory_of_journal(path: Path, now: float) -> Mapping[Target, JobMemory]:
    """Return what the last driver or adviser had planned and promised, by its journal; nothing if there is none.

    By the full keys of jobs: a number that was given out again is not known. A plan of more than an hour ago is
    forgotten. An ``OSError`` or a ``ValueError`` if the journal cannot be read, or is of another version.
    """
    tick = last_planned(path) if path.exists() else None
    if tick is None or tick.snapshot is None or now - tick.time > FORGOTTEN_AFTER:
        return {}
    keys = {job.job_id: job.key for job in tick.snapshot.jobs if job.pending}
    memory: dict[Target, JobMemory] = {}
    for number, (start, latest, _) in tick.starts.items():
        row, task = row_and_task(number)
        if row in keys and start is not None:
            last = NEVER if latest is None else latest
            memory[Target(keys[row], task)] = JobMemory(start, last)
    return memory
