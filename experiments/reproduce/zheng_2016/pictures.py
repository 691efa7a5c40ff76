"""The figures of Zheng et al. 2016 as pictures."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.ticker import FuncFormatter

from planbatch.experiments.figures.style import COLOURS, ratio_text, ratio_ticks, time_ticks
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.report.heat_maps import (
    LARGEST_RATIO,
    SHORTEST,
    draw_panel,
    shades,
    wait_ratios,
)
from planbatch.experiments.reproduce.panels import LOOKS, finish, name_panel, panels
from planbatch.experiments.reproduce.zheng_2016.measures import (
    PAPER_KIND,
    Study,
    response_of,
    size_shares,
    wait_of,
    waits_by_bin,
)
from planbatch.experiments.reproduce.zheng_2016.paper import BASE, PLANS
from planbatch.experiments.workloads.deadlines import HOUR
from planbatch.planner.model import FloatArray


def draw_all(studies: Sequence[Study], folder: Path) -> list[str]:
    """Draw Figures 3 to 6 as PNG and SVG; return their names."""
    draw_sizes(studies, folder / "figure-3")
    grouping = "by month of submission"
    draw_months(
        studies, wait_of, f"Figure 4: mean wait {grouping}", "mean wait (h)", folder / "figure-4"
    )
    draw_months(
        studies,
        response_of,
        f"Figure 5: mean response time {grouping}",
        "mean response time (h)",
        folder / "figure-5",
    )
    draw_maps(studies, folder / "figure-6")
    return [f"figure-{number}" for number in (3, 4, 5, 6)]


def draw_sizes(studies: Sequence[Study], path: Path) -> None:
    """Draw how many jobs need how many nodes; a scaled log has the sizes of the plain one."""
    shown = {study.workload.name: study for study in reversed(studies)}
    title = "Figure 3: distribution of job sizes"
    with panels(1, len(shown), (3.2, 2.6), title) as (figure, axes):
        for panel, study in zip(axes[0], reversed(shown.values()), strict=True):
            shares = size_shares(study.workload.procs, study.node)
            at = np.arange(len(shares))
            panel.bar(at, list(shares.values()), color=COLOURS[0], width=0.75)
            step = -(-len(shares) // 6)
            names = [short(most) for _, most in shares]
            panel.set_xticks(at[::step], names[::step])
            panel.yaxis.set_major_formatter("{x:.0f}%")
            panel.grid(axis="x", visible=False)
            panel.set_xlabel("nodes, up to")
            name_panel(panel, study.name)
        axes[0][0].set_ylabel("jobs")
        finish(figure, axes[0][0], path)


def short(nodes: int) -> str:
    """Return a power of two in short: 2048 is 2K."""
    return f"{nodes // 1024}K" if nodes >= 1024 else f"{nodes}"


def draw_months(
    studies: Sequence[Study],
    figure_of: Callable[[Trace], FloatArray],
    title: str,
    unit: str,
    path: Path,
) -> None:
    """Draw a mean by month: one panel per machine, one line per policy."""
    with panels(1, len(studies), (3.2, 2.8), title) as (figure, axes):
        for panel, study in zip(axes[0], studies, strict=True):
            counted = study.counted_months()
            at = np.arange(1, len(counted) + 1)
            for policy in (BASE, *PLANS):
                values = study.by_month(figure_of(study.traces[PAPER_KIND][policy])) / HOUR
                colour, dash = LOOKS[policy]
                panel.plot(
                    at,
                    values,
                    color=colour,
                    linestyle=dash,  # type: ignore[arg-type]
                    marker="o",
                    markersize=3.5,
                    label=policy,
                )
            step = -(-len(counted) // 6)
            panel.set_xticks(at[::step])
            panel.set_ylim(bottom=0)
            panel.locator_params(axis="y", nbins=5)
            panel.set_xlabel(f"month (1: {study.months[counted[0]]})")
            name_panel(panel, study.name)
        axes[0][0].set_ylabel(unit)
        finish(figure, axes[0][0], path)


def draw_maps(studies: Sequence[Study], path: Path) -> None:
    """Draw mean waits by size and run time: FCFS, PLAN 2, and their ratio; one row per machine."""
    title = "Figure 6: mean wait by size and run time"
    ratio_look = {"norm": LogNorm(1 / LARGEST_RATIO, LARGEST_RATIO), "cmap": shades("RdBu_r")}
    with panels(len(studies), 3, (3.4, 2.2), title) as (figure, axes):
        for row, study in zip(axes, studies, strict=True):
            data = waits_by_bin(study, PAPER_KIND, (BASE, "PLAN 2"))
            longest = max(float(np.nanmax(wait)) for wait in data.wait.values())
            look = {
                "norm": LogNorm(SHORTEST, max(longest, 10 * SHORTEST)),
                "cmap": shades("RdYlBu_r"),
            }
            for panel, (policy, wait) in zip(row, data.wait.items(), strict=False):
                image = draw_panel(panel, data, wait, f"{study.name}: {policy}", **look)
                panel.grid(visible=False)
            bar = figure.colorbar(image, ax=row[:2], pad=0.02, aspect=18, extend="min")
            time_ticks(bar.ax.yaxis, *image.get_clim())
            ratio = wait_ratios(data.wait["PLAN 2"], data.wait[BASE])
            image = draw_panel(row[2], data, ratio, f"{study.name}: PLAN 2 / {BASE}", **ratio_look)
            row[2].grid(visible=False)
            bar = figure.colorbar(image, ax=row[2], pad=0.04, aspect=18, extend="both")
            ratio_ticks(bar.ax.yaxis, *image.get_clim())
            bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: ratio_text(value)))
            row[0].set_ylabel("processors")
        for panel in axes[-1]:
            panel.set_xlabel("run time")
        finish(figure, axes[0][0], path)
