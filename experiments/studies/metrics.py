"""The metrics by name, and how they are computed for finished replays."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, SupportsFloat

from planbatch.experiments.common.table import Column, time_column
from planbatch.experiments.common.text import Notify, duration, number, share
from planbatch.experiments.replay.metrics import measure_jobs
from planbatch.experiments.studies.waits import (
    area_weighted_response,
    first_plan_delay,
    first_plan_error,
    no_wait,
    p2sf,
    prediction_error,
    share_of_starts,
    size_wait,
    underestimated,
    user_fairness,
    wait_percentile,
)
from planbatch.planner.arguments import as_list
from planbatch.planner.failures import text_of
from planbatch.planner.registry.registry import Registry
from planbatch.planner.registry.source import user_location

if TYPE_CHECKING:
    from pandas import DataFrame

#: The policy that others are compared with.
REFERENCE = "easy"
#: How values are written, by the unit of their metric.
_FORMATS: dict[str, Callable[[float], str]] = {"s": duration, "share": share, "": number}
#: The units of metrics that have one.
_UNITS = {
    **dict.fromkeys(
        ("mean-wait", "median-wait", "max-wait", "mean-response", "makespan", "wait-percentile", "p50-wait",
         "p90-wait", "p95-wait", "p99-wait", "size-wait", "area-weighted-response", "p2sf", "first-plan-delay",
         "first-plan-error"), "s",
    ),
    "utilisation": "share",
    "no-wait": "share",
    **{f"{plan}-plan-{how}": "share" for plan in ("first", "last") for how in ("within", "late", "early")},
    "prediction-error": "share",
    "underestimated": "share",
}  # fmt: skip
#: Metrics of which more is better.
_MORE_IS_BETTER = frozenset({"utilisation", "no-wait"})


class MetricError(ValueError):
    """A metric raised, or returned something that is not a number."""


@dataclass(frozen=True)
class Metric:
    """A figure of a finished replay.

    Attributes
    ----------
    name : str
        Its name in tables.
    function : callable
        ``function(jobs) -> float``; ``jobs`` is a data frame with one row per job, see :meth:`Trace.to_frame`.
    unit : {"s", "share", ""}
        How values are written: as durations, in percent, or as numbers.
    more_is_better : bool
        Whether ``planbatch tune`` looks for a high value.
    """

    name: str
    function: Callable[["DataFrame"], float]
    unit: str = ""
    more_is_better: bool = False

    def __call__(self, jobs: "DataFrame") -> float:
        """Compute the metric; ``MetricError`` names it, and the line that raised, if there is no number."""
        try:
            value = self.function(jobs)
        except Exception as error:
            place = user_location(error)
            where = f" ({place[0]}, line {place[1]})" if place else ""
            raise MetricError(f"metric {self.name}: {type(error).__name__}: {text_of(error)}{where}") from error
        try:
            if isinstance(value, SupportsFloat):  # a text is no number
                return float(value)
        except (TypeError, ValueError):
            pass
        raise MetricError(f"metric {self.name}: it returned {type(value).__name__}, not a number")

    def written(self, value: float) -> str:
        """Write a value for people; a dash for none."""
        return "–" if math.isnan(value) else _FORMATS[self.unit](value)

    def column(self, heading: str = "") -> Column:
        """Return the column of a table of its values; by default, under its name."""
        heading = heading or self.name
        if self.unit == "s":
            return time_column(self.name, heading)
        return Column(self.name, heading, _FORMATS[self.unit])


def _of_summary(name: str, about: str) -> Callable[["DataFrame"], float]:
    """Return a metric of every summary (:class:`Metrics`) as a function of a frame."""

    def metric(jobs: "DataFrame") -> float:
        return float(getattr(measure_jobs(jobs, jobs.attrs["capacity"]), name))

    metric.__doc__ = about
    return metric


def _percentile(q: int) -> Callable[["DataFrame"], float]:
    def metric(jobs: "DataFrame") -> float:
        return wait_percentile(jobs, q)

    metric.__doc__ = f"The wait that {q} % of the jobs do not exceed, in seconds."
    return metric


#: The metrics of planbatch.
METRICS: dict[str, Callable[..., float]] = {
    "mean-wait": _of_summary("mean_wait", "The mean wait, in seconds."),
    "median-wait": _of_summary("median_wait", "The median of the waits, in seconds."),
    "max-wait": _of_summary("max_wait", "The longest wait, in seconds."),
    "mean-response": _of_summary("mean_response", "The mean of wait + run time, in seconds."),
    "bounded-slowdown": _of_summary("mean_bounded_slowdown", "The mean of max(1, (wait + run) / max(run, 10 s))."),
    "stretch": _of_summary("mean_stretch", "The mean of (wait + walltime) / walltime."),
    "makespan": _of_summary("makespan", "Last end − first submission, in seconds."),
    "utilisation": _of_summary("utilisation", "Processor-seconds run / (capacity × makespan)."),
    "wait-percentile": wait_percentile,
    **{f"p{q}-wait": _percentile(q) for q in (50, 90, 95, 99)},
    "no-wait": no_wait,
    "size-wait": size_wait,
    "area-weighted-response": area_weighted_response,
    "p2sf": p2sf,
    "first-plan-delay": first_plan_delay,
    "first-plan-error": first_plan_error,
    **{
        f"{plan}-plan-{where}": share_of_starts(plan, where)
        for plan in ("first", "last")
        for where in ("within", "late", "early")
    },
    "user-fairness": user_fairness,
    "prediction-error": prediction_error,
    "underestimated": underestimated,
}


def _accept(function: object, name: str, values: tuple[Any, ...]) -> Metric:
    if isinstance(function, Metric):
        return function
    if not callable(function):
        raise ValueError(f"metric: {function!r} is neither a function nor a name")
    base = name.partition(":")[0]
    unit = _UNITS.get(base, getattr(function, "unit", ""))
    more_is_better = base in _MORE_IS_BETTER or bool(getattr(function, "more_is_better", False))
    if unit not in _FORMATS:
        raise ValueError(f'metric {name}: its unit {unit!r} is none of "s", "share" and ""')
    if values:
        keywords = [parameter.name for parameter in METRIC_NAMES.settings(function)]
        built_in = function in METRICS.values()
        function = partial(function, **dict(zip(keywords, values, strict=True)))
        if built_in:
            try:  # a parameter out of its range is an error before any replay
                function(_one_job())
            except ValueError as error:
                raise ValueError(f"metric {name}: {error}") from None
    return Metric(name, function, unit, more_is_better)


#: The metrics by name, packages' and users' own among them.
METRIC_NAMES = Registry("metric", METRICS, ("jobs",), _accept, "metrics")


def _one_job() -> "DataFrame":
    """Return the frame of a replay of one job, which starts at once."""
    import pandas as pd

    columns = ("submit", "start", "wait", "procs", "runtime", "first_planned", "last_planned")
    return pd.DataFrame({name: [int(name in ("procs", "runtime"))] for name in columns})


def make_metric(name: str) -> Metric:
    """Make the metric of a name: ``p95-wait``, ``size-wait:1-8``, or a user's own, ``FILE.py:name``.

    ``ValueError`` if there is none of this name (the message suggests the nearest), or a parameter is wrong.
    """
    return METRIC_NAMES.make(name)  # type: ignore[no-any-return]


def as_metrics(metrics: Sequence["Metric | Callable[[DataFrame], float] | str"]) -> tuple[Metric, ...]:
    """Make metrics of names and functions; ``ValueError`` if there is none of a name, or two have the same."""
    converted = tuple(
        make_metric(metric)
        if isinstance(metric, str)
        else _accept(metric, getattr(metric, "__name__", "metric").replace("_", "-"), ())
        for metric in as_list("metrics", metrics, least=0)
    )
    names = [metric.name for metric in converted]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"metric: {twice} is given more than once")
    return converted


def measure(jobs: "DataFrame", metrics: Sequence[Metric], notify: Notify) -> Mapping[str, float]:
    """Compute metrics of one replay; one that fails is NaN, and its message goes to ``notify``."""
    values = {}
    for metric in metrics:
        try:
            values[metric.name] = metric(jobs)
        except MetricError as error:
            notify(f"planbatch: {jobs.attrs['policy']}: {error}")
            values[metric.name] = math.nan
    return values
