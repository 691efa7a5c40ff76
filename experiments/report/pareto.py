"""The trade-offs: mean against maximum wait, mean wait against utilisation."""

from pathlib import Path

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator

from planbatch.experiments.figures.style import drawing, headed, legend_right
from planbatch.experiments.figures.tradeoff import draw_front, draw_points, longest_waits
from planbatch.experiments.report.cases import Case
from planbatch.experiments.report.drawing import Picture, finish
from planbatch.experiments.report.summary import Line

#: Least range of the axis of utilisation (percentage points): smaller differences do not matter.
LEAST_POINTS = 2.0


def draw_pareto(case: Case, lines: list[Line], folder: Path | None = None) -> Picture | None:
    """Draw the policies of a case by mean and maximum wait, and by mean wait and utilisation."""
    if len(lines) < 2:
        return None
    mean = np.array([max(line.figures["mean_wait"], 1) for line in lines])
    longest = np.array([line.figures["max_wait"] for line in lines])
    utilisation = 100 * np.array([line.figures["utilisation"] for line in lines])
    labels = [line.label for line in lines]
    colours = {label: look["color"] for label, look in case.styles.items()}
    with drawing(9.6, 3.5) as figure:
        left, right = figure.subplots(1, 2)
        for axes, ys, up in ((left, longest, False), (right, utilisation, True)):
            if np.isfinite(ys).all():
                draw_front(axes, mean, ys, up=up)
            draw_points(axes, mean, ys, labels, colours)
        longest_waits(left, longest)
        right.set_ylabel("utilisation")
        if np.isfinite(utilisation).all():
            middle, half = (utilisation.min() + utilisation.max()) / 2, max(0.6 * np.ptp(utilisation), LEAST_POINTS / 2)
            right.set_ylim(middle - half, middle + half)
        right.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        right.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.1f}%"))
        legend_right(figure, left)
        headed(figure, case.title)
        caption = (
            "Left: to the lower left is better; right: to the upper left. No other policy beats those on the dashed "
            "line. Axes of waits are logarithmic; mind that the axis of utilisation does not begin at zero."
        )
        return finish(figure, f"{case.name}-pareto", case.title, caption, folder)
