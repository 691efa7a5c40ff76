"""The metrics of a replay (design rule 9)."""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from planbatch.experiments.replay.trace import Trace, bounded_slowdown
from planbatch.planner.arguments import expect
from planbatch.planner.display import counted, duration
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.resources import names_of


@dataclass(frozen=True)
class Metrics:
    """The metrics of one replay, over all its jobs.

    In the formulas, *waitᵢ* = startᵢ − submitᵢ; *runᵢ* is the run time, *walltimeᵢ* the requested
    time.

    Attributes
    ----------
    jobs : int
        How many jobs were replayed.
    mean_wait, median_wait, p95_wait : float
        Mean, median and 95th percentile (linear interpolation) of waitᵢ (s).
    max_wait : int
        max waitᵢ (s).
    mean_bounded_slowdown : float
        (1/n) Σ max(1, (waitᵢ + runᵢ) / max(runᵢ, 10 s)).
    mean_stretch : float
        (1/n) Σ (waitᵢ + walltimeᵢ) / walltimeᵢ.
    mean_response : float
        (1/n) Σ (waitᵢ + runᵢ) (s).
    makespan : int
        max endᵢ − min submitᵢ (s).
    utilisation : float
        Σ procsᵢ · runᵢ / (capacity · makespan).

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> pb.metrics(pb.replay(workload, "easy")).as_dict()["jobs"]
    100
    """

    jobs: int
    mean_wait: float
    median_wait: float
    p95_wait: float
    max_wait: int
    mean_bounded_slowdown: float
    mean_stretch: float
    mean_response: float
    makespan: int
    utilisation: float

    def __repr__(self) -> str:
        return (
            f"Metrics({counted(self.jobs, 'job')}: mean wait {duration(self.mean_wait)}, longest "
            f"{duration(self.max_wait)}, bounded slowdown {self.mean_bounded_slowdown:.4g}, "
            f"utilisation {self.utilisation:.1%})"
        )

    def as_dict(self) -> dict[str, float]:
        """Return the metrics by name."""
        return asdict(self)


@dataclass(frozen=True)
class DeadlineMetrics:
    """The deadline metrics of one replay.

    Attributes
    ----------
    missed_deadlines : int
        Jobs that ended after their deadline.
    infeasible_deadlines : int
        Jobs whose first planned end (start + walltime) was after their deadline.
    regular_mean_wait : float
        Mean wait (s) of the jobs without a deadline; 0 if all have one.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.experiments import deadline_metrics
    >>> workload = pb.with_deadlines(pb.synthetic_workload(jobs=100, capacity=16), "third")
    >>> deadline_metrics(pb.replay(workload, "dbf")).infeasible_deadlines
    9
    """

    missed_deadlines: int
    infeasible_deadlines: int
    regular_mean_wait: float

    def as_dict(self) -> dict[str, float]:
        """Return the metrics by name."""
        return asdict(self)


def deadline_metrics(trace: Trace) -> DeadlineMetrics:
    """Measure a trace against the deadlines of its jobs.

    Parameters
    ----------
    trace : Trace
        A replay of a workload with deadlines.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.experiments import deadline_metrics
    >>> workload = pb.with_deadlines(pb.synthetic_workload(jobs=100, capacity=16), "third")
    >>> deadline_metrics(pb.replay(workload, "easy")).missed_deadlines
    0
    """
    workload = trace.workload
    regular = workload.deadline == NEVER
    wait = (trace.start - workload.submit)[regular]
    first_end = trace.first_planned + workload.walltime
    return DeadlineMetrics(
        missed_deadlines=int(np.count_nonzero(trace.end > workload.deadline)),
        infeasible_deadlines=int(np.count_nonzero(~regular & (first_end > workload.deadline))),
        regular_mean_wait=float(wait.mean()) if len(wait) else 0.0,
    )


def utilisation_by_resource(trace: Trace) -> dict[str, float]:
    """Return Σ demandᵢ · runᵢ / (capacity · makespan) of every resource; empty if processors are the only one.

    Parameters
    ----------
    trace : Trace
        A replay.

    Returns
    -------
    dict of str to float
        By the resources' names, the processors first, from 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> import planbatch as pb
    >>> from planbatch.experiments import utilisation_by_resource
    >>> workload = pb.Workload(
    ...     "two jobs", 4, id=np.array([1, 2]), submit=np.array([0, 0]), procs=np.array([1, 1]),
    ...     walltime=np.array([100, 100]), runtime=np.array([100, 100]),
    ...     resources=(pb.Resource("gpus", 4),), demands=np.array([[4], [2]]),
    ... )
    >>> utilisation_by_resource(pb.replay(workload, "easy"))
    {'processors': 0.25, 'gpus': 0.75}
    """
    expect("trace", trace, Trace)
    workload = trace.workload
    if not workload.resources:
        return {}
    makespan = float(trace.end.max() - workload.submit.min())
    usage = (workload.amounts.astype(np.float64) * workload.runtime[:, None]).sum(axis=0)
    shares = usage / (workload.capacities * makespan)
    return dict(zip(names_of(workload.resources), shares.tolist(), strict=True))


class FinishedJobs(NamedTuple):
    """The columns that metrics are computed from, of shape (n,); times in seconds."""

    submit: IntArray
    procs: IntArray
    walltime: IntArray
    runtime: IntArray
    start: IntArray
    end: IntArray


def measure_jobs(jobs: Any, capacity: int) -> Metrics:
    """Measure jobs (anything with the columns of :class:`FinishedJobs`) of a machine; see :class:`Metrics`."""
    wait = (jobs.start - jobs.submit).astype(np.float64)
    run = jobs.runtime.astype(np.float64)
    walltime = jobs.walltime.astype(np.float64)
    median, p95 = np.percentile(wait, [50, 95])
    makespan = int(jobs.end.max() - jobs.submit.min())
    return Metrics(
        jobs=len(wait),
        mean_wait=float(wait.mean()),
        median_wait=float(median),
        p95_wait=float(p95),
        max_wait=int(wait.max()),
        mean_bounded_slowdown=float(bounded_slowdown(wait, run).mean()),
        mean_stretch=float(((wait + walltime) / walltime).mean()),
        mean_response=float((wait + run).mean()),
        makespan=makespan,
        utilisation=float((jobs.procs * run).sum() / (capacity * float(makespan))),
    )


def metrics(trace: Trace) -> Metrics:
    """Measure a trace; see :class:`Metrics` for the formulas.

    Parameters
    ----------
    trace : Trace
        A replay.

    Raises
    ------
    ValueError
        If the trace has no jobs.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> measured = pb.metrics(pb.replay(workload, "easy"))
    >>> measured.jobs, measured.max_wait >= measured.p95_wait >= measured.median_wait
    (100, True)
    """
    expect("trace", trace, Trace)
    workload = trace.workload
    if not len(workload):
        raise ValueError(f"trace: {workload.name} under {trace.policy} has no jobs to measure")
    jobs = FinishedJobs(workload.submit, workload.procs, workload.walltime, workload.runtime, trace.start, trace.end)
    return measure_jobs(jobs, workload.capacity)


def promises(trace: Trace) -> dict[str, int]:
    """Count the promises made and broken, and measure the worst lateness (s); empty without promises."""
    promised = trace.promise != NEVER
    if not promised.any():
        return {}
    lateness = np.maximum(trace.start - trace.promise, 0)[promised]
    return {
        "promises": int(promised.sum()),
        "promises_broken": int((lateness > 0).sum()),
        "worst_lateness": int(lateness.max()),
    }


def summary(trace: Trace) -> dict[str, Any]:
    """Return everything reported about a replay: policy, metrics, rounds and seconds.

    With deadline metrics if any job has a deadline or the policy considers them, the utilisation of every resource if
    there are several, and the promises if there are any.
    """
    figures: dict[str, Any] = {"policy": trace.policy, **metrics(trace).as_dict()}
    if trace.traits.about_deadlines or (trace.workload.deadline != NEVER).any():
        figures |= deadline_metrics(trace).as_dict()
    if trace.workload.resources:
        figures["utilisation_by_resource"] = utilisation_by_resource(trace)
    return figures | {"rounds": len(trace.rounds), "seconds": trace.seconds} | promises(trace)
