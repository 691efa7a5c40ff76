"""The trade-offs: mean against maximum wait, mean wait against utilisation."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from planbatch.experiments.figures.style import FAINT, drawing
from planbatch.experiments.report.cases import Case
from planbatch.experiments.report.drawing import (
    Picture,
    finish,
    grid,
    headed,
    legend_right,
    styles,
    time_ticks,
)
from planbatch.experiments.report.summary import Line
from planbatch.planner.model import BoolArray, FloatArray

MARKERS = "osD^vP*X"
#: Least range of the axis of utilisation (percentage points): smaller differences do not matter.
LEAST_POINTS = 2.0


def front(x: FloatArray, y: FloatArray) -> BoolArray:
    """Mark the points that no other point beats: none is as good in both and better in one; less is better."""
    beaten = [
        bool(((x <= x[i]) & (y <= y[i]) & ((x < x[i]) | (y < y[i]))).any()) for i in range(len(x))
    ]
    return ~np.array(beaten, dtype=bool)


def draw_front(axes: Axes, x: FloatArray, y: FloatArray, up: bool) -> None:
    """Draw the Pareto front, as steps through the points that no other beats."""
    best = front(x, -y if up else y)
    order = np.argsort(x[best], kind="stable")
    xs, ys = x[best][order], y[best][order]
    axes.step(xs, ys, where="post", color=FAINT, linewidth=1, linestyle=(0, (3, 2)), zorder=1)


def draw_pareto(case: Case, lines: list[Line], folder: Path | None = None) -> Picture | None:
    """Draw the policies of a case by mean and maximum wait, and by mean wait and utilisation."""
    look = styles(case)
    mean = np.array([line.figures["mean_wait"] for line in lines])
    longest = np.array([line.figures["max_wait"] for line in lines])
    used = 100 * np.array([line.figures["utilisation"] for line in lines])
    if len(lines) < 2:
        return None
    with drawing(9.6, 3.5) as (figure, empty):
        empty.remove()
        left, right = figure.subplots(1, 2)
        for axes, ys, up in ((left, longest, False), (right, used, True)):
            shown = np.maximum(mean, 1)
            if np.isfinite(ys).all():
                draw_front(axes, shown, ys, up)
            for i, line in enumerate(lines):
                axes.plot(
                    shown[i], ys[i], marker=MARKERS[i % len(MARKERS)], markersize=8, linestyle="none",
                    color=look[line.label]["color"], label=line.label, alpha=0.9, markeredgewidth=0,
                )  # fmt: skip
            axes.set_xscale("log")
            low, high = shown.min() / 1.4, shown.max() * 1.4
            axes.set_xlim(low, high)
            time_ticks(axes.xaxis, low, high)
            axes.set_xlabel("mean wait")
            grid(axes)
        left.set_yscale("log")
        low, high = max(longest.min(), 1) / 1.6, max(longest.max(), 60) * 1.6
        left.set_ylim(low, high)
        time_ticks(left.yaxis, low, high)
        left.set_ylabel("maximum wait")
        right.set_ylabel("utilisation")
        if np.isfinite(used).all():
            middle, half = (used.min() + used.max()) / 2, max(0.6 * np.ptp(used), LEAST_POINTS / 2)
            right.set_ylim(middle - half, middle + half)
        right.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        right.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.1f}%"))
        legend_right(figure, left)
        headed(figure, case.title)
        return finish(
            figure,
            f"{case.name}-pareto",
            case.title,
            "Left: to the lower left is better; right: to the upper left. No other policy beats those on the dashed "
            "line. Axes of waits are logarithmic; mind that the axis of utilisation does not begin at zero.",
            folder,
        )
