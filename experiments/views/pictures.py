"""A comparison as pictures and as a table of numbers, in files."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from planbatch.experiments.comparison.compare import REFERENCE, Comparison
from planbatch.experiments.text import change, duration

if TYPE_CHECKING:
    from planbatch.planner.model import FloatArray

#: Colours that can be distinguished with any colour vision (Okabe and Ito 2008), without yellow, and dark enough.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F3C8D", "#444444")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)))
INK, FAINT = "#222222", "#8A8A8A"
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "planbatch",
}
#: Ticks of a logarithmic axis of waiting times (s).
TICKS = {
    1: "1 s",
    10: "10 s",
    60: "1 min",
    600: "10 min",
    3600: "1 h",
    6 * 3600: "6 h",
    86400: "1 d",
    7 * 86400: "1 w",
    28 * 86400: "4 w",
    364 * 86400: "1 y",
}
#: A bar longer than this many times the next one is cut, so that the others can still be distinguished.
CUT = 3.0


@contextmanager
def drawing(width: float, height: float) -> Iterator[tuple[Figure, Axes]]:
    """Open a figure in the project's style, and its axes; sizes in inches."""
    with rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure, figure.add_subplot()


def logarithmic_ticks(low: float, high: float) -> list[float]:
    """Round numbers for a logarithmic axis: three at least, if any set of them has three, and no more than needed.

    >>> logarithmic_ticks(45.0, 240.0), logarithmic_ticks(0.9, 2.2)
    ([50.0, 100.0, 200.0], [1.0, 1.5, 2.0])
    """
    ticks: list[float] = []
    for steps in (
        (1,),
        (1, 2, 5),
        (1, 1.5, 2, 3, 5, 7),
        (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 7, 8, 9),
    ):
        decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
        ticks = [float(f"{step * 10.0**k:.6g}") for k in decades for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) >= 3:
            break
    return ticks


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG and as SVG, with the same bytes each time."""
    figure.savefig(path.with_suffix(".png"), dpi=160)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})


def write_comparison(comparison: Comparison, folder: Path) -> None:
    """Write ``comparison.csv``, and the pictures ``waits`` and ``mean-wait`` as PNG and SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    comparison.frame().to_csv(folder / "comparison.csv")
    draw_waits(comparison, folder / "waits")
    draw_mean_waits(comparison, folder / "mean-wait")


def described(comparison: Comparison) -> str:
    """Describe in one line what was replayed."""
    workload = comparison.workload
    return (
        f"{workload.name}: {len(workload):,} jobs on {workload.capacity:,} processors, "
        f"{comparison.estimates} estimates"
    )


def titled(axes: Axes, title: str, subtitle: str) -> None:
    """Put a title and a line below it above the axes, flush left."""
    axes.set_title(f"{title}\n", loc="left", fontweight="bold", fontsize=12)
    axes.annotate(
        subtitle,
        (0, 1),
        xytext=(0, 8),
        xycoords="axes fraction",
        textcoords="offset points",
        color=FAINT,
        fontsize=9,
    )


def line_styles(
    names: Sequence[str], searching: Collection[str]
) -> Mapping[str, tuple[str, object]]:
    """Give every policy a colour, and searches another dash than queue-based policies."""
    styles = {}
    for i, name in enumerate(names):
        dash = DASHES[i // len(COLOURS) % len(DASHES)]
        if name in searching:
            dash = DASHES[(i // len(COLOURS) + 1) % len(DASHES)]
        styles[name] = (COLOURS[i % len(COLOURS)], dash)
    return styles


def searching(comparison: Comparison) -> list[str]:
    """Return the policies that search for plans."""
    return [name for name, trace in comparison.traces.items() if trace.traits.searches]


def left_edge(waits: "Mapping[str, FloatArray]") -> int:
    """Return the last tick (s) below which, under every policy, at most 2 % of the waits lie."""
    edge = 1
    for tick in TICKS:
        shares = [((wait > 0) & (wait < tick)).mean() for wait in waits.values()]
        if tick <= 600 and max(shares) <= 0.02:
            edge = tick
    return edge


def draw_waits(comparison: Comparison, path: Path) -> None:
    """Draw the empirical distribution functions of the waiting times.

    The axis of waiting times is logarithmic. Jobs that started at once have no place on it: at the left edge, every
    curve begins at the share of jobs that waited no longer than that.
    """
    submit = comparison.workload.submit
    waits = {
        name: np.sort(trace.start - submit).astype(np.float64)
        for name, trace in comparison.traces.items()
    }
    edge = left_edge(waits)
    longest = max(max(wait[-1] for wait in waits.values()), 60.0 * edge)
    by_mean = sorted(waits, key=lambda name: float(waits[name].mean()))
    styles = line_styles(list(waits), searching(comparison))
    with drawing(8.4, 4.6) as (figure, axes):
        for name in by_mean:
            wait = waits[name]
            inside = wait[wait > edge]
            first = len(wait) - len(inside)
            at = np.concatenate([[edge], inside, [longest]])
            reached = np.concatenate([np.arange(first, len(wait) + 1), [len(wait)]]) / len(wait)
            colour, dash = styles[name]
            axes.step(
                at,
                100 * reached,
                where="post",
                color=colour,
                linestyle=dash,
                linewidth=1.8,
                label=f"{name}  ({duration(float(wait.mean()))})",
            )
        axes.set_xscale("log")
        axes.set_xlim(edge, longest)
        axes.set_ylim(0, 101)
        ticks = [tick for tick in TICKS if edge <= tick <= longest]
        axes.set_xticks(ticks, [TICKS[tick] for tick in ticks])
        axes.set_xticks([], minor=True)
        axes.yaxis.set_major_formatter("{x:.0f}%")
        axes.grid(color="#E6E6E6", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_xlabel(
            f"waiting time  (curves begin with the jobs that waited at most {TICKS[edge]})"
        )
        axes.set_ylabel("jobs that waited at most so long")
        titled(axes, "How long jobs wait", described(comparison))
        legend = axes.legend(
            title="policy  (mean wait)",
            loc="center left",
            bbox_to_anchor=(1.01, 0.5),
            frameon=False,
            handlelength=2.4,
            alignment="left",
        )
        legend.get_title().set_color(FAINT)
        save(figure, path)


def unit_of(seconds: float) -> tuple[str, int]:
    """Return the unit for an axis that reaches to ``seconds``, and its length (s)."""
    for name, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return name, length
    return "seconds", 1


def axis_end(means: list[float]) -> float:
    """Return the end of the bars' axis; bars that would dwarf the others are cut."""
    ordered = sorted(means)
    end = ordered[0]
    for shorter, longer in pairwise(ordered):
        if longer > CUT * max(shorter, 1.0) and shorter > 0:
            break
        end = longer
    return max(end, 1.0)


def draw_mean_waits(comparison: Comparison, path: Path) -> None:
    """Draw the mean waits as bars, the shortest on top, with their change against EASY."""
    measured = comparison.metrics
    names = sorted(measured, key=lambda name: measured[name].mean_wait)
    means = [measured[name].mean_wait for name in names]
    reference = measured[REFERENCE].mean_wait if REFERENCE in measured else None
    end = axis_end(means)
    unit, length = unit_of(end)
    with drawing(8.4, 1.5 + 0.38 * len(names)) as (figure, axes):
        for row, (name, mean) in enumerate(zip(names, means, strict=True)):
            searched = comparison.traces[name].traits.searches
            shown = min(mean, 1.08 * end)
            axes.barh(row, shown / length, color=COLOURS[0] if searched else "#A9B4BE", height=0.66)
            label = duration(mean)
            if reference is not None and name != REFERENCE:
                label += f"  ({change(mean, reference)})"
            if mean > shown:
                cut_mark(axes, 0.97 * shown / length, row, end / length)
            axes.annotate(
                label,
                (shown / length, row),
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
        axes.grid(axis="x", color="#E6E6E6", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_xlabel(
            f"mean wait ({unit})" + ("; in brackets: against EASY" if reference else "")
        )
        titled(axes, "Mean wait by policy", described(comparison))
        save(figure, path)


def cut_mark(axes: Axes, at: float, row: int, end: float) -> None:
    """Mark a bar that goes on beyond the axis."""
    for shift in (0.0, 0.012 * end):
        axes.plot(
            [at + shift - 0.006 * end, at + shift + 0.006 * end],
            [row + 0.4, row - 0.4],
            color="white",
            linewidth=2,
        )
