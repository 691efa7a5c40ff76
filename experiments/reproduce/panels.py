"""Pictures with several panels in the house style."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from planbatch.experiments.figures.style import COLOURS, FAINT, STYLE, grid, logarithmic_ticks, save

#: Colour and dash of every policy, the same in all pictures.
LOOKS: dict[str, tuple[str, object]] = {
    "DBF": (COLOURS[0], "-"),
    "CBF": (COLOURS[1], "-"),
    "EASY": (COLOURS[2], "-"),
    "CBF re-planned": (COLOURS[5], (0, (4, 2))),
    "WDBF": (COLOURS[3], "-"),
    "EDF": (COLOURS[7], "-"),
    "FCFS": (COLOURS[2], "-"),
    "PLAN 1": (COLOURS[0], "-"),
    "PLAN 2": (COLOURS[1], "-"),
    "PLAN 3": (COLOURS[3], (0, (4, 2))),
}


@contextmanager
def panels(
    rows: int, columns: int, size: tuple[float, float], title: str
) -> Iterator[tuple[Figure, Sequence[Sequence[Axes]]]]:
    """Yield a figure of ``rows`` × ``columns`` panels (size in inches), with a title above all."""
    with rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(columns * size[0], rows * size[1] + 0.6), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(title, x=0.01, ha="left", fontweight="bold", fontsize=12)
        axes = figure.subplots(rows, columns, squeeze=False)
        for panel in axes.flat:
            grid(panel)
        yield figure, axes.tolist()


def name_panel(panel: Axes, name: str) -> None:
    """Write a name above a panel, flush left."""
    panel.set_title(name, loc="left", fontsize=10, color=FAINT)


def finish(figure: Figure, labelled: Axes, path: Path) -> None:
    """Put one legend, with the labels of a panel, below all panels, and write the picture."""
    handles, labels = labelled.get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    save(figure, path)


def draw_lines(
    path: Path,
    title: str,
    unit: str,
    shares: Sequence[int],
    lines: dict[str, dict[str, list[float]]],
    logarithmic: bool = False,
) -> None:
    """Draw one panel per workload with one line per policy over the share of deadline-driven jobs.

    Parameters
    ----------
    unit : str
        Label of the vertical axes.
    lines : mapping
        Workload → policy → one value per share.
    """
    with panels(1, len(lines), (2.9, 2.7), title) as (figure, axes):
        for panel, (workload, policies) in zip(axes[0], lines.items(), strict=True):
            for policy, values in policies.items():
                colour, dash = LOOKS[policy]
                panel.plot(
                    shares,
                    values,
                    color=colour,
                    linestyle=dash,  # type: ignore[arg-type]
                    marker="o",
                    markersize=4,
                    label=policy,
                )
            name_panel(panel, workload)
            panel.set_xticks(list(shares), [f"{share}%" for share in shares])
            if logarithmic:
                panel.set_yscale("log")
                panel.yaxis.set_major_locator(FixedLocator(logarithmic_ticks(*panel.get_ylim())))
                panel.yaxis.set_major_formatter("{x:,.0f}")
                panel.yaxis.set_minor_locator(NullLocator())
            else:
                panel.set_ylim(bottom=0)
            panel.set_xlabel("deadline-driven jobs")
        axes[0][0].set_ylabel(unit)
        finish(figure, axes[0][0], path)


def draw_distributions(
    path: Path, title: str, waits: dict[tuple[str, str], dict[str, np.ndarray]]
) -> None:
    """Draw empirical distribution functions of waits (s): one row per workload, one column per share.

    ``waits`` has, for each (workload, share), the waits of some jobs under every policy.
    """
    workloads = list(dict.fromkeys(workload for workload, _ in waits))
    shares = list(dict.fromkeys(share for _, share in waits))
    with panels(len(workloads), len(shares), (2.5, 1.9), title) as (figure, axes):
        for i, workload in enumerate(workloads):
            for j, share in enumerate(shares):
                panel = axes[i][j]
                for policy, wait in waits[workload, share].items():
                    ordered = np.sort(np.maximum(wait, 1.0))
                    reached = 100 * np.arange(1, len(ordered) + 1) / len(ordered)
                    some = np.unique(np.linspace(0, len(ordered) - 1, 400).astype(int))
                    colour, dash = LOOKS[policy]
                    panel.plot(
                        ordered[some],
                        reached[some],
                        drawstyle="steps-post",
                        color=colour,
                        linestyle=dash,  # type: ignore[arg-type]
                        label=policy,
                    )
                panel.set_xscale("log")
                panel.set_xlim(60, 14 * 86400)
                panel.set_ylim(0, 101)
                panel.set_xticks([60, 3600, 86400], ["1 min", "1 h", "1 d"])
                panel.set_xticks([], minor=True)
                panel.yaxis.set_major_formatter("{x:.0f}%")
                panel.label_outer()
                if i == 0:
                    name_panel(panel, f"{share} deadline-driven")
            axes[i][0].set_ylabel(workload)
        for panel in axes[-1]:
            panel.set_xlabel("waiting time")
        finish(figure, axes[0][0], path)
