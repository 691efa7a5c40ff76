"""The cost of rounds: evaluations and time against the length of the queue."""

from dataclasses import dataclass
from itertools import cycle

import numpy as np
from matplotlib.ticker import FuncFormatter, NullLocator

from planbatch.experiments.common.table import Column, Table
from planbatch.experiments.common.text import number, share
from planbatch.experiments.figures.panels import MARKERS
from planbatch.experiments.figures.style import add_heading, drawing, grid, legend_right, number_text, number_ticks
from planbatch.experiments.report.cases import Case
from planbatch.experiments.report.drawing import Picture
from planbatch.experiments.runs.read import ResultsError, StoredCell
from planbatch.planner.model import FloatArray

#: Least number of rounds behind a point of the picture.
LEAST_ROUNDS = 5


@dataclass(frozen=True)
class RoundCosts:
    """The cost of the rounds of a cell."""

    label: str
    figures: dict[str, float]  # rounds; mean and maximum queue; evaluations and milliseconds per round; shares
    queue: FloatArray  # mean queue lengths, in bins that double in width; shape (points,)
    evaluations: FloatArray  # means over the rounds of each bin; shape (points,)


def round_costs(cell: StoredCell) -> RoundCosts:
    """Measure the rounds of a cell; ``ResultsError`` if they cannot be read."""
    rounds = cell.rounds()
    waiting = rounds["waiting"].astype(np.float64)
    if not len(waiting):
        raise ResultsError(f"{cell.folder / 'rounds.parquet'} holds no rounds; run the cell again")
    evaluations = rounds["evaluations"].astype(np.float64)
    bins = np.floor(np.log2(np.maximum(waiting, 1))).astype(np.int64)
    counts = np.bincount(bins)
    enough = counts >= min(LEAST_ROUNDS, counts.max())
    means = [(np.bincount(bins, weights=values) / np.maximum(counts, 1))[enough] for values in (waiting, evaluations)]
    seconds = float(cell.summary.get("seconds", float("nan")))
    seed_cost, cost = rounds["seed_cost"], rounds["cost"]
    better = cost < seed_cost
    searched = evaluations > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        gains = np.where(seed_cost > 0, 1 - cost / seed_cost, np.nan)[searched]
    gains = gains[np.isfinite(gains)]
    figures = {
        "rounds": float(len(waiting)),
        "mean_queue": float(waiting.mean()),
        "max_queue": float(waiting.max()),
        "searched": float(searched.mean()),
        "mean_evaluations": float(evaluations[searched].mean()) if searched.any() else 0.0,
        "improved": float(better[searched].mean()) if searched.any() else float("nan"),
        "mean_gain": float(gains.mean()) if len(gains) else float("nan"),
        "milliseconds": 1e3 * seconds / len(waiting),
        "seconds": seconds,
    }
    return RoundCosts(cell.label, figures, *means)


def case_rounds(case: Case) -> tuple[list[RoundCosts], list[tuple[str, str]]]:
    """Measure the rounds of the first cell of every policy; list the cells that cannot be read, and why."""
    costs, broken = {}, []
    for cell in case.cells:
        if cell.label in costs:
            continue
        try:
            costs[cell.label] = round_costs(cell)
        except ResultsError as error:
            broken.append((cell.key, str(error)))
    return list(costs.values()), broken


def round_table(case: Case, costs: list[RoundCosts]) -> Table:
    """List the cost of the rounds of each policy."""
    columns = [
        Column("policy", "policy"),
        Column("rounds", "rounds", "{:,.0f}".format),
        Column("mean_queue", "mean queue", number),
        Column("max_queue", "longest queue", "{:,.0f}".format),
        Column("searched", "searched", share),
        Column("mean_evaluations", "evaluations per search", number),
        Column("improved", "beat first plans", share),
        Column("mean_gain", "gain over first plans", share),
        Column("milliseconds", "ms a round", "{:.3g}".format),
        Column("seconds", "replay (s)", number),
    ]
    rows = [{"policy": cost.label, **cost.figures} for cost in costs]
    caption = f"{case.title}: rounds, and what they cost"
    return Table(f"{case.name}-rounds", caption, columns, rows)


def draw_rounds(case: Case, costs: list[RoundCosts]) -> Picture:
    """Draw evaluations by length of the queue, and each replay's mean time per round against its mean queue."""
    styles = case.styles
    with drawing(9.6, 3.4) as figure:
        left, right = figure.subplots(1, 2)
        for cost, marker in zip(costs, cycle(MARKERS), strict=False):
            left.plot(
                cost.queue, cost.evaluations, linewidth=1.5, label=cost.label, marker=marker, markersize=3.5,
                **styles[cost.label],
            )  # fmt: skip
            right.plot(
                cost.figures["mean_queue"], cost.figures["milliseconds"], linestyle="none", markersize=8,
                marker=marker, color=styles[cost.label]["color"], markeredgewidth=0, alpha=0.9,
            )  # fmt: skip
        left.set_ylabel("evaluations per round")
        left.set_yscale("symlog", linthresh=1)
        left.set_ylim(bottom=0)
        right.set_ylabel("milliseconds a round")
        right.set_yscale("log")
        for axes, name in ((left, "jobs waiting"), (right, "mean number of jobs waiting")):
            axes.set_xscale("log")
            axes.set_xlabel(name)
            number_ticks(axes.xaxis, *axes.get_xlim())
            grid(axes)
        left.yaxis.set_major_formatter(FuncFormatter(number_text))
        left.yaxis.set_minor_locator(NullLocator())
        number_ticks(right.yaxis, *right.get_ylim())
        legend_right(figure, left)
        add_heading(figure, f"{case.title}: what rounds cost")
        caption = (
            "Left: evaluations by length of the queue, in bins that double in width. Right: mean time per round of the "
            "whole replay against its mean queue. All axes are logarithmic; that of evaluations only above 1."
        )
        return case.picture(figure, "rounds", "What rounds cost", caption)
