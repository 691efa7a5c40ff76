"""A comparison of optimizers as pictures: cost over time, performance profiles; and all its files."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from planbatch.experiments.rounds.compare import budget_text
from planbatch.experiments.rounds.results import RoundComparison
from planbatch.experiments.views.round_gantt import draw_plans
from planbatch.experiments.views.style import COLOURS, DASHES, FAINT, drawing, save, titled

if TYPE_CHECKING:
    from pandas import DataFrame

#: Excesses below this share are drawn as zero.
LEAST_EXCESS = 1e-4
GRID = "#E6E6E6"


def write_round_comparison(comparison: RoundComparison, folder: Path, plans: int = 4) -> list[Path]:
    """Write tables (CSV) and pictures (PNG and SVG).

    Parameters
    ----------
    comparison : RoundComparison
        What to write.
    folder : Path
        Created if it does not exist.
    plans : int
        Number of rounds whose plans are drawn.

    Returns
    -------
    list of Path
        The files written; for pictures, the PNG.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / "rounds.csv", folder / "summary.csv"]
    comparison.to_frame().to_csv(written[0], index=False)
    comparison.summary().to_csv(written[1], index=False)
    curves = comparison.curves() if comparison.curve_cells else None
    if curves is not None:
        written.append(folder / "curves.csv")
        curves.to_csv(written[-1], index=False)
    for objective in comparison.objectives:
        pictures = [draw_profile(comparison, objective, folder / f"profile-{objective}")]
        if curves is not None:
            pictures.append(
                draw_curves(comparison, curves, objective, folder / f"curves-{objective}")
            )
        for name in list(comparison.rounds)[:plans]:
            path = folder / f"plans-{objective}-{re.sub(r'[/. ]', '-', name)}"
            pictures.append(draw_plans(comparison, name, objective, path))
        written += [path for path in pictures if path is not None]
    return written


def styles(comparison: RoundComparison) -> dict[str, tuple[str, object]]:
    """Return a colour and a dash for every optimizer."""
    return {
        name: (COLOURS[i % len(COLOURS)], DASHES[(i + i // len(COLOURS)) % len(DASHES)])
        for i, name in enumerate(comparison.optimizers)
    }


def percent(value: float, _: object = None) -> str:
    """Write a share, with as many digits as it needs.

    >>> percent(0.0), percent(0.0001), percent(0.5)
    ('0%', '0.01%', '50%')
    """
    return f"{100 * value:,.4g}%"


def grid(axes: Axes) -> None:
    """Draw the grid in the project's style."""
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)


def draw_profile(comparison: RoundComparison, objective: str, path: Path) -> Path | None:
    """Draw the share of searches in which each optimizer came within each distance of the best known."""
    data = comparison.to_frame()
    data = data[data["objective"] == objective]
    if data.empty or not np.isfinite(data["excess"]).any():
        return None
    finite = data["excess"][np.isfinite(data["excess"])]
    end = max(1.3 * float(finite.max()), 10 * LEAST_EXCESS)
    with drawing(8.4, 4.4) as (figure, axes):
        for optimizer, (colour, dash) in styles(comparison).items():
            own = data[data["optimizer"] == optimizer]["excess"].to_numpy()
            if not len(own):
                continue
            reached = np.sort(own[np.isfinite(own)])
            within = np.searchsorted(reached, LEAST_EXCESS, side="right")
            beyond = reached[within:]
            at = np.concatenate([[0, LEAST_EXCESS], beyond, [end]])
            count = np.concatenate(
                [[within, within], np.arange(within + 1, len(reached) + 1), [len(reached)]]
            )
            axes.step(
                at, 100 * count / len(own), where="post", color=colour, linestyle=dash,
                linewidth=2, label=optimizer, clip_on=False,
            )  # fmt: skip
        axes.set_xscale("symlog", linthresh=LEAST_EXCESS, linscale=0.4)
        axes.set_xlim(0, end)
        ticks = [0.0, *(float(t) for t in 10.0 ** np.arange(-4, 7) if LEAST_EXCESS <= t <= end)]
        axes.set_xticks(ticks, [percent(tick) for tick in ticks])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_ylim(0, 101)
        axes.yaxis.set_major_formatter("{x:.0f}%")
        grid(axes)
        axes.set_xlabel(
            f"excess over the best known cost, at most  (0%: up to {percent(LEAST_EXCESS)})"
        )
        axes.set_ylabel("searches")
        counted = f"{len(comparison.rounds)} rounds" if len(comparison.rounds) > 1 else "1 round"
        titled(
            axes,
            f"How close searches come: {objective}",
            f"{counted}, {budget_text(comparison.budget)}",
        )
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, handlelength=2.8)
        save(figure, path)
    return path.with_suffix(".png")


def draw_curves(
    comparison: RoundComparison, data: "DataFrame", objective: str, path: Path
) -> Path | None:
    """Draw the best cost so far against evaluations and against seconds; one row per round."""
    data = data[data["objective"] == objective]
    names = [name for name in comparison.rounds if (data["round"] == name).any()]
    if not names:
        return None
    with drawing(10.4, 1.0 + 2.9 * len(names)) as (figure, empty):
        empty.remove()
        panels = figure.subplots(len(names), 2, squeeze=False, sharey="row")
        for (left, right), name in zip(panels, names, strict=True):
            own = data[data["round"] == name]
            for optimizer, (colour, dash) in styles(comparison).items():
                curve = own[own["optimizer"] == optimizer]
                for axes, figures in ((left, "evaluations"), (right, "seconds")):
                    axes.step(
                        curve[figures], curve["cost"], where="post", color=colour, linestyle=dash,
                        linewidth=1.8, marker="o", markersize=3.2, label=optimizer,
                    )  # fmt: skip
            finish_curves(comparison, name, objective, left, right)
        left.set_xlabel("evaluations")
        right.set_xlabel("seconds")
        legend_below(figure, panels[0][0])
        save(figure, path)
    return path.with_suffix(".png")


def finish_curves(
    comparison: RoundComparison, name: str, objective: str, left: Axes, right: Axes
) -> None:
    """Give the two panels of a round their axes, titles and the line of the best known cost."""
    best = comparison.best[name, objective].cost
    bound = comparison.bounds.get((name, objective), float("nan"))
    known = f"best known {best:,.6g}" + (f"; no plan below {bound:,.6g}" if bound == bound else "")
    titled(left, name, f"{len(comparison.rounds[name])} jobs, {objective}: {known}")
    left.set_ylabel(f"best cost so far ({objective})")
    left.set_xscale("symlog", linthresh=10, linscale=0.5)
    left.set_xlim(left=0)
    right.set_xscale("log")
    right.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    left.xaxis.set_minor_locator(NullLocator())
    left.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    right.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    right.xaxis.set_minor_locator(NullLocator())
    left.yaxis.set_major_locator(MaxNLocator(5))
    left.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    for axes in (left, right):
        axes.axhline(best, color=FAINT, linewidth=1, linestyle=(0, (2, 2)), zorder=1)
        grid(axes)


def legend_below(figure: Figure, axes: Axes) -> None:
    """Put one legend below all panels, with the line of the best known cost."""
    from matplotlib.lines import Line2D

    handles, labels = axes.get_legend_handles_labels()
    handles.append(Line2D([], [], color=FAINT, linewidth=1, linestyle=(0, (2, 2))))
    figure.legend(
        handles,
        [*labels, "best known"],
        loc="outside lower left",
        ncols=min(len(labels) + 1, 5),
        frameon=False,
        handlelength=2.8,
    )
