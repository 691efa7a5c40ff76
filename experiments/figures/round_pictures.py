"""A comparison of optimizers as pictures: cost over time, performance profiles; and all its files."""

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from planbatch.experiments.common.text import counted
from planbatch.experiments.figures.round_gantt import write_plans
from planbatch.experiments.figures.style import (
    COLOURS,
    DASHES,
    add_title,
    axes_for,
    drawing,
    grid,
    legend_beside,
    logarithmic_ticks,
    save,
    write_picture,
)
from planbatch.experiments.rounds.results import RoundComparison, budget_text, excess
from planbatch.planner.arguments import expect
from planbatch.planner.model import FloatArray

if TYPE_CHECKING:
    from pandas import DataFrame

#: With more optimizers than this, curves have no quartiles, which would cover one another.
MOST_BANDS = 4
#: Excesses below this share are drawn as zero.
LEAST_EXCESS = 1e-4
#: Sizes of pictures (inches).
PROFILE, CURVES = (8.4, 4.4), (10.4, 4.4)


def write_round_comparison(comparison: RoundComparison, folder: str | Path, plans: int = 4) -> list[Path]:
    """Write tables (CSV) and pictures (PNG and SVG).

    Parameters
    ----------
    comparison : RoundComparison
        What to write.
    folder : str or Path
        Created if it does not exist.
    plans : int
        Number of rounds whose plans are drawn.

    Returns
    -------
    list of Path
        The files written; for pictures, the PNG.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=8, now=0, waiting=[(0, 8, 100), (0, 4, 300), (0, 2, 50)])
    >>> comparison = pb.compare_rounds({"one": problem}, ["annealing", "tabu"], ["wait"], evaluations=100)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sorted(path.name for path in pb.write_round_comparison(comparison, Path(folder)))
    ['plans-wait-one.png', 'profile-wait.png', 'rounds.csv', 'summary.csv']
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "rounds.csv", folder / "summary.csv"]
    comparison.to_frame().to_csv(paths[0], index=False)
    comparison.summary().to_csv(paths[1], index=False)
    curves = comparison.curves() if comparison.curve_cells else None
    if curves is not None:
        paths.append(folder / "curves.csv")
        curves.to_csv(paths[-1], index=False)
    for objective in comparison.objectives:
        pictures: list[Path | None] = []
        if has_excess(comparison, objective):
            pictures.append(
                write_picture(folder / f"profile-{objective}", PROFILE, partial(draw_profile, comparison, objective))
            )
        if curves is not None and (curves["objective"] == objective).any():
            pictures.append(write_curves(comparison, objective, folder / f"curves-{objective}"))
        for name in list(comparison.rounds)[:plans]:
            path = folder / f"plans-{objective}-{re.sub(r'[/. ]', '-', name)}"
            pictures.append(write_plans(comparison, name, objective, path))
        paths += [path for path in pictures if path is not None]
    return paths


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


def has_excess(comparison: RoundComparison, objective: str) -> bool:
    """Whether the excess of any search over the best known cost is known."""
    data = comparison.to_frame()
    return len(data) > 0 and bool(np.isfinite(data["excess"][data["objective"] == objective]).any())


def draw_profile(comparison: RoundComparison, objective: str, ax: Axes | None = None) -> Axes:
    """Draw the share of searches in which each optimizer came within each distance of the best known.

    Parameters
    ----------
    comparison : RoundComparison
        The searches.
    objective : str
        Its name.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If no search has a result.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=8, now=0, waiting=[(0, 8, 100), (0, 4, 300), (0, 2, 50)])
    >>> comparison = pb.compare_rounds({"one": problem}, ["annealing", "tabu"], ["wait"], evaluations=100)
    >>> pb.draw_profile(comparison, "wait").get_ylabel()
    'searches'
    """
    expect("comparison", comparison, RoundComparison)
    if not has_excess(comparison, objective):
        raise ValueError(f"{objective}: no search has a result")
    data = comparison.to_frame()
    data = data[data["objective"] == objective]
    finite = data["excess"][np.isfinite(data["excess"])]
    end = max(1.3 * float(finite.max()), 10 * LEAST_EXCESS)
    with axes_for(ax, *PROFILE) as axes:
        for optimizer, (colour, dash) in styles(comparison).items():
            excesses = data[data["optimizer"] == optimizer]["excess"].to_numpy()
            if not len(excesses):
                continue
            reached = np.sort(excesses[np.isfinite(excesses)])
            within = np.searchsorted(reached, LEAST_EXCESS, side="right")
            beyond = reached[within:]
            at = np.concatenate([[0, LEAST_EXCESS], beyond, [end]])
            count = np.concatenate([[within, within], np.arange(within + 1, len(reached) + 1), [len(reached)]])
            axes.step(
                at, 100 * count / len(excesses), where="post", color=colour, linestyle=dash,
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
        axes.set_xlabel(f"excess over the best known cost, at most  (0%: up to {percent(LEAST_EXCESS)})")
        axes.set_ylabel("searches")
        add_title(
            axes,
            f"How close searches come: {objective}",
            f"{counted(len(comparison.rounds), 'round')}, {budget_text(comparison.budget)}",
        )
        legend_beside(axes)
    return axes


def write_curves(comparison: RoundComparison, objective: str, path: Path) -> Path:
    """Write :func:`draw_curves` against evaluations and against seconds, side by side, as PNG and SVG."""
    with drawing(*CURVES) as figure:
        left, right = figure.subplots(1, 2, sharey=True)
        subtitle = add_curves(comparison, objective, left, "evaluations")
        add_curves(comparison, objective, right, "seconds")
        add_title(left, f"Excess along the search: {objective}", subtitle)
        right.set_ylabel("")
        handles, labels = left.get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside lower left", ncols=min(len(labels), 5), frameon=False, handlelength=2.8
        )
        save(figure, path)
    return path.with_suffix(".png")


def draw_curves(
    comparison: RoundComparison,
    objective: str,
    ax: Axes | None = None,
    *,
    against: Literal["evaluations", "seconds"] = "evaluations",
) -> Axes:
    """Draw the excess of the best cost so far over the best known: median and quartiles over rounds and seeds.

    Both axes are logarithmic; excesses below :data:`LEAST_EXCESS` are drawn at it.

    Parameters
    ----------
    comparison : RoundComparison
        The searches, with curves; see the parameter ``curves`` of :func:`compare_rounds`.
    objective : str
        Its name.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    against : {"evaluations", "seconds"}
        The horizontal axis.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If the searches of this objective have no curves.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=8, now=0, waiting=[(0, 8, 100), (0, 4, 300), (0, 2, 50)])
    >>> comparison = pb.compare_rounds({"one": problem}, ["annealing", "tabu"], ["wait"], evaluations=100, curves=1)
    >>> pb.draw_curves(comparison, "wait").get_xlabel()
    'evaluations'
    """
    expect("comparison", comparison, RoundComparison)
    with axes_for(ax, 0.6 * CURVES[0], CURVES[1]) as axes:
        subtitle = add_curves(comparison, objective, axes, against)
        add_title(axes, f"Excess along the search: {objective}", subtitle)
        legend_beside(axes)
    return axes


def add_curves(comparison: RoundComparison, objective: str, axes: Axes, against: str) -> str:
    """Draw the curves of :func:`draw_curves`; return what they show, in words."""
    data = comparison.curves()
    data = data[data["objective"] == objective]
    if data.empty:
        raise ValueError(f"{objective}: no search was followed; compare rounds with curves=…")
    several = len(data[["round", "seed"]].drop_duplicates()) > 1
    banded = several and data["optimizer"].nunique() <= MOST_BANDS
    highest = 10 * LEAST_EXCESS
    for optimizer, (colour, dash) in styles(comparison).items():
        curves = data[data["optimizer"] == optimizer]
        if curves.empty:
            continue
        at, low, middle, high = excess_over(comparison, curves, against, float(data[against].max()))
        highest = max(highest, float(high.max(initial=0)))
        axes.plot(at, middle, color=colour, linestyle=dash, linewidth=2, label=optimizer)
        if banded:
            axes.fill_between(at, low, high, color=colour, alpha=0.08, linewidth=0)
            for quartile in (low, high):
                axes.plot(at, quartile, color=colour, linestyle=dash, linewidth=0.7)
    finish_curves(axes, against, highest)
    counts = counted(data["round"].nunique(), "round"), counted(data["seed"].nunique(), "seed")
    spread = ("median and quartiles of " if banded else "median of ") if several else ""
    return f"{spread}{', '.join(counts)}"


def excess_over(
    comparison: RoundComparison, curves: "DataFrame", against: str, last: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return points of an axis, and the quartiles of the excess of all searches of an optimizer there.

    The points begin where every search has a first plan: at one evaluation, or after the slowest one's seconds.
    They reach to ``last``, even if all searches of the optimizer ended before.
    """
    steps = []
    for (name, objective, _), curve in curves.groupby(["round", "objective", "seed"]):
        best = comparison.best[str(name), str(objective)].cost
        over = np.array([excess(cost, best) for cost in curve["cost"]])
        steps.append((curve[against].to_numpy(dtype=np.float64), over))
    begin = max(*(float(at[0]) for at, _ in steps), 1.0 if against == "evaluations" else 1e-6)
    end = max(last, 1.01 * begin)
    at = np.unique(np.concatenate([at for at, _ in steps] + [[begin, end]]).clip(begin, end))
    levels = np.array([over[np.searchsorted(own, at, side="right") - 1] for own, over in steps])
    levels = levels[np.isfinite(levels).all(axis=1)]  # no excess over a best cost of nothing
    if not len(levels):
        return (np.zeros(0),) * 4
    # Curves are constant between two points, so the end of each step is a point, too.
    low, middle, high = np.quantile(levels, (0.25, 0.5, 0.75), axis=0).clip(LEAST_EXCESS)
    x = np.repeat(at, 2)[1:]
    low, middle, high = (np.repeat(values, 2)[:-1] for values in (low, middle, high))
    return x, low, middle, high


def finish_curves(axes: Axes, against: str, highest: float) -> None:
    """Give the curves their axes."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(0.8 * LEAST_EXCESS, 1.5 * highest)
    axes.set_xlabel(against)
    axes.set_ylabel("excess over the best known cost")
    low, high = axes.get_xlim()
    axes.set_xticks(logarithmic_ticks(low, high))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    ticks = [float(tick) for tick in 10.0 ** np.arange(-4, 7) if tick <= 1.5 * highest]
    names = [f"≤{percent(LEAST_EXCESS)}", *(percent(tick) for tick in ticks[1:])]
    axes.set_yticks(ticks, names)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
    grid(axes)
