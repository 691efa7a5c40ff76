"""A comparison as pictures and as a table of numbers, in files."""

from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from planbatch.experiments.common.paths import as_path, check_folder
from planbatch.experiments.common.text import change, duration
from planbatch.experiments.figures.panels import draw_curve_panel, draw_front, draw_points, left_edge, longest_waits
from planbatch.experiments.figures.style import (
    COLOURS,
    TICKS,
    add_title,
    axes_for,
    grid,
    legend_beside,
    line_styles,
    time_ticks,
    write_picture,
)
from planbatch.experiments.studies.compare import Comparison
from planbatch.experiments.studies.metrics import REFERENCE
from planbatch.planner.arguments import expect
from planbatch.planner.display import unit_for

#: A bar longer than this many times the next one is cut, so that the others can still be distinguished.
CUT = 3.0
#: Size of the pictures of distributions and trade-offs (inches).
SIZE = (8.4, 4.6)


def write_comparison(comparison: Comparison, folder: str | Path) -> None:
    """Write ``comparison.csv``, and the pictures ``waits``, ``mean-wait`` and ``trade-off`` as PNG and SVG.

    Parameters
    ----------
    comparison : Comparison
        The replays.
    folder : str or Path
        Created if it does not exist.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pb.write_comparison(pb.compare(workload, ["fcfs", "easy"]), Path(folder))
    ...     sorted({path.stem for path in Path(folder).iterdir()})
    ['comparison', 'mean-wait', 'trade-off', 'waits']
    """
    expect("comparison", comparison, Comparison)
    folder = as_path("folder", folder)
    check_folder("folder", folder)
    folder.mkdir(parents=True, exist_ok=True)
    comparison.to_frame().to_csv(folder / "comparison.csv")
    write_picture(folder / "waits", SIZE, lambda axes: draw_waits(comparison, axes))
    size = bars_size(comparison)
    write_picture(folder / "mean-wait", size, lambda axes: draw_mean_waits(comparison, axes))
    write_picture(folder / "trade-off", SIZE, lambda axes: draw_trade_off(comparison, axes))


def draw_waits(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the empirical distribution functions of the waiting times.

    The axis of waiting times is logarithmic. Jobs that started at once have no place on it: at the left edge, every
    curve begins at the share of jobs that waited no longer than that.

    Parameters
    ----------
    comparison : Comparison
        The replays.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> pb.draw_waits(pb.compare(workload, ["fcfs", "easy"])).get_ylabel()
    'jobs that waited at most so long'
    """
    expect("comparison", comparison, Comparison)
    submit = comparison.workload.submit
    waits = {name: (trace.start - submit).astype(np.float64) for name, trace in comparison.traces.items()}
    edge = left_edge(waits)
    styles = line_styles(list(waits), comparison.searching)
    curves, curve_styles = {}, {}
    for name in sorted(waits, key=lambda name: float(waits[name].mean())):
        label = f"{name}  ({duration(float(waits[name].mean()))})"
        curves[label], curve_styles[label] = waits[name], styles[name]
    with axes_for(ax, *SIZE) as axes:
        draw_curve_panel(axes, curves, float(edge), curve_styles)
        time_ticks(axes.xaxis, *axes.get_xlim())
        axes.set_xlabel(f"waiting time  (curves begin with the jobs that waited at most {TICKS[edge]})")
        axes.set_ylabel("jobs that waited at most so long")
        add_title(axes, "How long jobs wait", comparison.title)
        legend_beside(axes, "policy  (mean wait)")
    return axes


def unit_of(seconds: float) -> tuple[str, int]:
    """Return the unit for an axis that reaches to ``seconds``, and its length (s)."""
    unit, length = unit_for(seconds)
    return {"d": "days", "h": "hours", "min": "minutes", "s": "seconds"}[unit], length


def axis_end(means: list[float]) -> float:
    """Return the end of the bars' axis; bars that would dwarf the others are cut."""
    ordered = sorted(means)
    end = ordered[0]
    for shorter, longer in pairwise(ordered):
        if longer > CUT * max(shorter, 1.0) and shorter > 0:
            break
        end = longer
    return max(end, 1.0)


def bars_size(comparison: Comparison) -> tuple[float, float]:
    """Return the size of the picture of the mean waits (inches)."""
    return 8.4, 1.5 + 0.38 * len(comparison.finished)


def draw_mean_waits(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the mean waits as bars, the shortest on top, with their change against EASY.

    Parameters
    ----------
    comparison : Comparison
        The replays.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> pb.draw_mean_waits(pb.compare(workload, ["fcfs", "easy"])).get_xlabel()
    'mean wait (hours); in brackets: against EASY'
    """
    expect("comparison", comparison, Comparison)
    measured = comparison.metrics
    names = sorted(measured, key=lambda name: measured[name].mean_wait)
    means = [measured[name].mean_wait for name in names]
    reference = measured[REFERENCE].mean_wait if REFERENCE in measured else None
    end = axis_end(means)
    unit, length = unit_of(end)
    with axes_for(ax, *bars_size(comparison)) as axes:
        for row, (name, mean) in enumerate(zip(names, means, strict=True)):
            searched = comparison.traces[name].traits.searches
            width = min(mean, 1.08 * end)
            axes.barh(row, width / length, color=COLOURS[0] if searched else "#A9B4BE", height=0.66)
            label = duration(mean)
            if reference is not None and name != REFERENCE:
                label += f"  ({change(mean, reference)})"
            if mean > width:
                cut_mark(axes, 0.97 * width / length, row, end / length)
            axes.annotate(
                label,
                (width / length, row),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            )
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlim(0, 1.32 * end / length)
        axes.set_xticks([tick for tick in axes.get_xticks() if 0 <= tick <= 1.08 * end / length])
        grid(axes, "x")
        axes.set_xlabel(f"mean wait ({unit})" + ("; in brackets: against EASY" if reference else ""))
        add_title(axes, "Mean wait by policy", comparison.title)
    return axes


def cut_mark(axes: Axes, at: float, row: int, end: float) -> None:
    """Mark a bar that is cut at the end of the axis."""
    for shift in (0.0, 0.012 * end):
        axes.plot(
            [at + shift - 0.006 * end, at + shift + 0.006 * end], [row + 0.4, row - 0.4], color="white", linewidth=2
        )


def draw_trade_off(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the maximum wait of every policy over its mean wait, and the Pareto front; both axes are logarithmic.

    Parameters
    ----------
    comparison : Comparison
        The replays: of policies, or of one with several promises.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> policies = ["easy", "plan-wait", pb.make_policy("plan-wait", promise="2x")]
    >>> pb.draw_trade_off(pb.compare(workload, policies)).get_ylabel()
    'maximum wait'
    """
    expect("comparison", comparison, Comparison)
    names = list(comparison.finished)
    measured = comparison.metrics
    mean = np.array([max(measured[name].mean_wait, 1.0) for name in names])
    longest = np.array([max(float(measured[name].max_wait), 1.0) for name in names])
    styles = line_styles(names, comparison.searching)
    colours = {name: style["color"] for name, style in styles.items()}
    with axes_for(ax, *SIZE) as axes:
        draw_front(axes, mean, longest)
        draw_points(axes, mean, longest, names, colours)
        longest_waits(axes, longest)
        add_title(axes, "Mean against maximum wait", comparison.title)
        legend_beside(axes, "policy")
    return axes
