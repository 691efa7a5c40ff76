"""Tuned parameters as a table and as a picture: past and held-out values side by side."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from matplotlib.axes import Axes

from planbatch.experiments.common.table import Column, Table
from planbatch.experiments.figures.style import COLOURS, FAINT, INK, panels_for, write_panels
from planbatch.experiments.studies.tune import TuningResult


def tune_table(tuned: TuningResult) -> Table:
    """Lay out the Pareto front of the past with the values on later spans; one row per policy."""
    tuning = tuned.tuning
    columns = [Column("policy", "policy", wrap=True)]
    for index, goal in enumerate(tuning.goals):
        columns += [
            Column(f"{index} {span}", f"{goal.name}\n{span}", goal.written) for span in (tuning.past, *tuning.later)
        ]
    rows = []
    for row in (*tuned.baselines, *tuned.front):
        values = [own[index] for index in range(len(tuning.goals)) for own in row.values]
        rows.append(dict(zip([column.key for column in columns], [row.policy, *values], strict=True)))
    title = f"{tuning.policy}, {len(tuned.trials)} trials"
    return Table("tune", title, columns, rows, f"tuned on {tuning.past}; the other columns were held out")


def write_tuned(tuned: TuningResult, path: Path) -> None:
    """Write :func:`draw_tuned` as PNG and SVG."""
    goals = len(tuned.tuning.goals)
    write_panels(path, goals, goals, _size(tuned), partial(draw_tuned, tuned))


def _size(tuned: TuningResult) -> tuple[float, float]:
    """Return the size of the picture (inches)."""
    return max(3.2 * len(tuned.tuning.goals), 5.0), 3.8


def draw_tuned(tuned: TuningResult, ax: Axes | Sequence[Axes] | None = None) -> list[Axes]:
    """Draw one panel per goal: each policy is a line from its value on the past to those on later spans.

    Values are divided by EASY's on the same span, so spans of different load can be compared. ``ax`` has one for
    each goal; by default, they are in a new figure.
    """
    goals = tuned.tuning.goals
    spans = (tuned.tuning.past, *tuned.tuning.later)
    names = [f"past\n{spans[0]}", *(f"held out\n{span}" for span in spans[1:])]
    easy = tuned.baselines[0]
    with panels_for(ax, len(goals), len(goals), _size(tuned)) as panels:
        for index, (panel, goal) in enumerate(zip(panels, goals, strict=True)):
            rows = [(row, FAINT, "on the front") for row in tuned.front]
            rows += [(row, COLOURS[0], row.policy) for row in tuned.baselines[1:]]
            rows += [(easy, INK, easy.policy)]
            labels: set[str] = set()
            for row, colour, label in rows:
                ratios = [
                    own[index] / base[index] if base[index] else float("nan")
                    for own, base in zip(row.values, easy.values, strict=True)
                ]
                panel.plot(
                    range(len(spans)), ratios, marker="o", markersize=5, linewidth=1.3,
                    color=colour, label="_" if label in labels else label,
                )  # fmt: skip
                labels.add(label)
            panel.set_xticks(range(len(spans)), names)
            panel.set_xlim(-0.3, len(spans) - 0.7)
            panel.set_title(f"{goal.name} / EASY's", loc="left", fontsize=10, color=FAINT)
        panels[0].legend(frameon=False, fontsize=8)
    return panels
