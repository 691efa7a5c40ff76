"""From a snapshot to planned starts: the queue as its users asked for it, as a round, decided by a policy."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from planbatch.baselines.policy import Policy
from planbatch.experiments.live.planning import Guard, JobMemory, LivePlan, plan_round
from planbatch.experiments.live.slurm.marks import DriveRules, Target, UserQueue, without_driver_changes
from planbatch.experiments.live.slurm.observe import Observation, WaitingJob, observe
from planbatch.experiments.live.slurm.pool import LAG, ObserveOptions
from planbatch.experiments.live.slurm.snapshot import JobKey, Snapshot
from planbatch.planner.model import NEVER, BoolArray, IntArray
from planbatch.planner.plan import Plan, check_plan
from planbatch.planner.profile import Profile
from planbatch.planner.round import Round, RunningTable

#: What is known of waiting jobs from tick to tick.
Memory = Mapping[Target, JobMemory]


@dataclass(frozen=True)
class ClusterPlan:
    """A plan for a cluster."""

    #: The cluster as a round; jobs that are released and have not started yet are no longer among those that wait.
    observation: Observation
    #: The plan; released jobs run in its round.
    plan: LivePlan[Target]
    #: What is carried out: the planned start of every job (s), in the order of the round.
    starts: Mapping[Target, int]
    #: For the next tick.
    memory: Memory
    #: Jobs that Slurm may start before they are due: the next ones of each partition, for which it need not wait for
    #: the driver when nodes come free, and those of the longest-waiting ones that nothing may delay any more.
    early: frozenset[Target] = frozenset()


@dataclass(frozen=True)
class Planner:
    """Plans snapshots with a policy.

    Experimental: it may change in any release.

    Attributes
    ----------
    policy : Policy
        The policy.
    rules : DriveRules
        Which jobs are the driver's.
    options : ObserveOptions
        What of the cluster is planned.
    seed : int
        Seed of the policy's random numbers.
    guard : Guard, optional
        For how long the job that has waited longest, of each partition, may be overtaken.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.experiments import DriveRules, Planner, Snapshot
    >>> snapshot = Snapshot.example()
    >>> planner = Planner(pb.make_policy("easy"), DriveRules("soft"))
    >>> list(planner(snapshot, {}).starts.values())
    [100]
    """

    policy: Policy
    rules: DriveRules
    options: ObserveOptions = field(default_factory=ObserveOptions)
    seed: int = 0
    guard: Guard | None = None

    def __call__(self, snapshot: Snapshot, memory: Memory) -> ClusterPlan:
        """Plan a snapshot, the cluster as it is; ``memory`` is that of the tick before.

        ``ValueError`` if no round can be made of the snapshot, or more would run than there is. Nothing may be done
        then.
        """
        queue = without_driver_changes(snapshot, self.rules)
        plan, used = self._plan(queue, memory)
        beyond = self._beyond_share(plan, used, queue.suspects)
        if not beyond:
            return plan
        # Planned anew without them, so that others get the nodes that they may not hold.
        later = snapshot.time + math.ceil(self.rules.every)
        others, _ = self._plan(queue.without(beyond, later), memory)
        put_off = dict.fromkeys(beyond, snapshot.time + self.rules.horizon)
        return replace(others, starts={**others.starts, **put_off})

    def _beyond_share(self, plan: ClusterPlan, used: int, suspects: frozenset[JobKey]) -> frozenset[Target]:
        """Return the suspects' jobs that would start although others of them wait for Slurm to start them.

        Together such jobs hold no more than a share of the machine, or one job. If one may not start now, none that
        would take its place may.
        """
        now = plan.plan.problem.now
        share = self.rules.share * plan.plan.problem.capacity
        waiting = []
        for one in plan.observation.jobs:
            if one.job.key in suspects:
                waiting.append((plan.starts[one.target], one.amount, one.target))
        allowed, any_refused = set(), False
        for start, amount, target in sorted(waiting):
            if start > now:
                break
            if not used or used + amount <= share:
                used += amount
                allowed.add(target)
            else:
                any_refused = True
        return frozenset(t for _, _, t in waiting if t not in allowed) if any_refused else frozenset()

    def _plan(self, queue: UserQueue, memory: Memory) -> tuple[ClusterPlan, int]:
        """Plan a queue; return what suspects' released jobs hold as well."""
        observation = observe(queue.snapshot, self.options)
        observation = replace(observation, problem=with_lag(observation.problem))
        problem = without_released(observation, queue.released)
        suspects = queue.released.keys() & queue.suspects
        used = sum(one.amount for one in observation.jobs if one.job.key in suspects)
        jobs = tuple(one for one in observation.jobs if one.job.key not in queue.released)
        targets, heads = [one.target for one in jobs], _firsts(jobs, range(len(jobs)))
        # Whether a job ended early cannot be seen from outside; policies look for room that came free in any case.
        plan = plan_round(
            problem,
            targets,
            self.policy,
            memory,
            np.random.default_rng([self.seed, problem.now]),
            ended_early=True,
            heads=heads,
            guard=self.guard if hasattr(self.policy, "search") else None,
        )
        _check(plan)
        # What the policy left for later does not start before the next tick.
        later = plan.problem.now + math.ceil(self.rules.every)
        start = np.where(plan.acted_on, plan.start, np.maximum(plan.start, later))
        early = plan.protected | _next(plan, jobs, start)
        absent = queue.released.keys() | queue.suspects
        before = {target: remembered for target, remembered in memory.items() if target.key in absent}
        return ClusterPlan(
            replace(observation, problem=problem, jobs=jobs),
            plan,
            dict(zip(targets, start.tolist(), strict=True)),
            {**before, **plan.memory},
            frozenset(targets[k] for k in np.flatnonzero(early)),
        ), used


def with_lag(problem: Round) -> Round:
    """Plan every waiting job for as long as it has its nodes if Slurm starts it :data:`LAG` after it is released.

    Without it, a job that may just end before a promised start ends after it, and every tick puts the promise off.
    """
    jobs = problem.jobs._replace(walltime=problem.jobs.walltime + LAG)
    return replace(problem, jobs=jobs)


def _next(plan: LivePlan[Target], jobs: Sequence[WaitingJob], start: IntArray) -> BoolArray:
    """Mark the next job of each partition, the first that starts after now, if it waits for nothing but room."""
    problem, now = plan.problem, plan.problem.now
    profile = Profile(problem)
    for i in np.flatnonzero(start <= now).tolist():
        profile.reserve(problem.demands[i], now, problem.jobs.walltime[i])
    chosen = _firsts(jobs, [i for i in np.argsort(start, kind="stable").tolist() if start[i] > now])
    for i in np.flatnonzero(chosen).tolist():
        earliest = profile.earliest(problem.demands[i], problem.jobs.walltime[i])
        chosen[i] = plan.acted_on[i] and start[i] == earliest
    return chosen


def _firsts(jobs: Sequence[WaitingJob], order: Iterable[int]) -> BoolArray:
    """Mark the first job of each partition in an order."""
    first: dict[str, int] = {}
    for i in order:
        first.setdefault(jobs[i].job.partition, i)
    marked = np.zeros(len(jobs), dtype=bool)
    marked[list(first.values())] = True
    return marked


def _check(plan: LivePlan[Target]) -> None:
    """Raise a ``ValueError`` if more would run than there is; a promise may have become impossible."""
    problem = plan.problem
    jobs = problem.jobs._replace(latest=np.full(len(problem), NEVER))
    faults = check_plan(replace(problem, jobs=jobs), Plan(plan.start))
    if faults:
        raise ValueError(f"the policy's plan breaks a rule: {faults[0]}")


def without_released(observation: Observation, released: Mapping[JobKey, int]) -> Round:
    """Return the round in which released jobs run, as far as there is room (nodes may have failed since).

    They run from when they were released (s), not from now: else each tick would expect them to end later.
    """
    problem = observation.problem
    since = np.array([released.get(one.job.key, NEVER) for one in observation.jobs], dtype=np.int64)
    is_released = since != NEVER
    if not is_released.any():
        return problem
    windows = problem.windows
    begun = (windows.start <= problem.now) & (problem.now < windows.end)
    free = problem.capacities - problem.in_use.sum(axis=0) - windows.amounts[begun].sum(axis=0)
    free = np.maximum(free, 0)
    rows, ends = [], []
    length = problem.jobs.walltime[is_released]
    until = np.maximum(since[is_released] + length, problem.now + length - LAG).tolist()
    for demand, end in zip(problem.demands[is_released], until, strict=True):
        amounts = np.minimum(demand, free)
        if amounts[0] > 0:
            free = free - amounts
            rows.append(amounts)
            ends.append(end)
    in_use = np.concatenate([problem.in_use, *(row[None, :] for row in rows)])
    expected = np.concatenate([problem.running.end, np.array(ends, dtype=np.int64)])
    return replace(
        problem,
        running=RunningTable(in_use[:, 0].copy(), expected, in_use[:, 1:].copy()),
        jobs=type(problem.jobs)._make(column[~is_released] for column in problem.jobs),
        **{name: getattr(problem, name)[~is_released] for name in ("planned", "ids", "policy_state", "occupied")},
    )
