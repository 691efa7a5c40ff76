"""Slack-based backfilling: a job may be delayed behind its first planned start, by its slack and no more."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from planbatch.baselines.policy import CompiledPolicy, Traits
from planbatch.baselines.promise import Promise
from planbatch.baselines.timeline import Timeline, fill_present, new_timeline, take_now
from planbatch.planner.kernels.amounts import enough
from planbatch.planner.kernels.decode import decode_once
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.kernels.profile import demands_of
from planbatch.planner.kernels.sorting import copy_column, stable_order
from planbatch.planner.model import NEVER, FloatArray, IntArray
from planbatch.planner.round import RoundArrays


@borrowing_kernel
def fill_with_starters(arrays: RoundArrays, demands: Any, plan: IntArray, line: Timeline) -> None:
    """Write what is free at this moment behind the jobs that a plan starts."""
    fill_present(arrays, line)
    for i in range(len(plan)):
        if plan[i] == arrays.now:
            take_now(line, demands[i], NEVER)


@borrowing_kernel
def none_later(plan: IntArray, limit: IntArray) -> bool:
    """Whether no job starts after its limit."""
    later = 0
    for i in range(len(plan)):
        later += plan[i] > limit[i]
    return later == 0


@kernel
def decide_slack(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """Start, in the order of the queue, every job that delays no other beyond its promised latest start.

    The plan of the previous round, decoded again in the order of its starts, is the first plan. A job that could start
    now is moved to the front of it; if, decoded again, no job starts later than promised, this is the new plan. New
    jobs are not delayed, and are promised the start in their first plan plus the slack. After Talby and Feitelson:
    "Supporting Priorities and Improving Utilization of the IBM SP Scheduler Using Slack-Based Backfilling" (IPPS
    1999); their slack also depends on priorities, and they weigh several plans by cost.

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (the promise),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("slack")
    >>> policy.compiled_form().decide is pb.decide_slack
    True
    """
    n = len(start)
    jobs = arrays.jobs
    decode_once(arrays, stable_order(arrays.planned), start)
    limit, keys, trial = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        limit[i] = start[i] if jobs.latest[i] == NEVER else max(jobs.latest[i], start[i])
    demands = demands_of(arrays)
    line = new_timeline(arrays)
    fill_with_starters(arrays, demands, start, line)
    for i in stable_order(order(jobs, arrays.now)):
        if start[i] == arrays.now or not enough(line.free, 0, demands[i]):
            continue
        copy_column(keys, start)
        keys[i] = arrays.now
        decode_once(arrays, stable_order(keys), trial)
        if trial[i] == arrays.now and none_later(trial, limit):
            copy_column(start, trial)
            fill_with_starters(arrays, demands, start, line)


@dataclass(frozen=True)
class SlackBased(CompiledPolicy):
    """:func:`decide_slack` with its promise.

    Attributes
    ----------
    promise : Promise, optional
        The slack of every job.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.make_policy("slack").promise
    Promise(seconds=86400, walltimes=0.0, within=None, by_deadline=False)
    """

    promise: Promise | None = None


def slack_based(slack: str = "1d", order: Any = "submit", name: str = "slack") -> SlackBased:
    """Slack-based backfilling (Talby and Feitelson 1999): jobs may be delayed behind their first planned start.

    Parameters
    ----------
    slack : str
        By how much: a duration such as ``1d``, walltimes such as ``2x``, or ``12h+1x``.
    order : str or callable
        The order in which jobs are tried.
    name : str
        What tables call it.

    Raises
    ------
    ValueError
        If the slack cannot be read, or there is no order of a name.
    """
    promise = Promise.parse(slack)
    if promise is None or promise.within is not None or promise.by_deadline:
        raise ValueError(f"slack: {slack!r} is no slack, such as 1d, 2x or 12h+1x")
    traits = Traits(draws=False, parameters={"promise": str(promise)})
    return SlackBased(name, decide_slack, order=order, traits=traits, promise=promise)
