"""Advice: per tick, a plan of the pending jobs next to Slurm's own forecast."""

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from planbatch.baselines.policy import Policy, policy_name
from planbatch.experiments.live.journal import Journal
from planbatch.experiments.live.planning import JobMemory, LivePlan, check_live, plan_round
from planbatch.experiments.live.slurm.marks import Target
from planbatch.experiments.live.slurm.observe import Observation, WaitingJob, observe
from planbatch.experiments.live.slurm.pool import ObserveOptions, expected_end
from planbatch.experiments.live.slurm.snapshot import Snapshot
from planbatch.planner.decoder import decode
from planbatch.planner.display import counted
from planbatch.planner.model import NEVER


@dataclass(frozen=True)
class JobAdvice:
    """One waiting job of a plan: its planned start, the latest that it is promised, and Slurm's own forecast (s)."""

    waiting: WaitingJob
    start: int
    latest: int | None
    forecast: int | None


@dataclass(frozen=True)
class Effect:
    """What a plan would change, over all jobs of the round.

    Slurm forecasts the starts of the jobs at the front of its queue only. The others are taken to start behind these,
    each as early as it fits, in the order of their priorities.
    """

    #: Number of jobs, and of those for which Slurm has a forecast.
    jobs: int
    forecast: int
    #: Their waits by the plan, from submission to start (s).
    mean: float
    longest: float
    #: Their waits under Slurm (s).
    slurm_mean: float
    slurm_longest: float


@dataclass(frozen=True)
class Advice:
    """One tick: the observation, the plan, and what it would change."""

    observation: Observation  # the cluster as a round
    plan: LivePlan[Target]  # the plan
    jobs: tuple[JobAdvice, ...]  # the waiting jobs by planned start
    effect: Effect  # against Slurm's forecast
    policy: str  # name of the policy
    seconds: float = 0.0  # how long the tick took, from asking Slurm to the journal (s)

    @property
    def time(self) -> int:
        """When the snapshot was taken (s)."""
        return self.observation.snapshot.time


@dataclass(frozen=True)
class Fault:
    """A tick that failed at a time (s): nothing was done, and the next one is tried again."""

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
        If the policy needs more than a round holds.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.experiments import Advisor, ObserveOptions, Snapshot
    >>> snapshot = Snapshot.example()
    >>> advisor = Advisor(pb.make_policy("plan-wait"), ObserveOptions())
    >>> advisor.tick(snapshot).plan.start
    array([100])
    """

    def __init__(self, policy: Policy, options: ObserveOptions, seed: int = 0) -> None:
        check_live(policy)
        self.policy, self.options, self.seed = policy, options, seed
        self.memory: Mapping[Target, JobMemory] = {}
        self._before: Snapshot | None = None
        self._ticks = 0

    def __repr__(self) -> str:
        return f"Advisor({policy_name(self.policy)}, {counted(self._ticks, 'tick')})"

    def tick(self, snapshot: Snapshot) -> Advice:
        """Plan the pending jobs of a snapshot.

        ``ValueError`` if it cannot be planned: no node is usable, say. Nothing is forgotten.
        """
        observation = observe(snapshot, self.options)
        keys = [one.target for one in observation.jobs]
        rng = np.random.default_rng([self.seed, self._ticks])
        early = self._before is not None and ended_early(self._before, snapshot, self.options)
        plan = plan_round(observation.problem, keys, self.policy, self.memory, rng, ended_early=early)
        self.memory, self._before = plan.memory, snapshot
        self._ticks += 1
        return advice_of(observation, plan, self.policy)


def ended_early(before: Snapshot, now: Snapshot, options: ObserveOptions) -> bool:
    """Whether a job that ran before is gone although it was expected to run on."""
    running = {job.key for job in now.jobs if job.running}
    return any(
        job.running and job.key not in running and expected_end(job, before.time, options) > now.time
        for job in before.jobs
    )


def advice_of(observation: Observation, plan: LivePlan[Target], policy: Policy) -> Advice:
    """Return a plan with Slurm's forecasts for its jobs, and what it would change."""
    jobs = job_advice(observation, plan)
    return Advice(observation, plan, jobs, effect_of(observation, plan, jobs), policy_name(policy))


def job_advice(observation: Observation, plan: LivePlan[Target]) -> tuple[JobAdvice, ...]:
    """Return the waiting jobs with what is planned, promised and forecast, by planned start."""
    now, previous = observation.snapshot.time, None
    advice = []
    starts, limits = plan.start.tolist(), plan.problem.jobs.latest.tolist()
    for waiting, start, latest in zip(observation.jobs, starts, limits, strict=True):
        job = waiting.job
        # Slurm's forecast of an array is that of its first task.
        forecast = max(job.forecast, now) if job.forecast and job is not previous else None
        previous = job
        advice.append(JobAdvice(waiting, start, None if latest == NEVER else latest, forecast))
    return tuple(sorted(advice, key=lambda one: one.start))


def effect_of(observation: Observation, plan: LivePlan[Target], jobs: Sequence[JobAdvice]) -> Effect:
    """Compare the waits of a plan with those under Slurm; ``jobs`` are those of the round, in any order."""
    problem = plan.problem
    if not len(problem):
        return Effect(0, 0, 0.0, 0.0, 0.0, 0.0)
    forecasts = {one.waiting.id: one.forecast for one in jobs if one.forecast is not None}
    forecast = np.array([forecasts.get(one.id, NEVER) for one in observation.jobs], dtype=np.int64)
    priority = np.array([one.job.priority for one in observation.jobs], dtype=np.int64)
    continued = decode(problem, np.lexsort((problem.jobs.submit, -priority, forecast))).start
    slurm = np.where(forecast == NEVER, continued, forecast) - problem.jobs.submit
    waits = plan.start - problem.jobs.submit
    figures = (waits.mean(), waits.max(), slurm.mean(), slurm.max())
    return Effect(len(problem), len(forecasts), *map(float, figures))


def write_tick(journal: Journal, advice: Advice, options: ObserveOptions) -> None:
    """Write a tick's plan into the journal; its snapshot stands there already."""
    starts = {one.waiting.id: (one.start, one.latest, one.forecast) for one in advice.jobs}
    journal.plan(
        advice.time,
        starts,
        policy=advice.policy,
        unit=advice.observation.pool.unit,
        capacity=advice.observation.problem.capacity,
        seconds=round(advice.plan.seconds, 3),
        left_out=len(advice.observation.left_out),
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
    """Yield the advice of every tick; at most ``most`` times, if given.

    A tick that fails, since Slurm cannot be reached or what it prints cannot be read, gives a :class:`Fault`, and the
    next one is tried again. One that takes longer delays the next.
    """
    began = None
    for _ in itertools.count() if most is None else range(most):
        if began is not None:
            sleep(max(every - (time.monotonic() - began), 0.0))
        began = time.monotonic()
        yield one_tick(read, advisor, journal)


def one_tick(read: Callable[[], Snapshot], advisor: Advisor, journal: Journal | None) -> Advice | Fault:
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
