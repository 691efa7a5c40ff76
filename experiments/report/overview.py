"""The summary as a picture: the change under every policy on every workload."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from planbatch.experiments.figures.style import COLOURS, FAINT, INK, drawing, grid, headed, ratio_text, ratio_ticks
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
        headed(figure, "Mean wait and slowdown, as a ratio to the reference")
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
