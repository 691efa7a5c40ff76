"""The figures of N'takpé and Suter 2017 as pictures."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.ticker import MultipleLocator

from planbatch.experiments.figures.style import COLOURS, FAINT
from planbatch.experiments.reproduce.ntakpe_2017.measures import (
    Study,
    peak,
    stretch,
    use_of_deadlines,
    violations,
)
from planbatch.experiments.reproduce.ntakpe_2017.paper import SHARES
from planbatch.experiments.reproduce.panels import (
    draw_distributions,
    draw_lines,
    finish,
    name_panel,
    panels,
)
from planbatch.experiments.workloads.deadlines import HOUR


def draw_all(studies: list[Study], folder: Path) -> list[str]:
    """Draw Figures 1 to 7 as PNG and SVG; return their names."""
    draw_arrivals(studies, folder / "figure-1")
    draw_lines(
        folder / "figure-2",
        "Figure 2: mean wait of regular jobs (those that wait under some policy)",
        "mean wait (h)",
        SHARES,
        over_shares(studies, regular_waits),
    )
    draw_distributions(
        folder / "figure-3",
        "Figure 3: waiting times of regular jobs (those that wait under some policy)",
        {
            (one.name, f"{share}%"): {
                name: wait.astype(float)
                for name, wait in one.waits(share).items()
                if name != "CBF re-planned"
            }
            for one in studies
            for share in SHARES
        },
    )
    draw_lines(
        folder / "figure-4",
        "Figure 4: mean wait of all jobs",
        "mean wait (min)",
        SHARES,
        over_shares(studies, all_waits),
    )
    draw_lines(
        folder / "figure-5",
        "Figure 5: maximum stretch of regular jobs",
        "maximum stretch",
        SHARES,
        over_shares(studies, largest_stretches),
        logarithmic=True,
    )
    draw_violations(studies, folder / "figure-6")
    draw_use(studies, folder / "figure-7")
    return [f"figure-{number}" for number in (1, 2, 3, 4, 5, 6, 7)]


def over_shares(
    studies: list[Study], figures_of: Callable[[Study, int], dict[str, float]]
) -> dict[str, dict[str, list[float]]]:
    """Return a value of every policy as lines over the shares: log → policy → one number per share."""
    lines: dict[str, dict[str, list[float]]] = {}
    for one in studies:
        policies = lines.setdefault(one.name, {})
        for share in SHARES:
            for name, value in figures_of(one, share).items():
                policies.setdefault(name, []).append(value)
    return lines


def regular_waits(one: Study, share: int) -> dict[str, float]:
    """Return the mean wait (h) of the regular jobs that the paper considers."""
    return {name: float(wait.mean()) / HOUR for name, wait in one.waits(share).items()}


def all_waits(one: Study, share: int) -> dict[str, float]:
    """Return the mean wait (min) of all jobs."""
    return {
        name: float((trace.start - trace.workload.submit).mean()) / 60
        for name, trace in one.traces(share).items()
    }


def largest_stretches(one: Study, share: int) -> dict[str, float]:
    """Return the largest stretch of the regular jobs."""
    return {
        name: float(stretch(trace)[one.regular(share)].max())
        for name, trace in one.traces(share).items()
        if name != "CBF re-planned"
    }


def draw_arrivals(studies: list[Study], path: Path) -> None:
    """Draw the submissions by hour of the day, with the hours above average shaded."""
    with panels(1, len(studies), (2.9, 2.5), "Figure 1: daily job arrival") as (figure, axes):
        for panel, one in zip(axes[0], studies, strict=True):
            mean = float(one.arrivals.mean())
            panel.axvspan(*peak(one.arrivals), color="#EDEDED", zorder=0)
            panel.axhline(mean, color=FAINT, linewidth=1)
            panel.stairs(one.arrivals, range(25), color=COLOURS[0], linewidth=1.8)
            panel.set_xlim(0, 24)
            panel.set_ylim(bottom=0)
            panel.set_xticks([0, 6, 9, 12, 18, 24])
            panel.set_xlabel("hour (grey: above average)")
            name_panel(panel, one.name)
        axes[0][0].set_ylabel("jobs submitted in an hour")
        finish(figure, axes[0][0], path)


def draw_violations(studies: list[Study], path: Path) -> None:
    """Draw the missed deadlines as bars, those of 24 h below those of ten walltimes."""
    title = "Figure 6: deadlines that DBF misses"
    with panels(1, len(studies), (2.9, 2.5), title) as (figure, axes):
        for panel, one in zip(axes[0], studies, strict=True):
            counts = np.array([violations(one.dbf[share]) for share in SHARES])
            at = np.arange(len(SHARES))
            panel.bar(at, counts[:, 0], color=COLOURS[0], width=0.6, label="24 h")
            panel.bar(
                at,
                counts[:, 1],
                bottom=counts[:, 0],
                color=COLOURS[1],
                width=0.6,
                label="10 × walltime",
            )
            for x, total in zip(at, counts.sum(axis=1), strict=True):
                panel.annotate(f"{total}", (x, total), ha="center", va="bottom", fontsize=9)
            panel.set_xticks(at, [f"{share}%" for share in SHARES])
            panel.grid(axis="x", visible=False)
            panel.set_ylim(0, 1.15 * max(counts.sum(axis=1).max(), 4))
            panel.set_xlabel("deadline-driven jobs")
            name_panel(panel, one.name)
        axes[0][0].set_ylabel("missed deadlines")
        finish(figure, axes[0][0], path)


def draw_use(studies: list[Study], path: Path) -> None:
    """Draw the mean use of the deadlines, one line per log."""
    title = "Figure 7: use of the deadlines by DBF"
    with panels(1, 1, (5.6, 3.2), title) as (figure, axes):
        for i, one in enumerate(studies):
            used = [float(use_of_deadlines(one.dbf[share]).mean()) for share in SHARES]
            axes[0][0].plot(
                SHARES, used, marker="o", markersize=4, color=COLOURS[i], label=one.name
            )
        axes[0][0].set_ylim(bottom=0)
        axes[0][0].set_xticks(SHARES, [f"{share}%" for share in SHARES])
        axes[0][0].yaxis.set_major_locator(MultipleLocator(5))
        axes[0][0].yaxis.set_major_formatter("{x:.0f}%")
        axes[0][0].set_ylabel("mean use of the deadlines")
        axes[0][0].set_xlabel("deadline-driven jobs")
        finish(figure, axes[0][0], path)
