"""Developments over time: months, utilisation and queue length."""

from calendar import month_abbr
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, num2date
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from planbatch.experiments.common.table import Column, Table, rows_of, time_column
from planbatch.experiments.common.text import duration, number
from planbatch.experiments.figures.style import (
    FAINT,
    add_heading,
    drawing,
    grid,
    legend_right,
    number_text,
    ratio_ticks,
    time_ticks,
)
from planbatch.experiments.report.cases import Runs, months
from planbatch.experiments.report.drawing import Picture
from planbatch.experiments.report.heat_maps import LARGEST_RATIO, wait_ratios
from planbatch.experiments.runs.read import Jobs
from planbatch.planner.model import FloatArray, IntArray

#: Most bins of the pictures over time; each is a whole number of days if possible.
BINS = 180
DAY = 86400
#: How dates are written that begin a year, a month, a day, …: with the year, since no axis has a second line for it.
DATES = ["", "%Y", "%b", "%b %d", "%H:%M", "%H:%M"]
#: Months with less than this share of an average month's jobs are not drawn.
SPARSE = 0.05


def area(times: IntArray, weights: IntArray, at: FloatArray) -> FloatArray:
    """Integrate a step function that grows by ``weights`` at ``times`` (s), up to the times ``at`` (s).

    Returns Σ weight · max(0, at − time), shape (m,).
    """
    order = np.argsort(times, kind="stable")
    ordered = times[order]
    total = np.concatenate([[0], np.cumsum(weights[order])])
    moment = np.concatenate([[0.0], np.cumsum(weights[order] * ordered.astype(np.float64))])
    reached = np.searchsorted(ordered, at, side="right")
    return at * total[reached] - moment[reached]


def mean_level(begin: IntArray, end: IntArray, weights: IntArray, edges: FloatArray) -> FloatArray:
    """Average, between edges (s), the sum of the weights of everything in progress."""
    origin = edges[0]
    begin, end, edges = begin - int(origin), end - int(origin), edges - int(origin)
    integral = area(begin, weights, edges) - area(end, weights, edges)
    return np.diff(integral) / np.diff(edges)


def peak_level(begin: IntArray, end: IntArray, edges: FloatArray) -> FloatArray:
    """Return, between edges (s), the largest number in progress at once."""
    times = np.concatenate([end, begin])
    changes = np.repeat([-1, 1], len(begin))
    order = np.argsort(times, kind="stable")
    times, level = times[order], np.cumsum(changes[order])
    last = np.append(np.diff(times) > 0, True)  # the level counts after all changes of an instant
    times, level = times[last], level[last]
    # The level that a bin begins with, then those within it.
    before = np.searchsorted(times, edges[:-1], side="right") - 1
    peaks: FloatArray = np.where(before >= 0, level[before], 0).astype(np.float64)
    index = np.searchsorted(edges, times, side="right") - 1
    inside = (index >= 0) & (index < len(peaks))
    np.maximum.at(peaks, index[inside], level[inside])
    return peaks


@dataclass(frozen=True)
class Monthly:
    """Means by month of submission."""

    names: list[str]  # names of the months
    jobs: IntArray  # jobs submitted; shape (months,)
    wait: dict[str, FloatArray]  # policy → mean wait (s); NaN in months without jobs


def monthly(runs: Runs) -> Monthly:
    """Average waits over the jobs that were submitted in a month."""
    index, names = months(runs.first(runs.labels[0]).submit, runs.case.unix_start, runs.origin)
    jobs = np.bincount(index, minlength=len(names))

    def means(jobs: Jobs) -> FloatArray:
        index, _ = months(jobs.submit, runs.case.unix_start, runs.origin)
        sums = np.bincount(index, weights=jobs.wait, minlength=len(names))
        with np.errstate(invalid="ignore", divide="ignore"):
            averages: FloatArray = sums / np.bincount(index, minlength=len(names))
        return averages

    return Monthly(names, jobs, {label: runs.over_seeds(label, means) for label in runs.labels})


def monthly_table(runs: Runs, series: Monthly) -> Table:
    """List the mean waits of every month."""
    columns = [
        Column("month", "month"),
        Column("jobs", "jobs", "{:,}".format),
        *(time_column(f"{label} mean_wait", label, "min") for label in series.wait),
    ]
    waits = {f"{label} mean_wait": wait for label, wait in series.wait.items()}
    rows = rows_of({"month": series.names, "jobs": series.jobs, **waits})
    caption = f"{runs.case.title}: mean wait by month of submission"
    return Table(f"{runs.case.name}-months", caption, columns, rows)


def drawn_waits(series: Monthly) -> dict[str, FloatArray]:
    """Return the waits that are drawn: at least a second, and none for months with hardly any jobs."""
    enough = series.jobs >= SPARSE * series.jobs.mean()
    return {label: np.where(enough, np.maximum(wait, 1), np.nan) for label, wait in series.wait.items()}


def draw_monthly(runs: Runs, series: Monthly) -> Picture:
    """Draw mean waits by month, and their ratio to the reference."""
    styles = runs.case.styles
    at = np.arange(len(series.names))
    alone = runs.reference is None
    with drawing(9.6, 3.2 if alone else 5.0) as figure:
        panels = figure.subplots(1 if alone else 2, 1, squeeze=False, sharex=True)[:, 0]
        for label, wait in drawn_waits(series).items():
            marker = {"marker": "o" if len(at) < 3 else ""}
            panels[0].plot(at, wait, linewidth=1.6, label=label, **marker, **styles[label])
            if runs.reference is not None and label != runs.reference:
                ratio = wait_ratios(wait, series.wait[runs.reference])
                ratio = np.clip(ratio, 1 / LARGEST_RATIO, LARGEST_RATIO)
                panels[1].plot(at, ratio, linewidth=1.6, **marker, **styles[label])
        finish_monthly(panels, series, runs.reference)
        legend_right(figure, panels[0])
        add_heading(figure, f"{runs.case.title}: by month of submission")
        caption = "Mean wait of the jobs submitted in each month; months with hardly any jobs are left out."
        if not alone:
            caption += f" Below: its ratio to that under {runs.reference} (cut at ×{LARGEST_RATIO:g})."
        return runs.case.picture(figure, "months", "Month by month", caption)


def finish_monthly(panels: NDArray[Any], series: Monthly, reference: str | None) -> None:
    """Give the panels of the months their axes."""
    waits = np.concatenate(list(drawn_waits(series).values()))
    highest = float(np.nanmax(waits))
    panels[0].set_yscale("log")
    low = max(10.0, float(np.nanmin(np.where(waits > 0, waits, np.nan), initial=highest)) / 1.5)
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
    panels[-1].set_xticks(*month_ticks(series.names))
    panels[-1].set_xlabel("month" + ("" if series.names[0][0] != "m" else " (of 30 days)"))
    for axes in panels:
        grid(axes)


def month_ticks(names: list[str]) -> tuple[list[int], list[str]]:
    r"""Place ticks on an axis that counts months: few enough to be read, at Januaries and even parts of a year.

    >>> month_ticks(["1996-11", "1996-12", "1997-01"])
    ([0, 1, 2], ['Nov\n1996', 'Dec', 'Jan\n1997'])
    >>> month_ticks(["month 1", "month 2"])
    ([0, 1], ['1', '2'])
    """
    step = next(step for step in (1, 2, 3, 6, 12, 24, 60, 120, 10**9) if len(names) <= 12 * step)
    if names[0].startswith("month"):
        ticks = list(range(0, len(names), step))
        return ticks, [names[i].removeprefix("month ") for i in ticks]
    count = [12 * int(name[:4]) + int(name[5:]) - 1 for name in names]
    ticks = [i for i, month in enumerate(count) if month % step == 0] or [0]
    labels = []
    for i in ticks:
        text = "" if step >= 12 else month_abbr[count[i] % 12 + 1]
        year = names[i][:4] if i == ticks[0] or count[i] % 12 == 0 else ""
        labels.append("\n".join(part for part in (text, year) if part))
    return ticks, labels


def bin_edges(runs: Runs) -> FloatArray:
    """Divide the time of a case into at most ``BINS`` equal bins; beyond 30 days, of whole days."""
    last = max(int(np.quantile(runs.first(label).end, 0.9999)) for label in runs.labels)
    submitted = max(int(runs.first(label).submit.max()) for label in runs.labels)
    span = max(min(last, submitted + 30 * DAY) - runs.origin, 1)
    days = -(-span // (BINS * DAY))
    width = float(days * DAY) if span > 30 * DAY else span / BINS
    return runs.origin + width * np.arange(int(np.ceil(span / width)) + 1, dtype=np.float64)


@dataclass(frozen=True)
class Load:
    """Utilisation and waiting jobs over time."""

    edges: FloatArray  # ends of the bins (s); shape (bins + 1,)
    #: Policy → mean utilisation, mean and largest number of waiting jobs; shape (bins,).
    used: dict[str, FloatArray]
    queue: dict[str, FloatArray]
    peaks: dict[str, FloatArray]


def load_over_time(runs: Runs) -> Load:
    """Measure utilisation and the number of waiting jobs in every bin, policy by policy."""
    load = Load(bin_edges(runs), {}, {}, {})
    for label in runs.labels:
        jobs = runs.first(label)
        utilisation = mean_level(jobs.start, jobs.end, jobs.procs, load.edges) / runs.case.capacity
        load.used[label] = utilisation.clip(0, 1)
        waiting = mean_level(jobs.submit, jobs.start, np.ones_like(jobs.submit), load.edges)
        load.queue[label] = waiting.clip(0)
        load.peaks[label] = peak_level(jobs.submit, jobs.start, load.edges)
    return load


def over_time_table(runs: Runs, load: Load) -> Table:
    """List utilisation and queue length in every bin."""
    columns = [Column("begin", "begins (s)", number)]
    data = {"begin": load.edges[:-1]}
    for label in load.used:
        for name, heading, values in (
            ("utilisation", "used", load.used),
            ("waiting", "waiting", load.queue),
            ("most_waiting", "at most", load.peaks),
        ):
            columns.append(Column(f"{label} {name}", f"{label}: {heading}", number))
            data[f"{label} {name}"] = values[label]
    caption = f"{runs.case.title}: utilisation and mean number of waiting jobs over time"
    return Table(f"{runs.case.name}-load", caption, columns, rows_of(data))


def draw_load(runs: Runs, load: Load) -> Picture:
    """Draw utilisation as strips, and queue lengths as small multiples against the reference."""
    labels = runs.labels
    styles = runs.case.styles
    unix = runs.case.unix_start
    # Days after 1970 began, as matplotlib counts dates, or after the first submission.
    days = (load.edges - runs.origin if unix is None else load.edges + unix) / DAY
    down = -(-len(labels) // 2)
    with drawing(9.6, 1.4 + 0.21 * len(labels) + 1.05 * down) as figure:
        heights = [0.9 + 0.21 * len(labels), 0.5 + 1.05 * down]
        (top,), (below,) = figure.subfigures(2, 1, squeeze=False, height_ratios=heights)
        strips = top.subplots()
        image = strips.imshow(
            np.stack([load.used[label] for label in labels]), aspect="auto", interpolation="none",
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
        for index, (axes, label) in enumerate(zip(panels.flat, labels, strict=False)):
            draw_queue(axes, days, load, label, runs.reference, styles[label]["color"])
            if index + 2 >= len(labels):
                axes.tick_params(labelbottom=True)
            if unix is not None:
                date_ticks(axes.xaxis)
        if unix is None:
            below.supxlabel("days", fontsize=9)
        else:
            date_ticks(strips.xaxis)
            first, last = (str(num2date(day).date()) for day in (days[0], days[-1]))
            below.supxlabel(f"{first} to {last}, UTC", fontsize=9)
        for axes in panels.flat[len(labels) :]:
            axes.set_visible(False)
        add_heading(top, f"{runs.case.title}: utilisation, and jobs waiting")  # type: ignore[arg-type]
        width = duration(float(load.edges[1] - load.edges[0]))
        against = f"; the grey line is {runs.reference}" if runs.reference else ""
        caption = (
            f"Above: utilisation, one strip per policy. Below: jobs waiting (logarithmic above 10){against}. "
            f"Means over bins of {width}; the thin line above is the most that waited at once.{runs.which_seed}"
        )
        return runs.case.picture(figure, "load", "Utilisation and queue over time", caption)


def date_ticks(axis: Axis) -> None:
    """Give an axis of days after 1970 began its dates."""
    locator = AutoDateLocator(minticks=3, maxticks=7)
    axis.set_major_locator(locator)
    axis.set_major_formatter(ConciseDateFormatter(locator, show_offset=False, zero_formats=DATES))


def draw_queue(axes: Axes, days: FloatArray, load: Load, label: str, reference: str | None, colour: str) -> None:
    """Draw the queue length under one policy, its peaks, and the queue under the reference behind it."""
    axes.step(days[:-1], load.peaks[label], where="post", color=colour, linewidth=0.5, alpha=0.8)
    axes.fill_between(days[:-1], load.queue[label], step="post", color=colour, alpha=0.3, linewidth=0)
    axes.step(days[:-1], load.queue[label], where="post", color=colour, linewidth=1.1)
    if reference is not None and label != reference:
        axes.step(days[:-1], load.queue[reference], where="post", color=FAINT, linewidth=0.9)
    axes.set_yscale("symlog", linthresh=10)
    axes.yaxis.set_major_formatter(FuncFormatter(number_text))
    axes.set_ylim(0, max(15.0, 1.3 * max(float(levels.max()) for levels in load.peaks.values())))
    axes.set_xlim(days[0], days[-1])
    axes.set_title(label, loc="left", fontsize=9, pad=2)
    axes.tick_params(labelsize=8)
    grid(axes)
