"""Overview pictures: the change under every policy on every workload, and the trade-offs of one."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from planbatch.experiments.figures.panels import draw_front, draw_points, longest_waits
from planbatch.experiments.figures.style import (
    COLOURS,
    FAINT,
    INK,
    add_heading,
    drawing,
    grid,
    legend_right,
    ratio_text,
    ratio_ticks,
)
from planbatch.experiments.report.cases import Case
from planbatch.experiments.report.drawing import Picture, finish
from planbatch.experiments.report.summary import Line

#: Panels side by side.
ACROSS = 3
#: Ratios above this are drawn at the edge, with their figure.
CUT = 4.0


def draw_overview(cases: list[tuple[Case, list[Line]]], folder: Path | None = None) -> Picture | None:
    """Draw, for every case, the change of mean wait and slowdown against the reference."""
    cases_with_waits = [(case, [line for line in lines if line.wait]) for case, lines in cases]
    cases_with_waits = [(case, lines) for case, lines in cases_with_waits if lines]
    if not cases_with_waits:
        return None
    across = min(ACROSS, len(cases_with_waits))
    down = -(-len(cases_with_waits) // across)
    tall = max(len(lines) for _, lines in cases_with_waits)
    with drawing(3.7 * across + 1.6, (0.9 + 0.27 * tall) * down + 0.9) as figure:
        panels = figure.subplots(down, across, squeeze=False)
        for axes, (case, lines) in zip(panels.flat, cases_with_waits, strict=False):
            draw_changes(axes, case, lines)
        for axes in panels.flat[len(cases_with_waits) :]:
            axes.set_visible(False)
        cut = any(line.wait.ratio > CUT for _, lines in cases_with_waits for line in lines if line.wait)
        handles, names = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
        add_heading(figure, "Mean wait and slowdown, as a ratio to the reference")
        units = {line.wait.unit for _, lines in cases_with_waits for line in lines if line.wait} - {""}
        bars = (
            f"Bars are 95% bootstrap intervals over {' (else over '.join(sorted(units))}"
            f"{')' if len(units) > 1 else ''}: these are drawn with replacement, policy and reference together. "
            if units
            else ""
        )
        end = f", and ends at ×{CUT:g}: larger ratios have their figure at the edge" if cut else ""
        caption = f"Left of the line is better. {bars}The axis is logarithmic{end}."
        return finish(figure, "overview", "Change against the reference", caption, folder)


def draw_changes(axes: Axes, case: Case, lines: list[Line]) -> None:
    """Draw the panel of one case."""
    ratios = []
    for row, line in enumerate(lines):
        pairs = (("mean wait", line.wait, -0.14, "o"), ("slowdown", line.slowdown, 0.14, "D"))
        for i, (name, interval, shift, marker) in enumerate(pairs):
            if interval is None:
                continue
            low, high = (min(end, CUT) for end in interval.ends)
            colour = COLOURS[i]
            cut = interval.ratio > CUT
            if np.isfinite(low):
                axes.plot([low, high], [row + shift] * 2, color=colour, linewidth=1.6)
                ratios += [low, high]
            axes.plot(
                min(interval.ratio, CUT), row + shift, marker=">" if cut else marker, markersize=4.6,
                color=colour, linestyle="none",
            )  # fmt: skip
            if cut:
                axes.annotate(
                    ratio_text(interval.ratio), (CUT, row + shift), xytext=(-6, 0), fontsize=7, ha="right",
                    textcoords="offset points", va="center", color=colour,
                )  # fmt: skip
            axes.plot([], [], marker, color=colour, label=name if row == 0 else None, markersize=4.6)
            ratios.append(min(interval.ratio, CUT))
    axes.axvline(1, color=INK, linewidth=1)
    axes.set_xscale("log")
    positive = [ratio for ratio in ratios if ratio > 0]
    low, high = min([*positive, 0.5]) / 1.15, max([*positive, 1.5]) * 1.15
    axes.set_xlim(low, high)
    ratio_ticks(axes.xaxis, low, high)
    axes.set_yticks(range(len(lines)), [line.label for line in lines])
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0, labelsize=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.spines["left"].set_visible(False)
    grid(axes)
    axes.set_title(case.title, loc="left", fontsize=9.5, color=FAINT)


#: Least range of the axis of utilisation (percentage points): smaller differences do not matter.
LEAST_POINTS = 2.0


def draw_pareto(case: Case, lines: list[Line]) -> Picture | None:
    """Draw the policies of a case by mean and maximum wait, and by mean wait and utilisation."""
    if len(lines) < 2:
        return None
    mean = np.array([max(line.figures["mean_wait"], 1) for line in lines])
    longest = np.array([line.figures["max_wait"] for line in lines])
    utilisation = 100 * np.array([line.figures["utilisation"] for line in lines])
    labels = [line.label for line in lines]
    colours = {label: style["color"] for label, style in case.styles.items()}
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
        add_heading(figure, case.title)
        caption = (
            "Left: to the lower left is better; right: to the upper left. No other policy beats those on the dashed "
            "line. Axes of waits are logarithmic; the axis of utilisation does not begin at zero."
        )
        return case.picture(figure, "pareto", case.title, caption)
