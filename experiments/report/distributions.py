"""The distributions of waits and slowdowns over the jobs."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from planbatch.experiments.report.cases import Runs
from planbatch.experiments.report.drawing import (
    Picture,
    finish,
    grid,
    headed,
    legend_right,
    number_text,
    styles,
    time_ticks,
)  # fmt: skip
from planbatch.experiments.report.tables import Column, Table
from planbatch.experiments.text import duration, number
from planbatch.experiments.views.comparison_pictures import left_edge
from planbatch.experiments.views.style import drawing
from planbatch.planner.model import FloatArray

#: Number of points of a curve.
POINTS = 260
PERCENTILES = (25, 50, 75, 90, 95, 99, 99.9, 100)


def curve(values: FloatArray, low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Return points of the empirical distribution function, even on a logarithmic axis, from ``low`` to ``high``."""
    at = np.geomspace(low, high, POINTS)
    reached = np.searchsorted(np.sort(values), at, side="right") / len(values)
    return at, 100 * reached


def draw_curve_panel(
    axes: Axes, values: dict[str, FloatArray], low: float, look: dict[str, dict[str, Any]]
) -> None:
    """Draw the distribution functions of several policies on one logarithmic axis."""
    high = max(2 * low, max(float(own.max()) for own in values.values()))
    for label, own in values.items():
        at, reached = curve(own, low, high)
        axes.plot(at, reached, linewidth=1.7, label=label, **look[label])
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(0, 101)
    axes.yaxis.set_major_formatter("{x:.0f}%")
    grid(axes)


def draw_distributions(runs: Runs, folder: Path | None = None) -> Picture:
    """Draw the distribution functions of waits and of bounded slowdowns."""
    look = styles(runs.case)
    waits = {label: runs.first(label).wait for label in runs.labels}
    slowdowns = {label: runs.first(label).slowdown for label in runs.labels}
    edge = float(left_edge(waits))
    with drawing(10.4, 3.9) as (figure, empty):
        empty.remove()
        left, right = figure.subplots(1, 2, sharey=True)
        draw_curve_panel(left, waits, edge, look)
        time_ticks(left.xaxis, *left.get_xlim())
        left.set_xlabel("wait")
        left.set_ylabel("jobs with at most so much")
        draw_curve_panel(right, slowdowns, 1.0, look)
        right.xaxis.set_major_locator(LogLocator(base=10))
        right.xaxis.set_major_formatter(FuncFormatter(number_text))
        right.xaxis.set_minor_locator(NullLocator())
        right.set_xlabel("bounded slowdown")
        legend_right(figure, left)
        headed(figure, f"{runs.case.title}: waits and slowdowns")
        return finish(
            figure,
            f"{runs.case.name}-distributions",
            "Waits and slowdowns",
            "The higher a curve, the more jobs fared at least so well. Both axes are logarithmic: curves "
            "begin at the share of jobs that waited hardly at all.",
            folder,
        )


def percentile_table(runs: Runs) -> Table:
    """List the percentiles of the waits."""
    columns = [
        Column("policy", "policy"),
        *(
            Column(f"wait_p{p:g}", "maximum" if p == 100 else f"{p:g}%", duration, "min")
            for p in PERCENTILES
        ),
        Column("slowdown_p50", "slowdown 50%", number, "min"),
        Column("slowdown_p95", "95%", number, "min"),
        Column("slowdown_p99", "99%", number, "min"),
    ]
    rows = []
    for label in runs.labels:
        jobs = runs.first(label)
        row: dict[str, Any] = {"policy": label}
        for p, value in zip(PERCENTILES, np.percentile(jobs.wait, PERCENTILES), strict=True):
            row[f"wait_p{p:g}"] = float(value)
        for p, value in zip((50, 95, 99), np.percentile(jobs.slowdown, (50, 95, 99)), strict=True):
            row[f"slowdown_p{p}"] = float(value)
        rows.append(row)
    caption = f"{runs.case.title}: percentiles of the wait, and of the bounded slowdown"
    return Table(f"{runs.case.name}-percentiles", caption, columns, rows)
