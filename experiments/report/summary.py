"""The figures of every policy, and their change against the reference with confidence intervals."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from planbatch.experiments.common.table import Column, Table, time_column
from planbatch.experiments.common.text import change, duration, number, share
from planbatch.experiments.replay.metrics import measure_jobs
from planbatch.experiments.report.cases import Case, Runs, months
from planbatch.experiments.studies.seeds import bootstrap

#: Figures that are listed with their range over seeds.
WITH_RANGE = ("mean_wait", "max_wait")


@dataclass(frozen=True)
class Interval:
    """A ratio to the reference, with its intervals."""

    ratio: float  # mean under the policy over mean under the reference
    #: Lower and upper end of the interval over months and over seeds; NaN if there are too few.
    months: tuple[float, float]
    seeds: tuple[float, float]

    @property
    def ends(self) -> tuple[float, float]:
        """The interval that readers see: over months, which are nearly always wider, else over seeds."""
        return self.months if np.isfinite(self.months[0]) else self.seeds

    @property
    def unit(self) -> str:
        """The units that :attr:`ends` is drawn from; empty if there is no interval."""
        if np.isfinite(self.months[0]):
            return "months"
        return "seeds" if np.isfinite(self.seeds[0]) else ""


@dataclass(frozen=True)
class Line:
    """The summary of one policy on one workload."""

    label: str
    figures: dict[str, float]  # means over the seeds; see :class:`Metrics`
    #: Against the reference.
    wait: Interval | None
    slowdown: Interval | None
    seeds: int  # how many
    #: Mean and longest wait, if there are several seeds: the least and the largest of a seed (s).
    ranges: dict[str, tuple[float, float]]


def compare(runs: Runs, label: str, column: str) -> Interval | None:
    """Compare a policy with the reference by the mean of a column of :class:`Jobs`, job by job and seed by seed."""
    above, below, per_seed = [], [], []
    for seed, jobs in runs.jobs[label].items():
        other = runs.reference_jobs(label, seed)
        if other is None:
            continue
        mine, theirs = getattr(jobs, column), getattr(other, column)
        index, _ = months(jobs.submit, runs.case.unix_start, runs.origin)
        above.append(np.bincount(index, weights=mine))
        below.append(np.bincount(index, weights=theirs))
        per_seed.append((mine.sum(), theirs.sum()))
    if not above or sum(reference for _, reference in per_seed) <= 0:
        return None
    monthly = np.sum(above, axis=0), np.sum(below, axis=0)
    has_jobs = monthly[1] + monthly[0] > 0
    seeds = np.array(per_seed)
    alike = bool((seeds == seeds[0]).all())  # no seed makes a difference: nothing to draw from
    return Interval(
        float(seeds[:, 0].sum() / seeds[:, 1].sum()),
        bootstrap(monthly[0][has_jobs], monthly[1][has_jobs]),
        (float("nan"), float("nan")) if alike else bootstrap(seeds[:, 0], seeds[:, 1]),
    )


def summarise(runs: Runs) -> list[Line]:
    """Summarise every policy of a case."""
    lines = []
    for label in runs.labels:
        by_seed = runs.jobs[label]
        each = [measure_jobs(jobs, runs.case.capacity).as_dict() for jobs in by_seed.values()]
        compared = label != runs.reference
        several = {name: [figures[name] for figures in each] for name in WITH_RANGE if len(each) > 1}
        lines.append(
            Line(
                label,
                {name: float(np.mean([figures[name] for figures in each])) for name in each[0]}
                | dict(runs.case.further.get(label, {})),
                compare(runs, label, "wait") if compared else None,
                compare(runs, label, "slowdown") if compared else None,
                len(by_seed),
                {name: (min(values), max(values)) for name, values in several.items()},
            )
        )
    return lines


def ratio_change(value: float) -> str:
    """Write a ratio as a change."""
    return change(value, 1.0)


def interval_text(ends: tuple[float, float]) -> str:
    """Write an interval of ratios as changes."""
    low, high = (round(100 * (end - 1)) for end in ends)
    return f"{low:+,d} … {high:+,d}%"


def range_text(ends: tuple[float, float]) -> str:
    """Write the least and the largest of some durations."""
    return f"{duration(ends[0])} … {duration(ends[1])}"


def summary_table(case: Case, lines: list[Line]) -> Table:
    """Lay out the summary of a case; intervals are pairs, of which CSV files have both ends."""
    columns = [
        Column("policy", "policy"),
        time_column("mean_wait", "mean wait", "min"),
        Column("mean_wait_range", "of the seeds", range_text),
        Column("wait_ratio", "change", ratio_change),
        Column("wait_interval", "95% interval", interval_text, only="readers"),
        Column("wait_months", only="files"),
        Column("wait_seeds", only="files"),
        Column("median_wait", only="files"),
        time_column("p95_wait", "95% wait", "min"),
        time_column("max_wait", "max. wait", "min"),
        Column("max_wait_range", "of the seeds", range_text),
        Column("mean_bounded_slowdown", "slowdown", number, best="min"),
        Column("slowdown_ratio", "change", ratio_change),
        Column("slowdown_months", only="files"),
        Column("slowdown_seeds", only="files"),
        Column("utilisation", "used", share, best="max"),
        *(metric.column() for metric in case.metrics),
        Column("seeds", "seeds", "{:,.0f}".format),
    ]
    rows = [row_of(line) for line in lines]
    empty = {column.key for column in columns if all(column.key not in row for row in rows)}
    if all(line.seeds == 1 for line in lines):
        empty.add("seeds")
    against = f"; changes are against {case.reference}" if case.reference else ""
    units = {line.wait.unit for line in lines if line.wait is not None} - {""}
    if units:
        against += f", intervals over {' or '.join(sorted(units))}"
    caption = f"{case.title}: {lines[0].figures['jobs']:,.0f} jobs on {case.capacity:,} processors{against}"
    visible = [column for column in columns if column.key not in empty]
    return Table(f"{case.name}-summary", caption, visible, rows)


def row_of(line: Line) -> dict[str, Any]:
    """Return the values of a line; unknown ones are left out."""
    row: dict[str, Any] = {"policy": line.label, **line.figures, "seeds": line.seeds}
    row |= {f"{name}_range": ends for name, ends in line.ranges.items()}
    for name, interval in (("wait", line.wait), ("slowdown", line.slowdown)):
        if interval is not None:
            row[f"{name}_ratio"] = interval.ratio
            ends = {"interval": interval.ends, "months": interval.months, "seeds": interval.seeds}
            row |= {f"{name}_{unit}": pair for unit, pair in ends.items() if np.isfinite(pair[0])}
    return {key: value for key, value in row.items() if value == value}
