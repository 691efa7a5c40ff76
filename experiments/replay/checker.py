"""An independent check of traces: it shares no code with the schedulers and the event loop.

Everything here is recomputed from the workload and the starts and ends that a replay reports.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planbatch.baselines.policy import Policy
from planbatch.experiments.replay.estimates import REQUESTED, Estimates
from planbatch.experiments.replay.replay import ObservedPolicy, bound, replay
from planbatch.experiments.replay.trace import Trace
from planbatch.planner.arguments import expect
from planbatch.planner.model import NEVER, BoolArray, IntArray, Workload
from planbatch.planner.plan import Plan
from planbatch.planner.resources import Window, names_of
from planbatch.planner.round import Round

#: How many faults of one kind are listed one by one.
MOST_LISTED = 5


@dataclass(frozen=True)
class PlannedRound:
    """What a policy planned in one round."""

    now: int  #: when the round was (s)
    ids: IntArray  #: shape (n,): the waiting jobs
    start: IntArray  #: shape (n,): their planned starts (s)


def recorded_replay(
    workload: Workload, policy: Policy, *, estimates: Estimates = REQUESTED, seed: int = 0
) -> tuple[Trace, list[PlannedRound]]:
    """Replay a workload interpreted; return the trace and the plan of every round."""
    rounds: list[PlannedRound] = []

    def record(problem: Round, plan: Plan) -> None:
        rounds.append(PlannedRound(problem.now, problem.ids.copy(), plan.start.copy()))

    observed = ObservedPolicy(bound(policy, workload), record)
    return replay(workload, observed, estimates=estimates, seed=seed), rounds


def check_trace(trace: Trace) -> list[str]:
    """Return one sentence for each way in which a trace breaks the rules; an empty list for a valid trace.

    Checked: every job runs, once, for its run time, and not before it was submitted; at no instant
    is more in use of any resource than the machine has, and, by jobs that started when windows were known, than these
    windows leave together; every start happens in a round, and the log
    counts the starts; no job starts after the latest start that it was promised. More may be in use in a recorded
    schedule: that is how the log was written.

    Parameters
    ----------
    trace : Trace
        The replay.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> pb.check_trace(pb.replay(workload, "plan-wait"))
    []
    """
    expect("trace", trace, Trace)
    workload, start, end = trace.workload, trace.start, trace.end
    n = len(workload.submit)
    if len(start) != n or len(end) != n:
        return [f"the trace has {len(start)} starts and {len(end)} ends for {n} jobs"]
    # From then on all jobs find the whole machine, and run one after the other at the latest.
    whole = max([int(workload.submit.max(initial=0)), *(window.end for window in workload.windows)])
    faults = _list_faults(
        start > whole + int(workload.walltime.sum()), lambda i: f"job {workload.id[i]} is never started"
    )
    faults += _list_faults(
        start < workload.submit,
        lambda i: f"job {workload.id[i]} starts at {start[i]}, before its submission at {workload.submit[i]}",
    )
    faults += _list_faults(
        end - start != workload.runtime,
        lambda i: f"job {workload.id[i]} runs for {end[i] - start[i]} s instead of {workload.runtime[i]} s",
    )
    faults += _list_faults(
        start > trace.promise,
        lambda i: f"job {workload.id[i]} starts at {start[i]}, after its promise {trace.promise[i]}",
    )
    capacity_faults = [] if trace.traits.recorded else _capacity_faults(trace)
    return faults + capacity_faults + _log_faults(trace)


def _list_faults(wrong: BoolArray, sentence: Callable[..., str]) -> list[str]:
    """Write one sentence for each of the first few faults, and the number of the others."""
    where = np.flatnonzero(wrong)
    lines = [sentence(i) for i in where[:MOST_LISTED]]
    if len(where) > MOST_LISTED:
        lines.append(f"… and {len(where) - MOST_LISTED} more like the last")
    return lines


def _capacity_faults(trace: Trace) -> list[str]:
    """Find instants at which more of a resource is in use than the machine has."""
    workload = trace.workload
    names, capacities = names_of(workload.resources), workload.capacities.tolist()
    demands = workload.amounts
    faults = []
    for k, (name, capacity) in enumerate(zip(names, capacities, strict=True)):
        instants, usage = _in_use(trace.start, trace.end, demands[:, k])
        faults += _list_faults(
            usage > capacity,
            lambda i, usage=usage, instants=instants, name=name, capacity=capacity: (
                f"{usage[i]} {name} are in use at {instants[i]}, above the capacity of {capacity}"
            ),
        )
        faults += _window_faults(trace, name, demands[:, k], capacity)
    return faults


def _in_use(start: IntArray, end: IntArray, demand: IntArray) -> tuple[IntArray, IntArray]:
    """Return the instants at which usage changes, and the usage from each of them on."""
    instants, index = np.unique(np.concatenate([start, end]), return_inverse=True)
    changes = np.zeros(len(instants), dtype=np.int64)
    np.add.at(changes, index, np.concatenate([demand, -demand]))
    return instants, np.cumsum(changes)


def _window_faults(trace: Trace, name: str, demand: IntArray, capacity: int) -> list[str]:
    """Find jobs that use more of a resource than windows leave, although the windows were known when they started.

    All windows known at one moment are taken together. Jobs that start between that moment and the next one at which
    a window becomes known must not run while they and the jobs before them use more than these windows leave.
    """
    windows = [window for window in trace.workload.windows if window.amounts.get(name, 0)]
    moments = sorted({window.announced for window in windows})
    faults = []
    for moment, following in pairwise([*moments, NEVER]):
        announced = [window for window in windows if window.announced <= moment < window.end]
        running = (demand > 0) & (trace.start < following) & (trace.end > moment)
        aware = running & (trace.start >= moment)
        if announced and aware.any():
            faults += _faults_of_aware(trace, announced, name, demand, capacity, running, aware)
    return faults


def _faults_of_aware(
    trace: Trace,
    windows: list[Window],
    name: str,
    demand: IntArray,
    capacity: int,
    running: BoolArray,
    aware: BoolArray,
) -> list[str]:
    """Find instants at which ``aware`` jobs run although all ``running`` ones use more than the windows leave."""
    amounts = np.array([window.amounts[name] for window in windows], dtype=np.int64)
    begin = np.array([window.start for window in windows])
    end = np.array([window.end for window in windows])
    steps = [
        _in_use(trace.start[running], trace.end[running], demand[running]),
        _in_use(begin, end, amounts),
        _in_use(trace.start[aware], trace.end[aware], demand[aware]),
    ]
    instants = np.unique(np.concatenate([times for times, _ in steps]))
    usage, closed, by_aware = (_amounts_at(instants, *step) for step in steps)
    announced = max(window.announced for window in windows)
    which = f"window from {begin[0]} leaves" if len(windows) == 1 else f"windows known at {announced} leave"
    return _list_faults(
        (closed > 0) & (by_aware > 0) & (usage > capacity - closed),
        lambda i: (
            f"{usage[i]} {name} are in use at {instants[i]}, above the {max(capacity - closed[i], 0)} that the {which}"
        ),
    )


def _amounts_at(instants: IntArray, times: IntArray, amounts: IntArray) -> IntArray:
    """Return the amount in force at each instant: that of the latest time so far, 0 before the first."""
    return np.concatenate([[0], amounts])[np.searchsorted(times, instants, side="right")]


def _log_faults(trace: Trace) -> list[str]:
    """Compare the starts with the log of the rounds."""
    times, started = np.asarray(trace.rounds.time), np.asarray(trace.rounds.started)
    faults = _list_faults(np.diff(times) <= 0, lambda i: f"the round at {times[i + 1]} comes after one at {times[i]}")
    if faults:
        return faults
    instants, counts = np.unique(trace.start, return_counts=True)
    faults = _list_faults(~np.isin(instants, times), lambda i: f"jobs start at {instants[i]}, when there is no round")
    in_rounds = np.zeros(len(times), dtype=np.int64)
    listed = np.isin(instants, times)
    in_rounds[np.searchsorted(times, instants[listed])] = counts[listed]
    return faults + _list_faults(
        in_rounds != started,
        lambda i: f"the round at {times[i]} says that it started {started[i]} jobs, not {in_rounds[i]}",
    )


def check_reservations(rounds: list[PlannedRound]) -> list[str]:
    """Return one sentence for each reservation that moved to a later time in a later round.

    Conservative backfilling that keeps its reservations has none with ``requested`` and
    ``actual`` estimates (with ``mixed`` ones, jobs run longer than estimated, and
    reservations have to move).
    """
    reserved: dict[int, int] = {}
    faults = []
    for plan in rounds:
        for job, when in zip(plan.ids.tolist(), plan.start.tolist(), strict=True):
            if when > reserved.get(job, when):
                faults.append(
                    f"the reservation of job {job} moves from {reserved[job]} to {when} in the round at {plan.now}"
                )
            reserved[job] = when
    return faults
