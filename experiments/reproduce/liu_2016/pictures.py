"""The pictures of Liu et al. (2016): three figures over the load, and every job of a small experiment."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from planbatch.experiments.figures.style import COLOURS, save
from planbatch.experiments.reproduce.panels import finish, name_panel, panels

#: Colour, dash and marker of every policy, the same in all pictures.
LOOKS: dict[str, tuple[str, Any, str]] = {
    "FCFS": (COLOURS[7], (0, (1, 1.2)), "v"),
    "best fit": (COLOURS[5], "-", "^"),
    "EASY": (COLOURS[2], "-", "s"),
    "CBF": (COLOURS[4], "-", "D"),
    "BB": (COLOURS[1], "-", "o"),
    "BB, one a round": (COLOURS[1], (0, (4, 2)), "o"),
    "IBB": (COLOURS[0], "-", "o"),
    "plan, wait": (COLOURS[3], "-", "P"),
    "plan, squared wait": (COLOURS[6], "-", "X"),
}
#: Load → metric → policy → value.
Curves = Mapping[float, Mapping[str, Mapping[str, float]]]


def draw_loads(path: Path, title: str, workloads: Mapping[str, Curves]) -> None:
    """Draw one row of panels per workload, one panel per metric, and one line per policy over the relative load."""
    metrics = list(next(iter(next(iter(workloads.values())).values())))
    with panels(len(workloads), len(metrics), (3.6, 3.0), title) as (figure, axes):
        for row, (name, curves) in zip(axes, workloads.items(), strict=True):
            loads = list(curves)
            for panel, metric in zip(row, metrics, strict=True):
                for policy in curves[loads[0]][metric]:
                    colour, dash, marker = LOOKS[policy]
                    values = [curves[load][metric][policy] for load in loads]
                    panel.plot(
                        loads, values, color=colour, linestyle=dash, marker=marker, markersize=4, label=policy,
                    )  # fmt: skip
                scale(panel, min(map(min, curves_of(curves, metric))) > 0)
                panel.set_xticks(loads, [f"{load:g}" for load in loads])
                panel.set_xlabel("relative load")
                name_panel(panel, metric if len(workloads) == 1 else f"{name}: {metric}")
        handles, labels = axes[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
        save(figure, path)


def curves_of(curves: Curves, metric: str) -> list[list[float]]:
    """Return the values of one metric, one list per load."""
    return [list(by_metric[metric].values()) for by_metric in curves.values()]


def scale(panel: Axes, logarithmic: bool) -> None:
    """Make the vertical axis logarithmic with round numbers, or let it begin at zero."""
    if not logarithmic:
        panel.set_ylim(bottom=0)
        return
    panel.set_yscale("log")
    panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=12))
    panel.yaxis.set_major_formatter("{x:g}")
    panel.yaxis.set_minor_locator(NullLocator())


def draw_jobs(
    path: Path, title: str, unit: str, values: Mapping[str, Sequence[float]], logarithmic: bool
) -> None:
    """Draw a value of every job, in the order of submission: one line per policy."""
    with panels(1, 1, (7.2, 3.2), title) as (figure, axes):
        panel = axes[0][0]
        for policy, column in values.items():
            colour, _, marker = LOOKS[policy]
            jobs = np.arange(1, len(column) + 1)
            panel.plot(
                jobs, column, color=colour, marker=marker, markersize=4, linewidth=1, label=policy
            )
        scale(panel, logarithmic)
        panel.set_xlabel("job, in the order of submission")
        panel.set_ylabel(unit)
        finish(figure, panel, path)
