"""Who gains and who loses between two policies: tables for the terminal, and a picture."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich import box
from rich.table import Table

from planbatch.experiments.common.text import duration, share
from planbatch.experiments.figures.style import COLOURS, FAINT, drawing, panels_of, save, titled
from planbatch.experiments.studies.gains import Gains

#: What groups are called.
GROUPS = {
    "size": "processors",
    "length": "walltime",
    "week": "week",
    "user": "user",
    "queue": "queue",
}
#: Users are as many as a table can bear: those with the most jobs.
MOST = 10
COLUMNS = ("jobs", "wait before", "wait after", "change", "gain", "lose", "mean loss")


def gains_table(gains: Gains, column: str) -> Table:
    """Lay out who gains and who loses by one column of :class:`Gains`; at most ten groups, those with the most jobs."""
    table = Table(
        GROUPS[column], *COLUMNS, box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), title_justify="left",
        title=f"From {gains.before} to {gains.after}, by {GROUPS[column]}",
    )  # fmt: skip
    groups = gains.by(column)
    chosen = groups.nlargest(MOST, "jobs").index
    rows = [(str(name), row) for name, row in groups.iterrows() if name in chosen]
    for name, row in [*rows, ("all", gains.total())]:
        loss = row["loss"]
        table.add_row(
            name,
            f"{row['jobs']:,.0f}",
            duration(row["before"]),
            duration(row["after"]),
            signed(row["change"]),
            share(row["gain"]),
            share(row["lose"]),
            duration(loss) if loss == loss else "–",
        )
    return table


def losers_table(gains: Gains, count: int = 10) -> Table:
    """Lay out the jobs that lose most."""
    table = Table(
        "job", "user", "processors", "walltime", "wait before", "wait after", "change",
        box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), title_justify="left",
        title=f"The {count} jobs that lose most",
    )  # fmt: skip
    for job in gains.losers(count).to_dict("records"):
        table.add_row(
            str(job["id"]),
            str(job["user"]),
            f"{job['procs']:,}",
            *(duration(job[name]) for name in ("walltime", "before", "after")),
            signed(job["change"]),
        )
    return table


def signed(seconds: float) -> str:
    """Write a change of a duration.

    >>> signed(-7200.0), signed(30.0), signed(0.0)
    ('-2.0 h', '+30 s', '0 s')
    """
    sign = "-" if seconds < 0 else "+" if round(seconds) > 0 else ""
    return sign + duration(abs(seconds))


def write_gains(gains: Gains, path: Path) -> None:
    """Write the picture as PNG and SVG: changes by size and by walltime, and how many jobs gain or lose how much."""
    with drawing(11.0, 3.6) as (figure, empty):
        empty.remove()
        picture_of(gains, figure)
        save(figure, path)


def picture_of(gains: Gains, figure: Figure) -> None:
    """Draw the three panels into a figure."""
    sizes, lengths, jobs = panels_of(figure, 3, 3)
    draw_change(gains, "size", sizes)
    draw_change(gains, "length", lengths)
    draw_sorted(gains, jobs)


def draw_change(gains: Gains, column: str, ax: Axes) -> None:
    """Draw the change of the mean wait of each group as a bar, with the share of its jobs that lose."""
    groups = gains.by(column).iloc[::-1]
    hours = groups["change"].to_numpy() / 3600
    colours = np.where(hours > 0, COLOURS[1], COLOURS[0])
    places = np.arange(len(groups))
    ax.barh(places, hours, color=colours.tolist(), height=0.7)
    ax.set_yticks(places, [str(name) for name in groups.index])
    ax.axvline(0, color=FAINT, linewidth=0.8)
    for place, (hour, lost) in enumerate(zip(hours, groups["lose"], strict=True)):
        ax.annotate(
            f"{lost:.0%} lose", (max(hour, 0), place), xytext=(4, 0), textcoords="offset points",
            va="center", fontsize=8, color=FAINT,
        )  # fmt: skip
    ax.margins(x=0.25)
    ax.set_xlabel("change of the mean wait (h)")
    titled(ax, f"by {GROUPS[column]}", f"from {gains.before} to {gains.after}")


def draw_sorted(gains: Gains, ax: Axes) -> None:
    """Draw the change of every job's wait, in the order of the changes."""
    hours = np.sort(gains.jobs["change"].to_numpy()) / 3600
    shares = np.linspace(0, 100, len(hours))
    for chosen, colour in ((hours <= 0, COLOURS[0]), (hours > 0, COLOURS[1])):
        ax.fill_between(shares, np.where(chosen, hours, 0.0), color=colour, linewidth=0)
    ax.axhline(0, color=FAINT, linewidth=0.8)
    ax.set_yscale("symlog", linthresh=1 / 60)
    ax.set_xlabel("jobs (%), by change")
    ax.set_ylabel("change of the wait (h)")
    total = gains.total()
    titled(ax, "job by job", f"{share(total['gain'])} gain, {share(total['lose'])} lose > 1 min")
