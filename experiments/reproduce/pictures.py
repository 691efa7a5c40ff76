"""Pictures with several panels in the house style."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planbatch.experiments.figures.style import COLOURS, FAINT, add_heading, drawing, grid, number_ticks, save
from planbatch.planner.columns import FloatArray, IntArray

#: How the line of a policy looks: keywords of ``Axes.plot``.
LineStyle = dict[str, Any]


def line_style(colour: int, dash: str | tuple[int, tuple[float, ...]] = "-", marker: str = "o") -> LineStyle:
    """Return the look of a line, with a colour by its index in ``COLOURS``."""
    return {"color": COLOURS[colour], "linestyle": dash, "marker": marker}


DASHES = (0, (4, 2))
#: Colour and dash of every policy, the same in all pictures.
LOOKS = {
    "DBF": line_style(0),
    "CBF": line_style(1),
    "EASY": line_style(2),
    "CBF re-planned": line_style(5, DASHES),
    "WDBF": line_style(3),
    "EDF": line_style(7),
    "FCFS": line_style(2),
    "PLAN 1": line_style(0),
    "PLAN 2": line_style(1),
    "PLAN 3": line_style(3, DASHES),
}


@contextmanager
def panels(
    rows: int, columns: int, size: tuple[float, float], title: str
) -> Iterator[tuple[Figure, Sequence[Sequence[Axes]]]]:
    """Yield a figure of ``rows`` × ``columns`` panels (size in inches), with a title above all."""
    with drawing(columns * size[0], rows * size[1] + 0.6) as figure:
        add_heading(figure, title, 12)
        axes = figure.subplots(rows, columns, squeeze=False)
        for panel in axes.flat:
            grid(panel)
        yield figure, axes.tolist()


@contextmanager
def panel_row(
    names: Sequence[str], size: tuple[float, float], title: str, unit: str, path: Path
) -> Iterator[Sequence[Axes]]:
    """Yield a panel per name, side by side; then label the first with the unit, and write the picture with a legend."""
    with panels(1, len(names), size, title) as (figure, (row,)):
        for panel, name in zip(row, names, strict=True):
            name_panel(panel, name)
        yield row
        row[0].set_ylabel(unit)
        finish(figure, row[0], path)


def name_panel(panel: Axes, name: str) -> None:
    """Write a name above a panel, flush left."""
    panel.set_title(name, loc="left", fontsize=10, color=FAINT)


def plot_lines(
    panel: Axes,
    x: Sequence[float] | IntArray,
    lines: Mapping[str, Sequence[float] | FloatArray],
    looks: Mapping[str, LineStyle] = LOOKS,
    size: float = 4,
) -> None:
    """Plot one line per policy, with markers of a size (points)."""
    for policy, values in lines.items():
        panel.plot(x, values, markersize=size, label=policy, **looks[policy])


def make_logarithmic(panel: Axes, form: str = "{x:,.0f}") -> None:
    """Make the vertical axis logarithmic, with round numbers."""
    panel.set_yscale("log")
    number_ticks(panel.yaxis, *panel.get_ylim())
    panel.yaxis.set_major_formatter(form)


def finish(figure: Figure, labelled: Axes, path: Path, columns: int | None = None) -> None:
    """Put one legend, with the labels of a panel, below all panels, and write the picture."""
    handles, labels = labelled.get_legend_handles_labels()
    if handles:
        columns = columns or len(labels)
        figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)
    save(figure, path)


def draw_distribution(panel: Axes, waits: Mapping[str, np.ndarray]) -> None:
    """Draw the empirical distribution function of the waits (s) under every policy."""
    for policy, wait in waits.items():
        ordered = np.sort(np.maximum(wait, 1.0))
        reached = 100 * np.arange(1, len(ordered) + 1) / len(ordered)
        some = np.unique(np.linspace(0, len(ordered) - 1, 400).astype(int))
        style = {**LOOKS[policy], "marker": None}
        panel.plot(ordered[some], reached[some], drawstyle="steps-post", label=policy, **style)
    panel.set_xscale("log")
    panel.set_xlim(60, 14 * 86400)
    panel.set_ylim(0, 101)
    panel.set_xticks([60, 3600, 86400], ["1 min", "1 h", "1 d"])
    panel.set_xticks([], minor=True)
    panel.yaxis.set_major_formatter("{x:.0f}%")
    panel.label_outer()
