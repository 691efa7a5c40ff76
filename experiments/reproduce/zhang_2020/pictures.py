"""The values of each sequence as strips: one panel per log, one column of dots per policy."""

from collections.abc import Mapping
from pathlib import Path

from matplotlib.ticker import FixedLocator, NullLocator

from planbatch.experiments.figures.style import COLOURS, FAINT, logarithmic_ticks
from planbatch.experiments.reproduce.panels import finish, name_panel, panels
from planbatch.planner.model import FloatArray

#: How far the dots of a column are apart, in columns.
SPREAD = 0.5


def draw_sequences(
    path: Path,
    title: str,
    values: Mapping[str, Mapping[str, FloatArray]],
    learned: Mapping[str, float],
) -> None:
    """Draw log → policy → one value per sequence; a bar marks the mean, a dashed line the learned policy's mean."""
    columns = 2
    rows = -(-len(values) // columns)
    with panels(rows, columns, (6.2, 3.6), title) as (figure, axes):
        flat = [panel for row in axes for panel in row]
        for panel in flat[len(values) :]:
            panel.set_visible(False)
        for panel, (log, policies) in zip(flat, values.items(), strict=False):
            name_panel(panel, log)
            panel.set_yscale("log")
            panel.set_ylabel("slowdown")
            for place, found in enumerate(policies.values()):
                steps = [
                    place + SPREAD * (k / max(len(found) - 1, 1) - 0.5) for k in range(len(found))
                ]
                dots = "one sequence" if place == 0 else "_nolegend_"
                panel.plot(steps, found, "o", ms=3.5, color=COLOURS[0], alpha=0.7, label=dots)
                mean = "mean" if place == 0 else "_nolegend_"
                panel.hlines(
                    found.mean(), place - 0.35, place + 0.35, color=COLOURS[1], lw=2, label=mean
                )
            if log in learned:
                panel.axhline(
                    learned[log], color=FAINT, lw=1, ls=(0, (4, 3)), label="learned, as printed"
                )
            panel.set_xticks(range(len(policies)), list(policies), rotation=30, ha="right")
            panel.yaxis.set_major_locator(FixedLocator(logarithmic_ticks(*panel.get_ylim())))
            panel.yaxis.set_minor_locator(NullLocator())
            panel.yaxis.set_major_formatter("{x:,g}")
        finish(figure, flat[0], path)
