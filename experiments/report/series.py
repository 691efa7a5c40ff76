"""Developments over time: months, utilisation and queue length."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from planbatch.experiments.report.cases import Runs, months
from planbatch.experiments.report.drawing import (
    Picture,
    finish,
    grid,
    headed,
    legend_right,
    number_text,
    ratio_ticks,
    styles,
    time_ticks,
)  # fmt: skip
from planbatch.experiments.report.tables import Column, Table
from planbatch.experiments.results.read import Jobs
from planbatch.experiments.text import duration, number
from planbatch.experiments.views.style import FAINT, drawing
from planbatch.planner.model import FloatArray, IntArray

#: Most bins of the pictures over time; each is a whole number of days if possible.
BINS = 180
DAY = 86400
#: Ratios to the reference beyond this factor are drawn at it.
LARGEST_RATIO = 8.0
#: Ratios are drawn if the mean wait reaches this under one of the two policies (s).
SHORTEST = 60.0
#: Months with less than this share of an average month's jobs are not drawn.
SPARSE = 0.05


def area(times: IntArray, weights: IntArray, at: FloatArray) -> FloatArray:
    """Integrate a step function that grows by a weight at each time.

    Parameters
    ----------
    times, weights : int64 arrays, shape (n,)
        Times at which the function grows (s), and by how much.
    at : float64 array, shape (m,)
        Upper ends of the integrals (s).

    Returns
    -------
    float64 array, shape (m,)
        Σ weight · max(0, at − time).
    """
    order = np.argsort(times, kind="stable")
    ordered = times[order]
    total = np.concatenate([[0], np.cumsum(weights[order])])
    moment = np.concatenate([[0.0], np.cumsum(weights[order] * ordered.astype(np.float64))])
    reached = np.searchsorted(ordered, at, side="right")
    result: FloatArray = at * total[reached] - moment[reached]
    return result


def mean_level(begin: IntArray, end: IntArray, weights: IntArray, edges: FloatArray) -> FloatArray:
    """Average, between edges (s), the sum of the weights of what has begun but not ended."""
    origin = edges[0]
    begin, end, edges = begin - int(origin), end - int(origin), edges - int(origin)
    integral = area(begin, weights, edges) - area(end, weights, edges)
    result: FloatArray = np.diff(integral) / np.diff(edges)
    return result


@dataclass(frozen=True)
class Monthly:
    """Means by month of submission.

    Attributes
    ----------
    names : list of str
        Names of the months.
    jobs : int64 array, shape (months,)
        Jobs submitted.
    wait, slowdown : dict of str to float64 array
        Policy → mean wait (s) and mean bounded slowdown; NaN in months without jobs.
    """

    names: list[str]
    jobs: IntArray
    wait: dict[str, FloatArray]
    slowdown: dict[str, FloatArray]


def monthly(runs: Runs) -> Monthly:
    """Average waits and slowdowns over the jobs that were submitted in a month."""
    index, names = months(runs.case, runs.first(runs.labels[0]).submit, runs.origin)
    jobs = np.bincount(index, minlength=len(names))
    wait: dict[str, FloatArray] = {}
    slowdown: dict[str, FloatArray] = {}
    for label in runs.labels:
        own = runs.first(label)
        index, _ = months(runs.case, own.submit, runs.origin)
        with np.errstate(invalid="ignore", divide="ignore"):
            for store, values in ((wait, own.wait), (slowdown, own.slowdown)):
                sums = np.bincount(index, weights=values, minlength=len(names))
                store[label] = sums / np.bincount(index, minlength=len(names))
    return Monthly(names, jobs, wait, slowdown)


def monthly_table(runs: Runs, series: Monthly) -> Table:
    """List the mean waits of every month."""
    columns = [
        Column("month", "month"),
        Column("jobs", "jobs", lambda value: f"{value:,}"),
        *(Column(f"{label} mean_wait", label, duration, "min") for label in series.wait),
    ]
    rows: list[dict[str, Any]] = [
        {"month": name, "jobs": int(series.jobs[i])}
        | {f"{label} mean_wait": float(wait[i]) for label, wait in series.wait.items()}
        for i, name in enumerate(series.names)
    ]
    caption = f"{runs.case.title}: mean wait by month of submission"
    return Table(f"{runs.case.name}-months", caption, columns, rows)


def drawn_waits(series: Monthly) -> dict[str, FloatArray]:
    """Return the waits that are drawn: at least a second, and none for months with hardly any jobs."""
    enough = series.jobs >= SPARSE * series.jobs.mean()
    return {
        label: np.where(enough, np.maximum(wait, 1), np.nan) for label, wait in series.wait.items()
    }


def draw_monthly(runs: Runs, series: Monthly, folder: Path | None = None) -> Picture:
    """Draw mean waits by month, and their ratio to the reference."""
    look = styles(runs.case)
    at = np.arange(len(series.names))
    alone = runs.reference is None
    with drawing(9.6, 3.2 if alone else 5.0) as (figure, empty):
        empty.remove()
        panels = figure.subplots(1 if alone else 2, 1, squeeze=False, sharex=True)[:, 0]
        for label, wait in drawn_waits(series).items():
            marker = {"marker": "o" if len(at) < 3 else ""}
            panels[0].plot(at, wait, linewidth=1.6, label=label, **marker, **look[label])
            if runs.reference is not None and label != runs.reference:
                base = series.wait[runs.reference]
                # A ratio of very short waits means nothing.
                enough = np.fmax(wait, base) >= SHORTEST
                ratio = np.where(enough, (wait + 1) / (base + 1), np.nan)
                ratio = np.clip(ratio, 1 / LARGEST_RATIO, LARGEST_RATIO)
                panels[1].plot(at, ratio, linewidth=1.6, **marker, **look[label])
        finish_monthly(panels, series, runs.reference)
        legend_right(figure, panels[0])
        headed(figure, f"{runs.case.title}: by month of submission")
        return finish(
            figure,
            f"{runs.case.name}-months",
            "Month by month",
            "Mean wait of the jobs submitted in each month; months with hardly any jobs are left out."
            + (
                ""
                if alone
                else f" Below: its ratio to that under {runs.reference} (cut at ×{LARGEST_RATIO:g})."
            ),
            folder,
        )


def finish_monthly(panels: Any, series: Monthly, reference: str | None) -> None:
    """Give the panels of the months their axes."""
    shown = np.concatenate(list(drawn_waits(series).values()))
    highest = float(np.nanmax(shown))
    panels[0].set_yscale("log")
    low = max(10.0, float(np.nanmin(np.where(shown > 0, shown, np.nan), initial=60)) / 1.5)
    panels[0].set_ylim(low, max(highest, 10 * low) * 1.4)
    time_ticks(panels[0].yaxis, *panels[0].get_ylim())
    panels[0].set_ylabel("mean wait")
    if reference is not None:
        panels[1].set_yscale("log")
        low, high = panels[1].get_ylim()
        panels[1].set_ylim(min(low, 0.45), max(high, 2.2))
        ratio_ticks(panels[1].yaxis, *panels[1].get_ylim())
        panels[1].axhline(1, color=FAINT, linewidth=1)
        panels[1].set_ylabel(f"ratio to {reference}")
    step = max(1, -(-len(series.names) // 12))
    panels[-1].set_xticks(
        range(0, len(series.names), step),
        [name.removeprefix("month ") for name in series.names[::step]],
    )
    panels[-1].set_xlabel("month" + ("" if series.names[0][0] != "m" else " (of 30 days)"))
    for axes in panels:
        grid(axes)


def bin_edges(runs: Runs) -> FloatArray:
    """Divide the time of a case into at most ``BINS`` equal bins; beyond 30 days, of whole days."""
    last = max(int(np.quantile(runs.first(label).end, 0.9999)) for label in runs.labels)
    submitted = max(int(runs.first(label).submit.max()) for label in runs.labels)
    span = max(min(last, submitted + 30 * DAY) - runs.origin, 1)
    days = -(-span // (BINS * DAY))
    width = float(days * DAY) if span > 30 * DAY else span / BINS
    edges: FloatArray = runs.origin + width * np.arange(
        int(np.ceil(span / width)) + 1, dtype=np.float64
    )
    return edges


def load_over_time(
    runs: Runs, edges: FloatArray
) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """Average utilisation and the number of waiting jobs in every bin, policy by policy."""
    used, queue = {}, {}
    for label in runs.labels:
        jobs: Jobs = runs.first(label)
        used[label] = (
            mean_level(jobs.start, jobs.end, jobs.procs, edges) / runs.case.capacity
        ).clip(0, 1)
        queue[label] = mean_level(jobs.submit, jobs.start, np.ones_like(jobs.submit), edges).clip(0)
    return used, queue


def over_time_table(
    runs: Runs, edges: FloatArray, used: dict[str, FloatArray], queue: dict[str, FloatArray]
) -> Table:
    """List utilisation and queue length in every bin."""
    columns = [Column("begin", "begins (s)", number)]
    for label in used:
        columns.append(Column(f"{label} utilisation", f"{label}: used", number))
        columns.append(Column(f"{label} waiting", f"{label}: waiting", number))
    rows = [
        {"begin": float(begin)}
        | {f"{label} utilisation": float(used[label][i]) for label in used}
        | {f"{label} waiting": float(queue[label][i]) for label in used}
        for i, begin in enumerate(edges[:-1])
    ]
    caption = f"{runs.case.title}: utilisation and mean number of waiting jobs over time"
    return Table(f"{runs.case.name}-load", caption, columns, rows)


def draw_load(
    runs: Runs,
    edges: FloatArray,
    used: dict[str, FloatArray],
    queue: dict[str, FloatArray],
    folder: Path | None = None,
) -> Picture:
    """Draw utilisation as strips, and queue lengths as small multiples against the reference."""
    labels = runs.labels
    look = styles(runs.case)
    days = (edges - runs.origin) / DAY
    down = -(-len(labels) // 2)
    with drawing(9.6, 1.4 + 0.21 * len(labels) + 1.05 * down) as (figure, empty):
        empty.remove()
        heights = [0.9 + 0.21 * len(labels), 0.5 + 1.05 * down]
        parts: Any = figure.subfigures(2, 1, height_ratios=heights)
        top, below = parts
        strips = top.subplots()
        image = strips.imshow(
            np.stack([used[label] for label in labels]), aspect="auto", interpolation="none",
            cmap="viridis", vmin=0, vmax=1, extent=(days[0], days[-1], len(labels) - 0.5, -0.5),
        )  # fmt: skip
        strips.set_yticks(range(len(labels)), labels)
        strips.tick_params(axis="y", length=0, labelsize=9)
        for side in strips.spines.values():
            side.set_visible(False)
        strips.set_title("utilisation", loc="left", fontsize=9.5, color=FAINT)
        bar = top.colorbar(image, ax=strips, pad=0.01, aspect=10)
        bar.outline.set_visible(False)  # type: ignore[operator]
        bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f}%"))
        panels = below.subplots(down, 2, squeeze=False, sharex=True, sharey=True)
        for place, (axes, label) in enumerate(zip(panels.flat, labels, strict=False)):
            draw_queue(axes, days, queue, label, runs.reference, look[label]["color"])
            if place + 2 >= len(labels):
                axes.tick_params(labelbottom=True)
                axes.set_xlabel("days", fontsize=9)
        for axes in panels.flat[len(labels) :]:
            axes.set_visible(False)
        headed(top, f"{runs.case.title}: utilisation, and jobs waiting")  # type: ignore[arg-type]
        width = duration(float(edges[1] - edges[0]))
        against = f"; the grey line is {runs.reference}" if runs.reference else ""
        return finish(
            figure,
            f"{runs.case.name}-load",
            "Utilisation and queue over time",
            f"Above: utilisation, a strip a policy. Below: jobs waiting (logarithmic above 10){against}. "
            f"Means over bins of {width}.",
            folder,
        )


def draw_queue(
    axes: Axes,
    days: FloatArray,
    queue: dict[str, FloatArray],
    label: str,
    reference: str | None,
    colour: str,
) -> None:
    """Draw the queue length under one policy, and under the reference behind it."""
    axes.fill_between(days[:-1], queue[label], step="post", color=colour, alpha=0.3, linewidth=0)
    axes.step(days[:-1], queue[label], where="post", color=colour, linewidth=1.1)
    if reference is not None and label != reference:
        axes.step(days[:-1], queue[reference], where="post", color=FAINT, linewidth=0.9)
    axes.set_yscale("symlog", linthresh=10)
    axes.yaxis.set_major_formatter(FuncFormatter(number_text))
    axes.set_ylim(0, max(15.0, 1.3 * max(float(levels.max()) for levels in queue.values())))
    axes.set_xlim(days[0], days[-1])
    axes.set_title(label, loc="left", fontsize=9, pad=2)
    axes.tick_params(labelsize=8)
    grid(axes)
