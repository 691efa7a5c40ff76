"""Comparing policies on one workload."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planbatch.baselines.policy import Policy, as_policy, policy_name
from planbatch.experiments.common.table import Column, Table, time_column
from planbatch.experiments.common.text import Notify, change, counted, duration, number, share, silent
from planbatch.experiments.replay.estimates import REQUESTED, Estimates, check_estimates
from planbatch.experiments.replay.metrics import DeadlineMetrics, Metrics, deadline_metrics, metrics
from planbatch.experiments.replay.task import Outcome, ReplayTask
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.runs.run import FinishedReplay, Workers, run_all
from planbatch.experiments.runs.task import Failure, Progress
from planbatch.experiments.studies.metrics import REFERENCE, Metric, MetricError, as_metrics, measure
from planbatch.experiments.workloads.as_workload import as_workload
from planbatch.experiments.workloads.selection import statements
from planbatch.experiments.workloads.swf.log import WALLTIMES
from planbatch.planner.arguments import as_list, expect_function, whole
from planbatch.planner.model import NEVER, Workload

if TYPE_CHECKING:
    from pandas import DataFrame


_FIGURES = (
    time_column("mean_wait", "mean\nwait", "min"),
    time_column("median_wait", "median\nwait", "min"),
    time_column("p95_wait", "95%\nwait", "min"),
    time_column("max_wait", "max.\nwait", "min"),
    Column("mean_bounded_slowdown", "slow-\ndown", number, best="min"),
    time_column("makespan", "make-\nspan", "min"),
    Column("utilisation", "used", share, best="max"),
)
_DEADLINES = (
    time_column("regular_mean_wait", "regular\nwait"),
    Column("missed_deadlines", "missed\ndeadl.", "{:,}".format),
    Column("infeasible_deadlines", "infeas.\ndeadl.", "{:,}".format),
)
_CLOCK = time_column("seconds", "time", style="dim")


@dataclass(frozen=True)
class Comparison:
    """The results of a comparison.

    Attributes
    ----------
    workload : Workload
        The replayed workload.
    estimates : str
        What schedulers knew of run times.
    seed : int
        Seed of every replay.
    finished : mapping of str to FinishedReplay
        The replays that finished, in the order of the given policies.
    failed : mapping of str to Failure
        Policies whose replay failed.
    unfinished : tuple of str
        Policies that an interrupt left without a result.
    extra_metrics : tuple of Metric
        Further metrics.
    values : mapping of str to mapping of str to float
        Their values by policy and metric; NaN for one that failed.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> comparison = pb.compare(workload, ["fcfs", "easy"])
    >>> comparison.metrics["easy"].mean_wait <= comparison.metrics["fcfs"].mean_wait
    True
    """

    workload: Workload
    estimates: Estimates
    seed: int
    finished: Mapping[str, FinishedReplay]
    failed: Mapping[str, Failure] = field(default_factory=dict)
    unfinished: tuple[str, ...] = ()
    extra_metrics: tuple[Metric, ...] = ()
    values: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @cached_property
    def traces(self) -> dict[str, Trace]:
        """The trace of every policy that finished."""
        return {name: replay.trace() for name, replay in self.finished.items()}

    @property
    def summaries(self) -> list[dict[str, Any]]:
        """Everything reported about every policy that finished (see :func:`summary`), and the further metrics."""
        return [
            {**replay.summary, "policy": name, **self.values.get(name, {})} for name, replay in self.finished.items()
        ]

    @property
    def metrics(self) -> dict[str, Metrics]:
        """The metrics of every policy that finished."""
        return {name: metrics(trace) for name, trace in self.traces.items()}

    @property
    def metrics_without_values(self) -> list[str]:
        """A message for each further metric that is NaN under every policy that finished."""
        return [
            f"metric {metric.name}: it has no value (NaN) under any policy"
            for metric in self.extra_metrics
            if self.values and all(math.isnan(own[metric.name]) for own in self.values.values())
        ]

    @property
    def deadline_metrics(self) -> dict[str, DeadlineMetrics]:
        """The deadline metrics of every policy that finished; empty if no job has a deadline."""
        if (self.workload.deadline == NEVER).all():
            return {}
        return {name: deadline_metrics(trace) for name, trace in self.traces.items()}

    @property
    def searching(self) -> list[str]:
        """The policies that search for plans."""
        return [name for name, trace in self.traces.items() if trace.traits.searches]

    @property
    def title(self) -> str:
        """What was compared, in one line."""
        workload = self.workload
        return (
            f"{workload.name}: {counted(len(workload), 'job')}, "
            f"{counted(workload.capacity, 'processor')}, {self.estimates} estimates"
        )

    def __repr__(self) -> str:
        lost = [*self.failed, *self.unfinished]
        without = f"; no result: {', '.join(lost)}" if lost else ""
        return f"Comparison({self.title}; {', '.join(self.finished)}{without})"

    def _repr_html_(self) -> str:
        """Return what notebooks show: the table that the command prints."""
        lost = [f"{name} ({failure.error})" for name, failure in self.failed.items()]
        lost += [f"{name} (interrupted)" for name in self.unfinished]
        table = comparison_table(self)
        caption = self.title + (f"; no result: {', '.join(lost)}" if lost else "")
        return replace(table, caption=caption)._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        return {
            **workload_to_dict(self.workload),
            "estimates": self.estimates,
            "seed": self.seed,
            "results": self.summaries,
            "failed": {name: failure.error for name, failure in self.failed.items()},
            "unfinished": list(self.unfinished),
        }

    def to_frame(self) -> "DataFrame":
        """Return a data frame: one row per policy, one column per metric."""
        import pandas as pd

        rows = []
        for row in self.summaries:
            for name, used in row.pop("utilisation_by_resource", {}).items():
                row[f"utilisation_{name}"] = used
            rows.append(row)
        return pd.DataFrame(rows, columns=None if rows else ["policy"]).set_index("policy")


def comparison_table(comparison: Comparison) -> Table:
    """Lay out a comparison: one row per policy, the best figure of every column marked.

    If EASY is among the policies, the table has the change of the mean wait against it.
    """
    rows = comparison.summaries
    columns = [Column("policy", "policy"), *_FIGURES]
    changes = "no change: easy is not among them"
    if REFERENCE in comparison.finished:
        changes = "change: of the mean wait against EASY"
        columns.append(Column("change", "change", str))
        reference = comparison.finished[REFERENCE].summary["mean_wait"]
        for row in rows:
            row["change"] = "" if row["policy"] == REFERENCE else change(row["mean_wait"], reference)
    if rows and all("missed_deadlines" in row for row in rows):
        columns += _DEADLINES
    for metric in comparison.extra_metrics:
        name, colon, parameters = metric.name.partition(":")
        columns.append(metric.column(name.replace("-", "\n") + (f"{colon}\n{parameters}" if parameters else "")))
    note = f"slowdown: mean bounded slowdown; used: utilisation; {changes}"
    return Table("comparison", comparison.title, [*columns, _CLOCK], rows, note, tight=True)


def workload_to_dict(workload: Workload) -> dict[str, Any]:
    """Return a workload for JSON, with what was assumed about its resources, and how many walltimes are unknown."""
    description: dict[str, Any] = {
        "workload": workload.name,
        "capacity": workload.capacity,
        "jobs": len(workload),
        "dropped": dict(workload.dropped),
    }
    assumed = statements(workload)
    if workload.resources:
        description["resources"] = {
            resource.name: {"capacity": resource.capacity, "unit": resource.unit}
            | ({"assumed": assumed[resource.name]} if resource.name in assumed else {})
            for resource in workload.resources
        }
    if WALLTIMES in workload.header:
        description["walltimes"] = workload.header[WALLTIMES]
    return description


def compare(
    workload: "Workload | str | Path | DataFrame",
    policies: Sequence[Policy | str] | Policy | str,
    *,
    estimates: Estimates = REQUESTED,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    out: str | Path | None = None,
    keep_going: bool = False,
    rows: bool = False,
    metrics: Sequence[Metric | Callable[["DataFrame"], float] | str] = (),
    notify: Notify = silent,
) -> Comparison:
    """Replay a workload under several policies.

    Every replay draws its random numbers from the seed alone, so that results depend neither on the
    number of processes nor on the other policies (as long as no policy is limited by time).

    Parameters
    ----------
    workload : Workload, str, Path or DataFrame
        The jobs and the machine; also the path or name of a log, or a data frame of :meth:`Workload.to_frame`.
    policies : sequence of Policy or str, Policy or str
        The policies, or their names; those of one name have to differ in their promises.
    estimates : str
        What schedulers know of run times.
    seed : int
        Seed of every replay.
    jobs : int
        Number of processes; with 1, the replays run in this one.
    progress : callable, optional
        ``progress(index, started)``, possibly called from another thread; by default, bars on standard error if that
        is a terminal.
    out : path, optional
        Folder in which every replay is stored as soon as it is finished; those that it holds are not run again.
    rows : bool
        Whether to print a line on standard error for each replay as soon as it is finished, even if that is no
        terminal.
    keep_going : bool
        Whether a failure is listed in ``failed``, and a metric that fails is NaN, instead of being raised after all
        other policies have finished.
    metrics : sequence of Metric, function or str
        Further metrics: functions of :meth:`Trace.to_frame`, or names; see :func:`make_metric`.
    notify : callable
        Called with messages for the user.

    Returns
    -------
    Comparison
        After an interrupt (Ctrl-C), the policies that finished.

    Raises
    ------
    ValueError
        If two policies have the same name, or ``jobs`` is not positive.
    ReplayError
        If a policy breaks the rules.
    MetricError
        If a metric fails, or has no value (NaN) under any policy.
    ChildProcessError
        If a policy cannot be sent to another process, or crashes it.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> comparison = pb.compare(workload, ["easy", "plan-wait"])
    >>> comparison.to_frame().index.tolist()
    ['easy', 'plan-wait']
    """
    expect_function("progress", progress, "two arguments")
    expect_function("notify", notify, "one argument")
    extra, workload = as_metrics(metrics), as_workload(workload)
    own_policies = [as_policy(policy) for policy in as_list("policies", policies)]
    names = policy_names(own_policies)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"policies: {twice[0]} is named more than once")
    seed, jobs = whole("seed", seed, most=None), whole("jobs", jobs, 1, "processes")
    check_estimates(estimates)
    tasks = [
        ReplayTask(workload, policy, estimates, seed, label=name)
        for policy, name in zip(own_policies, names, strict=True)
    ]
    workers = Workers(jobs, quiet=False, row=row_of) if rows else Workers(jobs)
    replays = run_all(tasks, workers, out, f"Comparison on {workload.name}", progress, notify)
    outcomes = {name: replays.get(index) for index, name in enumerate(names)}
    failed = {name: f for name, f in outcomes.items() if isinstance(f, Failure)}
    if not keep_going:
        for name, failure in failed.items():
            raise failure.cause(name)
    finished = {name: f for name, f in outcomes.items() if isinstance(f, FinishedReplay)}
    comparison = Comparison(
        workload,
        estimates,
        seed,
        finished,
        failed,
        tuple(name for name, outcome in outcomes.items() if outcome is None),
        extra,
        measure_extra(finished, extra, notify, keep_going),
    )
    if not keep_going and comparison.metrics_without_values:
        raise MetricError(comparison.metrics_without_values[0])
    return comparison


def policy_names(policies: Sequence[Policy]) -> list[str]:
    """Return the names of policies; those of equal names are extended by what they promise."""
    variants: dict[str, set[str]] = {}
    pairs = []
    for policy in policies:
        name, promise = policy_name(policy), getattr(policy, "promise", None)
        pairs.append((name, "no promise" if promise is None else f"promise {promise}"))
        variants.setdefault(name, set()).add(pairs[-1][1])
    return [f"{name}, {what}" if len(variants[name]) > 1 else name for name, what in pairs]


def row_of(outcome: Outcome | Failure) -> str:
    """Summarise a replay in one line."""
    if isinstance(outcome, Failure):
        return outcome.error
    mean, longest = (duration(outcome.summary[name]) for name in ("mean_wait", "max_wait"))
    return f"mean wait {mean}, maximum {longest}"


def measure_extra(
    finished: Mapping[str, FinishedReplay], extra: Sequence[Metric], notify: Notify, keep_going: bool
) -> dict[str, Mapping[str, float]]:
    """Compute further metrics of finished replays; one that fails is NaN if the others go on."""
    values: dict[str, Mapping[str, float]] = {}
    for name, replay in finished.items() if extra else ():
        jobs = replay.trace().to_frame()
        if keep_going:
            values[name] = measure(jobs, extra, notify)
        else:
            values[name] = {metric.name: metric(jobs) for metric in extra}
    return values
