"""Comparing policies on a workload: replays in parallel, and no result lost to an interrupt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from planbatch.baselines.catalogue import DEADLINE_POLICIES, as_policy
from planbatch.baselines.policy import Policy
from planbatch.experiments.replay.metrics import (
    DeadlineMetrics,
    Metrics,
    deadline_metrics,
    metrics,
    utilisation_by_resource,
)
from planbatch.experiments.replay.replay import (
    Estimates,
    Trace,
    bound,
    policy_name,
    replay,
    warm_up,
)
from planbatch.experiments.tasks.board import Progress, Tell
from planbatch.experiments.tasks.parallel import run_tasks
from planbatch.planner.model import NEVER, Workload

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Comparison:
    """The results of a comparison.

    Attributes
    ----------
    workload : Workload
        What was replayed.
    estimates : {"requested", "actual", "mixed"}
        What schedulers knew of run times.
    seed : int
        Seed of every replay.
    traces : mapping of str to Trace
        The replay of every policy that finished, in the order in which the policies were given.
    unfinished : tuple of str
        Policies that an interrupt left without a result.
    """

    workload: Workload
    estimates: Estimates
    seed: int
    traces: Mapping[str, Trace]
    unfinished: tuple[str, ...] = ()

    @property
    def metrics(self) -> dict[str, Metrics]:
        """The figures of every policy that finished."""
        return {name: metrics(trace) for name, trace in self.traces.items()}

    @property
    def deadline_metrics(self) -> dict[str, DeadlineMetrics]:
        """The figures on deadlines of every policy that finished; none where no job has one."""
        if (self.workload.deadline == NEVER).all():
            return {}
        return {name: deadline_metrics(trace) for name, trace in self.traces.items()}

    def frame(self) -> "DataFrame":
        """Return a data frame: a row a policy; columns of :class:`Metrics`, rounds and seconds."""
        import pandas as pd

        rows = []
        for trace in self.traces.values():
            row = result(trace)
            for name, share in row.pop("utilisation_by_resource", {}).items():
                row[f"utilisation_{name}"] = share
            rows.append(row)
        return pd.DataFrame(rows, columns=None if rows else ["policy"]).set_index("policy")


def described_resources(workload: Workload) -> dict[str, Any]:
    """Return the resources besides processors, and what was assumed of memory, for programs; else nothing."""
    if not workload.resources:
        return {}
    found: dict[str, Any] = {
        "resources": {
            resource.name: {"capacity": resource.capacity, "unit": resource.unit}
            for resource in workload.resources
        }
    }
    return found | {
        key.lower(): workload.header[key] for key in ("Memory",) if key in workload.header
    }


def result(trace: Trace) -> dict[str, Any]:
    """Return what is reported of one replay: policy, figures, rounds and seconds.

    With figures on deadlines where the workload has any or the policy knows of them, and the utilisation of every
    resource where there are several.
    """
    figures: dict[str, Any] = dict(metrics(trace).as_dict())
    if trace.policy in DEADLINE_POLICIES or (trace.workload.deadline != NEVER).any():
        figures |= deadline_metrics(trace).as_dict()
    if trace.workload.resources:
        figures["utilisation_by_resource"] = utilisation_by_resource(trace)
    return {
        "policy": trace.policy,
        **figures,
        "rounds": len(trace.rounds),
        "seconds": trace.seconds,
    }


def compare(
    workload: Workload,
    policies: Sequence[Policy | str],
    *,
    estimates: Estimates = "requested",
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Replay a workload under several policies.

    Every replay draws its random numbers from the seed alone, so that results depend neither on the
    number of processes nor on the other policies (as long as no policy is limited by time).

    Parameters
    ----------
    workload : Workload
        The jobs and the machine.
    policies : sequence of Policy or str
        What to compare, or its names; no two may have the same name.
    estimates : {"requested", "actual", "mixed"}
        What schedulers know of run times.
    seed : int
        Seed of every replay.
    jobs : int
        Processes; with 1, the replays run in this one.
    progress : callable, optional
        ``progress(place, started)``; possibly called from another thread.

    Returns
    -------
    Comparison
        An interrupt (Ctrl-C) ends the comparison at once, and the policies that finished are
        returned.

    Raises
    ------
    ValueError
        Where two policies have the same name, or ``jobs`` is not positive.
    ReplayError
        Where a policy breaks the rules.
    ChildProcessError
        Where a policy cannot be sent to another process, or crashes it.
    """
    chosen = [as_policy(policy) for policy in policies]
    names = [policy_name(policy) for policy in chosen]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"policies: {twice[0]} is named more than once")
    if jobs < 1:
        raise ValueError(f"jobs: {jobs} is not a positive number of processes")
    deciding = [bound(policy, workload) for policy in chosen]
    finished: dict[int, Trace] = {}
    tasks = [partial(_replay, workload, policy, estimates, seed) for policy in deciding]
    try:
        for policy in deciding:
            warm_up(policy)
        for place, trace in run_tasks(tasks, names, jobs, progress):
            finished[place] = trace
    except KeyboardInterrupt:
        pass
    traces = {names[place]: finished[place] for place in sorted(finished)}
    unfinished = tuple(name for name in names if name not in traces)
    return Comparison(workload, estimates, seed, traces, unfinished)


def _replay(
    workload: Workload, policy: Policy, estimates: Estimates, seed: int, tell: Tell
) -> Trace:
    """Replay one policy."""
    return replay(workload, policy, estimates=estimates, seed=seed, progress=tell)
