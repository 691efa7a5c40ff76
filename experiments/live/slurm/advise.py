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
from planbatch.planner.model import NEVER, IntArray


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
class FailedTick:
    """A tick that failed at a time (s): nothing was done, and the next one is tried again."""

    time: int
    message: str


class Advisor:
    """Plans snapshot after snapshot, and remembers what it planned and promised.

    Experimental: it may change in any release.

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
    forecasts = _forecasts(observation)
    columns = (plan.start.tolist(), plan.problem.jobs.latest.tolist(), forecasts)
    jobs = [
        JobAdvice(waiting, start, *(None if limit == NEVER else limit for limit in limits))
        for waiting, start, *limits in zip(observation.jobs, *columns, strict=True)
    ]
    jobs.sort(key=lambda one: one.start)
    effect = _effect(plan, np.array(forecasts, dtype=np.int64), [one.job.priority for one in observation.jobs])
    return Advice(observation, plan, tuple(jobs), effect, policy_name(policy))


def _forecasts(observation: Observation) -> list[int]:
    """Slurm's forecasts (s), ``NEVER`` for none: of an array, it has one for the first task."""
    now, previous, forecasts = observation.snapshot.time, None, []
    for job in (one.job for one in observation.jobs):
        forecasts.append(max(job.forecast, now) if job.forecast and job is not previous else NEVER)
        previous = job
    return forecasts


def _effect(plan: LivePlan[Target], forecast: IntArray, priority: Sequence[int]) -> Effect:
    """Compare the waits of a plan with those under Slurm."""
    problem = plan.problem
    if not len(problem):
        return Effect(0, 0, 0.0, 0.0, 0.0, 0.0)
    continued = decode(problem, np.lexsort((problem.jobs.submit, -np.array(priority), forecast))).start
    slurm = np.where(forecast == NEVER, continued, forecast) - problem.jobs.submit
    waits = plan.start - problem.jobs.submit
    figures = (waits.mean(), waits.max(), slurm.mean(), slurm.max())
    return Effect(len(problem), int((forecast != NEVER).sum()), *map(float, figures))


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
    journal: Journal,
    *,
    every: float,
    most: int | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Advice | FailedTick]:
    """Yield the advice of every tick; at most ``most`` times, if given.

    A tick that fails, since Slurm cannot be reached or what it prints cannot be read, gives a :class:`FailedTick`, and
    the next one is tried again. One that takes longer delays the next.
    """
    began = None
    for _ in itertools.count() if most is None else range(most):
        if began is not None:
            sleep(max(every - (time.monotonic() - began), 0.0))
        began = time.monotonic()
        yield _tick(read, advisor, journal)


def _tick(read: Callable[[], Snapshot], advisor: Advisor, journal: Journal) -> Advice | FailedTick:
    """Take a snapshot, plan it and write both down; or say in one sentence why not."""
    began = time.monotonic()
    try:
        snapshot = read()
        journal.snapshot(snapshot)
        advice = advisor.tick(snapshot)
        write_tick(journal, advice, advisor.options)
        return replace(advice, seconds=time.monotonic() - began)
    except (OSError, ValueError) as error:
        fault = FailedTick(int(time.time()), str(error))
    try:
        journal.fault(fault.time, fault.message)
    except OSError as error:
        return FailedTick(fault.time, f"{fault.message}; {error}")
    return fault
