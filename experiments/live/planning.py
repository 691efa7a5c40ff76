"""Planning a live queue tick by tick: the memory from one tick to the next, and plans that have every job."""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Generic, TypeVar

import numpy as np

from planbatch.baselines.policy import Policy, policy_name, traits_of
from planbatch.baselines.promise import Promise
from planbatch.planner.decoder import decode
from planbatch.planner.failures import USER_ERRORS, failure
from planbatch.planner.model import NEVER, BoolArray, IntArray, JobTable
from planbatch.planner.optimizer import Result
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class JobMemory:
    """The memory of a waiting job from earlier ticks; times in seconds."""

    #: Its start in the plan of the tick before.
    planned: int
    #: The latest start that it was promised, ``NEVER`` for none.
    latest: int = NEVER
    #: The policy's note on it, ``NEVER`` for none.
    note: int = NEVER
    #: Since when it has waited longest, of its partition, ``NEVER`` if it has not.
    first: int = NEVER


@dataclass(frozen=True)
class Guard:
    """How long the longest-waiting job may be overtaken: a slack, and multiples of its wait.

    The time counts from when the job is first in the queue: until it is over, others may delay the job by as much, and
    after that by nothing. Limits are no measure of it: where jobs run for a twentieth of theirs, a tenth of a limit is
    many run times. What a job has waited until it is first is one, since the others that were there have been started
    by then.

    >>> Guard.parse("10min+2w")
    Guard(slack=Promise(10min), waits=2.0)
    """

    slack: Promise  # time, and multiples of the job's walltime
    waits: float  # multiples of the time that the job has waited when it is first

    @classmethod
    def parse(cls, text: str) -> "Guard | None":
        """Read ``none``, or a sum of times (``10min``), multiples of the walltime (``0.03x``) and of the wait (``2w``).

        ``ValueError`` if the text is none of these.
        """
        terms = text.split("+")
        waits = [term for term in terms if re.fullmatch(r"\d+(\.\d+)?w", term)]
        rest = "+".join(term for term in terms if term not in waits)
        try:
            slack = Promise.parse(rest or "0s")
        except ValueError:
            slack = None
        if text == "none":
            return None
        if slack is None or slack.within is not None or slack.by_deadline:
            raise ValueError(
                f"guard: cannot read {text!r}; give none, or times, walltimes and waits, such as 10min+0.03x+2w"
            )
        return cls(slack, sum(float(term[:-1]) for term in waits))

    def limits(self, jobs: JobTable, first: IntArray) -> IntArray:
        """Return how long each job may be overtaken (s), by when it was first (s); shape (n,)."""
        slack, _ = self.slack.limits(jobs)
        return slack + (self.waits * (first - jobs.submit)).astype(np.int64)


@dataclass(frozen=True)
class LivePlan(Generic[Key]):
    """The plan of one tick."""

    #: The round, with what was planned and promised before.
    problem: Round
    #: The planned start of every waiting job (s).
    start: IntArray
    #: Whether the start is the policy's own; otherwise the policy left the job for later, and the start is the
    #: earliest one behind the others.
    acted_on: BoolArray
    #: Whether nothing may delay the job any more, since its guard is used up.
    protected: BoolArray
    #: For the next tick.
    memory: Mapping[Key, JobMemory]
    #: How long planning took (s).
    seconds: float


def plan_round(
    problem: Round,
    keys: Sequence[Key],
    policy: Policy,
    memory: Mapping[Key, JobMemory],
    rng: np.random.Generator,
    *,
    ended_early: bool = False,
    heads: BoolArray | None = None,
    guard: Guard | None = None,
) -> LivePlan[Key]:
    """Plan a round with a policy, as one of a series.

    The plan of the tick before, decoded again in the order of its starts, is what was ``planned``: nodes that went
    down and jobs that overran may have made it impossible as it was. Jobs that the policy leaves without a start are
    decoded behind the others, in FCFS order, so that every job has a start.

    ``keys`` (length n) identify the waiting jobs from tick to tick, ``memory`` is that of the tick before, and
    ``ended_early`` says whether a job ended before its expected end since. ``heads``, a bool array of shape (n,), marks
    the jobs that have waited longest, of each partition, say, and ``guard`` limits how long these may be overtaken.
    ``ValueError`` if the policy gives no plan, or needs more than a round holds.
    """
    began = perf_counter()
    check_live(policy)
    problem = replace(with_memory(problem, [memory.get(key) for key in keys]), ended_early=ended_early)
    first = np.full(len(problem), NEVER)
    protected = np.zeros(len(problem), dtype=bool)
    if heads is not None and guard is not None:
        for k in np.flatnonzero(heads).tolist():
            first[k] = min(problem.now, memory[keys[k]].first if keys[k] in memory else NEVER)
        problem, protected = with_guard(problem, guard, first)
    plan = decide(policy, problem, rng) if len(problem) else Plan(np.zeros(0, dtype=np.int64))
    start = complete(problem, plan)
    policy_state = problem.policy_state if plan.policy_state is None else plan.policy_state
    latest = latest_starts(problem, start, getattr(policy, "promise", None))
    columns = zip(keys, start.tolist(), latest.tolist(), policy_state.tolist(), first.tolist(), strict=True)
    memory = {key: JobMemory(*values) for key, *values in columns}
    jobs = problem.jobs._replace(latest=latest)
    seconds = perf_counter() - began
    return LivePlan(replace(problem, jobs=jobs), start, plan.start != NEVER, protected, memory, seconds)


def check_live(policy: Policy) -> None:
    """Raise a ``ValueError`` if a policy needs more than a round holds.

    Orders with a history need the events of a whole replay; a recorded schedule is that of a log; working time needs a
    time zone. The journal of a cluster can be replayed with all of them. Other policies that look at a workload before
    a replay check what it has, and check it again in every round.
    """
    name = policy_name(policy)
    if getattr(policy, "history", None) is not None:
        raise ValueError(
            f"policy {name}: its order needs the past of users, which a round does not hold; replay a journal with it"
        )
    if traits_of(policy).recorded:
        raise ValueError(
            f"policy {name}: it is the schedule of a log, and a queue has none yet; replay a journal with it"
        )
    calendar = getattr(policy, "calendar", None)
    if calendar is not None and calendar.time_zone is None:
        raise ValueError(
            f"policy {name}: a queue has no time zone for its working time; give one, such as "
            "--calendar 9-18:Europe/Berlin, or replay a journal with it"
        )


def with_memory(problem: Round, memories: Sequence[JobMemory | None]) -> Round:
    """Return the round with the memory of its jobs from the last tick."""

    def column(field: str) -> IntArray:
        values = [NEVER if was is None else getattr(was, field) for was in memories]
        return np.array(values, dtype=np.int64)

    jobs = problem.jobs._replace(latest=column("latest"))
    before = column("planned")
    indices = np.flatnonzero(before != NEVER)
    if len(indices):  # the plan of the tick before, on today's machine
        order = indices[np.argsort(before[indices], kind="stable")]
        table = type(jobs)._make(values[order] for values in jobs)
        inner = Round(problem.now, problem.capacity, problem.running, table,
                      resources=problem.resources, windows=problem.windows)  # fmt: skip
        before[order] = decode(inner, np.arange(len(order))).start
    return replace(problem, jobs=jobs, planned=before, policy_state=column("note"))


def with_guard(problem: Round, guard: Guard, first: IntArray) -> tuple[Round, BoolArray]:
    """Promise the longest-waiting jobs a latest start: the one that they would get if they were next, plus the guard.

    Promises are never put off. ``first``, shape (n,), has since when each job has waited longest (s), ``NEVER`` if it
    has not. Returns the round with the promises, and which jobs nothing may delay any more, shape (n,): those whose
    guard is used up.
    """
    jobs, heads = problem.jobs, first != NEVER
    free = replace(problem, jobs=jobs._replace(latest=np.full(len(problem), NEVER)))
    next_in_line = decode(free, np.arange(len(problem))).start
    since = np.where(heads, first, problem.now)
    limits = guard.limits(jobs, since)
    protected = heads & (since + limits <= problem.now)
    # A promise that cannot be kept slips no further: no other job goes before such a job.
    possible = np.minimum(next_in_line, problem.planned)
    promised = next_in_line + np.where(protected, 0, limits)
    latest = np.where(heads, np.maximum(np.minimum(jobs.latest, promised), possible), jobs.latest)
    return replace(problem, jobs=jobs._replace(latest=latest)), protected


def decide(policy: Policy, problem: Round, rng: np.random.Generator) -> Plan:
    """Return the plan of a policy.

    A policy that searches does so even if nothing can start now: people want to know when.
    """
    search = getattr(policy, "search", None)
    return plan_of(policy, problem, rng) if search is None else search(problem, rng).plan


def plan_of(policy: Policy, problem: Round, rng: np.random.Generator) -> Plan:
    """Return the plan that a policy makes; ``ValueError`` if it raises anything, or gives no plan of the jobs."""
    try:
        outcome = policy(problem, rng)
    except ValueError:
        raise
    except USER_ERRORS as error:
        raise ValueError(f"policy {policy_name(policy)} {failure(error, f'in the round at {problem.now}')}") from error
    if isinstance(outcome, Result):
        outcome = outcome.plan
    if not isinstance(outcome, Plan) or len(outcome.start) != len(problem):
        raise ValueError(f"the policy gave no plan of the {len(problem)} waiting jobs")
    return outcome


def complete(problem: Round, plan: Plan) -> IntArray:
    """Return starts for all jobs: those of the plan, none later, and the others behind them in FCFS order."""
    if ((plan.start >= problem.now) & (plan.start != NEVER)).all():
        return plan.start
    return decode(problem, np.argsort(plan.start, kind="stable")).start


def latest_starts(problem: Round, start: IntArray, promise: Promise | None) -> IntArray:
    """Return the promised latest starts (s): new ones for jobs with a planned start and without a promise."""
    latest = problem.jobs.latest
    if promise is None:
        return latest
    slack, floor = promise.limits(problem.jobs)
    first_planned = (latest == NEVER) & (start != NEVER)
    return np.where(first_planned, np.maximum(np.where(first_planned, start, 0) + slack, floor), latest)
