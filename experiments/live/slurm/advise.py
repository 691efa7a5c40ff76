"""Advice: in every tick a plan of what waits, beside Slurm's own forecast."""

import itertools
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np

from planbatch.baselines.policy import Policy, policy_name
from planbatch.experiments.live.journal import Journal, Tick, read_ticks
from planbatch.experiments.live.planning import LivePlan, Remembered, check_live, plan_round
from planbatch.experiments.live.slurm.marks import mark_of
from planbatch.experiments.live.slurm.observe import TASK_IDS, Observation, WaitingJob, observe
from planbatch.experiments.live.slurm.pool import LAG, ObserveOptions, expected_end
from planbatch.experiments.live.slurm.snapshot import JobKey, LiveJob, Snapshot
from planbatch.planner.decoder import decode
from planbatch.planner.display import counted
from planbatch.planner.explanation import explain
from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round

#: Most times at which running jobs end that an explanation lists, and most jobs of each.
MOST_ENDS = 4
#: What a waiting job, or a task of an array, is known by from tick to tick.
WaitingKey = tuple[JobKey, int | None]


@dataclass(frozen=True)
class JobAdvice:
    """One waiting job of a plan; times in seconds, None where there is none.

    Attributes
    ----------
    waiting : WaitingJob
        The job.
    start : int
        Its planned start.
    latest : int, optional
        The latest start that it is promised.
    forecast : int, optional
        Slurm's own forecast of its start.
    """

    waiting: WaitingJob
    start: int
    latest: int | None
    forecast: int | None


@dataclass(frozen=True)
class Effect:
    """What a plan would change, over all jobs of the round.

    Slurm forecasts the starts of the jobs at the front of its queue only. The others are taken to start behind these,
    each as early as it fits, in the order of their priorities.

    Attributes
    ----------
    jobs, forecast : int
        How many jobs there are, and of how many Slurm has a forecast.
    mean, longest : float
        Their waits by the plan, from submission to start (s).
    slurm_mean, slurm_longest : float
        Their waits under Slurm (s).
    """

    jobs: int
    forecast: int
    mean: float
    longest: float
    slurm_mean: float
    slurm_longest: float


@dataclass(frozen=True)
class Advice:
    """One tick: what was seen, the plan, and what it would change.

    Attributes
    ----------
    seen : Observation
        The cluster as a round.
    plan : LivePlan
        The plan.
    jobs : tuple of JobAdvice
        The waiting jobs by planned start.
    effect : Effect
        Against Slurm's forecast.
    policy : str
        Name of the policy.
    seconds : float
        How long the tick took, from asking Slurm to the journal (s).
    """

    seen: Observation
    plan: LivePlan[WaitingKey]
    jobs: tuple[JobAdvice, ...]
    effect: Effect
    policy: str
    seconds: float = 0.0

    @property
    def time(self) -> int:
        """When the snapshot was taken (s)."""
        return self.seen.snapshot.time


@dataclass(frozen=True)
class Fault:
    """A tick that failed: nothing was done, and the next one is tried again.

    Attributes
    ----------
    time : int
        When (s).
    message : str
        One sentence.
    """

    time: int
    message: str


class Advisor:
    """Plans snapshot after snapshot, and remembers what it planned and promised.

    Parameters
    ----------
    policy : Policy
        What decides.
    options : ObserveOptions
        What of the cluster is planned.
    seed : int
        Seed of the random numbers.

    Raises
    ------
    ValueError
        If the policy needs more than a round tells.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.experiments import Advisor, JobKey, LiveJob, LiveNode, ObserveOptions, Snapshot
    >>> node = LiveNode("n1", "IDLE", frozenset(), cpus=8)
    >>> job = LiveJob(
    ...     JobKey(7, 90), "demo", "ann", "physics", "main", nodes=1, cpus=8, state="PENDING", time_limit=600,
    ...     exclusive=True,
    ... )
    >>> snapshot = Snapshot(100, (job,), (node,))
    >>> advisor = Advisor(pb.make_policy("plan-wait"), ObserveOptions())
    >>> advisor.tick(snapshot).plan.start
    array([100])
    """

    def __init__(self, policy: Policy, options: ObserveOptions, seed: int = 0) -> None:
        check_live(policy)
        self.policy, self.options, self.seed = policy, options, seed
        self.memory: Mapping[WaitingKey, Remembered] = {}
        self._before: Snapshot | None = None
        self._ticks = 0

    def __repr__(self) -> str:
        return f"Advisor({policy_name(self.policy)}, {counted(self._ticks, 'tick')})"

    def tick(self, snapshot: Snapshot) -> Advice:
        """Plan what waits in a snapshot.

        Raises
        ------
        ValueError
            If it cannot be planned: no node is usable, say. Nothing is forgotten.
        """
        seen = observe(snapshot, self.options)
        keys = [(one.job.key, one.task) for one in seen.jobs]
        rng = np.random.default_rng([self.seed, self._ticks])
        early = self._before is not None and ended_early(self._before, snapshot, self.options)
        plan = plan_round(seen.problem, keys, self.policy, self.memory, rng, ended_early=early)
        self.memory, self._before = plan.memory, snapshot
        self._ticks += 1
        jobs = job_advice(seen, plan)
        return Advice(seen, plan, jobs, effect_of(seen, plan, jobs), policy_name(self.policy))


def ended_early(before: Snapshot, now: Snapshot, options: ObserveOptions) -> bool:
    """Whether a job that ran before is gone although it was expected to run on."""
    running = {job.key for job in now.jobs if job.running}
    return any(
        job.running
        and job.key not in running
        and expected_end(job, before.time, options) > now.time
        for job in before.jobs
    )


def job_advice(seen: Observation, plan: LivePlan[WaitingKey]) -> tuple[JobAdvice, ...]:
    """Return the waiting jobs with what is planned, promised and forecast, by planned start."""
    starts, promises = plan.start.tolist(), plan.problem.jobs.latest.tolist()
    counted: set[JobKey] = set()
    found = []
    for waiting, start, latest in zip(seen.jobs, starts, promises, strict=True):
        job = waiting.job
        # Slurm's forecast of an array is that of its first task.
        forecast = (
            max(job.forecast, seen.snapshot.time)
            if job.forecast and job.key not in counted
            else None
        )
        counted.add(job.key)
        found.append(JobAdvice(waiting, start, None if latest == NEVER else latest, forecast))
    return tuple(sorted(found, key=lambda one: one.start))


def effect_of(seen: Observation, plan: LivePlan[WaitingKey], jobs: Sequence[JobAdvice]) -> Effect:
    """Compare the waits of a plan with those under Slurm; ``jobs`` are those of the round, in any order."""
    problem = plan.problem
    if not len(problem):
        return Effect(0, 0, 0.0, 0.0, 0.0, 0.0)
    known = {one.waiting.id: one.forecast for one in jobs if one.forecast is not None}
    forecast = np.array([known.get(one.id, NEVER) for one in seen.jobs], dtype=np.int64)
    priority = np.array([one.job.priority for one in seen.jobs], dtype=np.int64)
    continued = decode(problem, np.lexsort((problem.jobs.submit, -priority, forecast))).start
    slurm = np.where(forecast == NEVER, continued, forecast) - problem.jobs.submit
    planned = plan.start - problem.jobs.submit
    figures = (planned.mean(), planned.max(), slurm.mean(), slurm.max())
    return Effect(len(problem), len(known), *map(float, figures))


def write_tick(journal: Journal, advice: Advice, options: ObserveOptions) -> None:
    """Write a tick's plan into the journal; its snapshot stands there already.

    Raises
    ------
    OSError
        If the journal cannot be written.
    """
    starts = {one.waiting.id: (one.start, one.latest, one.forecast) for one in advice.jobs}
    journal.plan(
        advice.time,
        starts,
        policy=advice.policy,
        unit=advice.seen.pool.unit,
        capacity=advice.seen.problem.capacity,
        seconds=round(advice.plan.seconds, 3),
        left_out=len(advice.seen.left_out),
        effect={name: round(value, 1) for name, value in asdict(advice.effect).items()},
        options=asdict(options),
    )


def ticks(
    read: Callable[[], Snapshot],
    advisor: Advisor,
    journal: Journal | None,
    *,
    every: float,
    most: int | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Advice | Fault]:
    """Look at a cluster again and again.

    A tick that fails, since Slurm cannot be reached or what it prints cannot be read, gives a :class:`Fault`, and the
    next one is tried again.

    Parameters
    ----------
    read : callable
        Takes a snapshot.
    advisor : Advisor
        What plans it.
    journal : Journal, optional
        Where it is written down.
    every : float
        Time from one tick to the next (s); one that takes longer delays the next.
    most : int, optional
        After how many ticks to end.
    sleep : callable
        Waits for so many seconds.
    """
    for done in itertools.count():
        if most is not None and done >= most:
            return
        began = time.monotonic()
        yield one_tick(read, advisor, journal)
        if most is None or done + 1 < most:
            sleep(max(every - (time.monotonic() - began), 0.0))


def one_tick(
    read: Callable[[], Snapshot], advisor: Advisor, journal: Journal | None
) -> Advice | Fault:
    """Take a snapshot, plan it and write both down; or say in one sentence why not."""
    began = time.monotonic()
    try:
        snapshot = read()
        if journal is not None:
            journal.snapshot(snapshot)
        advice = advisor.tick(snapshot)
        if journal is not None:
            write_tick(journal, advice, advisor.options)
        return replace(advice, seconds=time.monotonic() - began)
    except (OSError, ValueError) as error:
        fault = Fault(int(time.time()), str(error))
    if journal is not None:
        try:
            journal.fault(fault.time, fault.message)
        except OSError as error:
            return Fault(fault.time, f"{fault.message}; {error}")
    return fault


@dataclass(frozen=True)
class StartEstimate:
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
    found: list[StartEstimate] = []
    by_id = {job.job_id: job for job in tick.snapshot.jobs}
    for place, times in tick.starts.items():
        array, task = divmod(place, TASK_IDS)
        job = by_id.get(array if place >= TASK_IDS else place)
        if job is not None:
            label = f"{array}_{task}" if place >= TASK_IDS else job.label
            start, latest, forecast = times
            found.append(StartEstimate(label, job, start, latest, forecast))
    planned = {one.job.key for one in found}
    for job in tick.snapshot.jobs:
        if job.key in planned:
            continue
        if job.running:
            found.append(StartEstimate(job.label, job, job.start_time, why=job.state.lower()))
        elif job.pending:
            found.append(StartEstimate(job.label, job, why=reasons.get(job.label, "not planned")))
        elif number is not None:
            found.append(
                StartEstimate(job.label, job, job.start_time or None, why=job.state.lower())
            )
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
