"""Who gains and who loses between two policies: tables and a picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planbatch.experiments.common.table import Column, Table, time_column
from planbatch.experiments.common.text import share, slug
from planbatch.experiments.figures.style import COLOURS, FAINT, add_title, drawing, panels_of, save
from planbatch.experiments.studies.gains import Gains
from planbatch.planner.model import FloatArray

#: What groups are called.
GROUPS = {"size": "processors", "length": "walltime", "week": "week", "user": "user", "queue": "queue"}
#: How many groups of a column, those with the most jobs, and how many of the jobs that lose most, tables have.
MOST = LOSERS = 10
#: Panels side by side.
ACROSS = 3


def groups_table(gains: Gains, *, whole: bool = False, prefix: str = "") -> Table:
    """Lay out who gains and who loses by columns of :data:`GROUPS`: all groups of each, or those with the most jobs."""
    rows: list[dict[str, Any]] = []
    for column, noun in GROUPS.items():
        groups = gains.by(column)
        if len(groups) > 1:
            names = set(groups.index if whole else groups.nlargest(MOST, "jobs").index)
            rows += [
                {"group": f"{noun} {name}", "by": column, **row} for name, row in groups.iterrows() if name in names
            ]
    rows.append({"group": "all jobs", "by": "", **gains.total()})
    before, after, change, loss = _times(rows, "mean ")
    more = "" if whole else f"; of users, queues and weeks, the {MOST} with the most jobs"
    return Table(
        f"{prefix}gains-{slug(gains.after)}{'-in-full' if whole else ''}",
        f"Who gains and who loses from {gains.before} to {gains.after}{more}",
        [
            Column("group", "group"),
            Column("by", "by", only="files"),
            Column("jobs", "jobs", "{:,.0f}".format),
            before,
            after,
            change,
            Column("gain", "gain", share),
            Column("lose", "lose", share),
            loss,
        ],
        rows,
    )


def losers_table(gains: Gains, *, prefix: str = "") -> Table:
    """Lay out the jobs that lose most."""
    rows = gains.losers(LOSERS).to_dict("records")
    before, after, change, _ = _times(rows)
    columns = [
        Column("id", "job", str),
        Column("user", "user", str),
        Column("procs", "processors", "{:,}".format),
        time_column("walltime", "walltime"),
        before,
        after,
        change,
    ]
    caption = f"The {LOSERS} jobs that lose most from {gains.before} to {gains.after}"
    return Table(f"{prefix}losers-{slug(gains.after)}", caption, columns, rows)


def _times(rows: Sequence[Mapping[Any, Any]], mean: str = "") -> tuple[Column, Column, Column, Column]:
    """Return the columns of the waits, of their change and of the losses: one unit for all, since they are compared."""
    waits = [float(row[key]) for row in rows for key in ("before", "after")]
    return (
        time_column("before", f"{mean}wait before", like=waits),
        time_column("after", f"{mean}wait after", like=waits),
        time_column("change", "change", like=waits, sign=True),
        time_column("loss", "mean loss", like=waits),
    )


def write_gains(gains: Gains, path: Path) -> None:
    """Write the picture as PNG and SVG: changes by group, and how many jobs gain or lose how much."""
    with drawing(*picture_size(gains)) as figure:
        picture_of(gains, figure)
        save(figure, path)


def picture_size(gains: Gains) -> tuple[float, float]:
    """Return the size of the picture (inches), which depends on how many columns have groups."""
    return 11.0, 3.6 * -(-(1 + len(columns_of(gains))) // ACROSS)


def columns_of(gains: Gains) -> list[str]:
    """Return the columns of :data:`GROUPS` that have a panel: those with several groups, size and walltime always."""
    return [column for column in GROUPS if column in ("size", "length") or gains.jobs[column].nunique() > 1]


def picture_of(gains: Gains, figure: Figure) -> None:
    """Draw a panel for the changes job by job, and one for each column of groups, into a figure."""
    columns = columns_of(gains)
    jobs, *panels = panels_of(figure, 1 + len(columns), ACROSS)
    draw_sorted(gains, jobs)
    for column, panel in zip(columns, panels, strict=True):
        if column == "week":
            draw_weeks(gains, panel)
        else:
            draw_change(gains, column, panel)


def draw_change(gains: Gains, column: str, ax: Axes) -> None:
    """Draw the change of the mean wait of each group, or of those with the most jobs, with the share that loses."""
    groups = gains.by(column)
    largest = groups if len(groups) <= MOST else groups.nlargest(MOST, "jobs")
    largest = largest.iloc[::-1]
    hours = largest["change"].to_numpy() / 3600
    rows = np.arange(len(largest))
    ax.barh(rows, hours, color=_colours(hours), height=0.7)
    ax.set_yticks(rows, [str(name) for name in largest.index])
    ax.axvline(0, color=FAINT, linewidth=0.8)
    for row, (hour, lost) in enumerate(zip(hours, largest["lose"], strict=True)):
        ax.annotate(
            f"{lost:.0%} lose", (max(hour, 0), row), xytext=(4, 0), textcoords="offset points",
            va="center", fontsize=8, color=FAINT,
        )  # fmt: skip
    ax.margins(x=0.25)
    ax.set_xlabel("change of the mean wait (h)")
    most = "" if len(largest) == len(groups) else f"the {MOST} of {len(groups)} with the most jobs, "
    add_title(ax, f"by {GROUPS[column]}", f"{most}from {gains.before} to {gains.after}")


def draw_weeks(gains: Gains, ax: Axes) -> None:
    """Draw the change of the mean wait of the jobs of each week."""
    weeks = gains.by("week")
    hours = weeks["change"].to_numpy() / 3600
    ax.bar(weeks.index.to_numpy(), hours, width=1.0, color=_colours(hours))
    ax.axhline(0, color=FAINT, linewidth=0.8)
    ax.set_xlabel("week of the submission")
    ax.set_ylabel("change of the mean wait (h)")
    add_title(ax, "by week", f"from {gains.before} to {gains.after}")


def _colours(changes: FloatArray) -> list[str]:
    return [COLOURS[1] if change > 0 else COLOURS[0] for change in changes]


def draw_sorted(gains: Gains, ax: Axes) -> None:
    """Draw the change of every job's wait, in the order of the changes."""
    hours = np.sort(gains.jobs["change"].to_numpy()) / 3600
    shares = np.linspace(0, 100, len(hours))
    for mask, colour in ((hours <= 0, COLOURS[0]), (hours > 0, COLOURS[1])):
        ax.fill_between(shares, np.where(mask, hours, 0.0), color=colour, linewidth=0)
    ax.axhline(0, color=FAINT, linewidth=0.8)
    ax.set_yscale("symlog", linthresh=1 / 60)
    ax.set_xlabel("jobs (%), by change")
    ax.set_ylabel("change of the wait (h)")
    total = gains.total()
    add_title(ax, "job by job", f"{share(total['gain'])} gain, {share(total['lose'])} lose > 1 min")
