"""Mean waits by size and run time, up to 15 logarithmic bins each, and ratios to the reference.

As Figure 6 of Zheng et al., "Exploring plan-based scheduling for large-scale computing systems", 2016.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from planbatch.experiments.common.table import Column, Table, rows_of, time_column
from planbatch.experiments.figures.style import FAINT, TICKS, add_heading, drawing, ratio_ticks, time_ticks
from planbatch.experiments.report.cases import Runs
from planbatch.experiments.report.drawing import Picture
from planbatch.planner.model import FloatArray, IntArray

BINS = 15
#: Shorter waits have the colour of this one (s), so that colours distinguish the waits that matter.
SHORTEST = 60.0
#: Ratios beyond this factor have its colour.
LARGEST_RATIO = 8.0
ACROSS = 4


def log_edges(values: IntArray) -> FloatArray:
    """Divide the range of positive whole numbers into ``BINS`` bins, even on a logarithmic axis.

    Bins that hold no whole number, such as from 1.3 to 1.8, are joined with the next.
    """
    low, high = float(values.min()), float(values.max())
    even = np.geomspace(low, max(high, 1.001 * low), BINS + 1)
    edges = [low]
    for edge in even[1:-1] * (1 - 1e-12):
        if np.ceil(edges[-1] * (1 - 1e-12)) < edge:
            edges.append(float(edge))
    while len(edges) > 1 and np.ceil(edges[-1]) > high:  # the range is a single number
        edges.pop()
    return np.array([*edges, even[-1]])


def log_bin(values: IntArray, edges: FloatArray) -> IntArray:
    """Return the bin of every value; the last bin includes its upper edge."""
    return (np.searchsorted(edges, values * (1 + 1e-12), side="right") - 1).clip(0, len(edges) - 2)


@dataclass(frozen=True)
class HeatMap:
    """Mean waits by run time and size."""

    #: Edges of the bins: processors, and run times (s); shapes (rows + 1,), (columns + 1,).
    sizes: FloatArray
    times: FloatArray
    jobs: IntArray  # how many jobs are in a bin; rows are sizes, columns run times; shape (rows, columns)
    wait: dict[str, FloatArray]  # policy → mean wait (s), NaN for bins without jobs; shape (rows, columns)


def heat_map(jobs: Mapping[str, tuple[IntArray, IntArray, FloatArray]]) -> HeatMap:
    """Average waits over bins, which all policies share; policy → processors, run time and wait (s) of its jobs."""
    procs, runtime, _ = next(iter(jobs.values()))
    sizes, times = log_edges(procs), log_edges(runtime)
    counts = np.zeros((len(sizes) - 1, len(times) - 1), dtype=np.int64)
    waits = {}
    for label, columns in jobs.items():
        counts, waits[label] = mean_by_bin(*columns, sizes, times)
    return HeatMap(sizes, times, counts, waits)


def mean_by_bin(
    procs: IntArray, runtime: IntArray, wait: FloatArray, sizes: FloatArray, times: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Count jobs, and average their waits (s), over bins of size (rows) and run time (columns); NaN without jobs."""
    rows, columns = len(sizes) - 1, len(times) - 1
    bins = log_bin(procs, sizes) * columns + log_bin(runtime, times)
    counts = np.bincount(bins, minlength=rows * columns).reshape(rows, columns)
    sums = np.bincount(bins, weights=wait, minlength=rows * columns).reshape(rows, columns)
    return counts, np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def wait_ratios(wait: FloatArray, base: FloatArray) -> FloatArray:
    """Divide mean waits (s) by those of a reference; NaN if both are below ``SHORTEST``."""
    # A ratio of very short waits means nothing; an added second keeps the others finite.
    enough = np.fmax(wait, base) >= SHORTEST
    return np.where(enough, (wait + 1) / (base + 1), np.nan)


def shades(name: str) -> ListedColormap:
    """Return a colour map without its darkest ends, which would vanish on a dark page."""
    return ListedColormap(colormaps[name](np.linspace(0.12, 0.88, 256)))


def wait_look(data: HeatMap) -> dict[str, Any]:
    """Return the colours of mean waits, as arguments of ``pcolormesh``."""
    longest = max(float(np.nanmax(values)) for values in data.wait.values())
    return {"norm": LogNorm(SHORTEST, max(longest, 10 * SHORTEST)), "cmap": shades("RdYlBu_r")}


def ratio_options() -> dict[str, Any]:
    """Return the colours of ratios, as arguments of ``pcolormesh``."""
    return {"norm": LogNorm(1 / LARGEST_RATIO, LARGEST_RATIO), "cmap": shades("RdBu_r")}


def draw_panel(axes: Axes, data: HeatMap, values: FloatArray, title: str, **options: Any) -> QuadMesh:
    """Draw one map; bins without a value have a dot."""
    # As pixels, since thousands of rectangles would make pages large.
    image = axes.pcolormesh(data.times, data.sizes, np.ma.masked_invalid(values), rasterized=True, **options)
    rows, columns = np.nonzero(~np.isfinite(values))
    middle_times = np.sqrt(data.times[:-1] * data.times[1:])
    middle_sizes = np.sqrt(data.sizes[:-1] * data.sizes[1:])
    axes.plot(
        middle_times[columns], middle_sizes[rows], linestyle="none", marker=".", markersize=3,
        color=FAINT, markeredgewidth=0,
    )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(data.times[0], data.times[-1])
    axes.set_ylim(data.sizes[0], data.sizes[-1])
    ticks = {float(time): name for time, name in TICKS.items() if time not in (6 * 3600, 600)}
    powers = {float(4**k): f"{4**k:,}" for k in range(12)}
    for axis, edges, names in ((axes.xaxis, data.times, ticks), (axes.yaxis, data.sizes, powers)):
        inside = [value for value in names if edges[0] <= value <= edges[-1]]
        axis.set_ticks(inside, [names[value] for value in inside])
        axis.set_minor_locator(NullLocator())
    axes.tick_params(labelsize=8)
    axes.set_title(title, loc="left", fontsize=9.5)
    for side in axes.spines.values():
        side.set_visible(False)
    return image


def draw_heat_maps(runs: Runs, data: HeatMap) -> list[Picture]:
    """Draw the maps of the mean waits, and those of their ratios to the reference."""
    case, base = runs.case, data.wait.get(runs.reference or "")
    with draw_maps(data.wait, data, wait_look(data), "min", time_ticks) as figure:
        add_heading(figure, f"{case.title}: mean wait by size and run time")
        caption = (
            f"Mean wait of the jobs in up to {BINS} × {BINS} logarithmic bins: blue waits little, red waits long. "
            f"Bins without jobs have a dot.{runs.which_seed}"
        )
        pictures = [case.picture(figure, "map-waits", "Waits by size and run time", caption)]
    others = {label: wait for label, wait in data.wait.items() if label != runs.reference}
    if base is None or not others:
        return pictures
    ratios = {label: wait_ratios(wait, base) for label, wait in others.items()}
    with draw_maps(ratios, data, ratio_options(), "both", ratio_ticks) as figure:
        add_heading(figure, f"{case.title}: mean wait, as a ratio to {runs.reference}")
        caption = (
            "Blue: these jobs wait less than under the reference; red: they wait more. Bins without jobs, and those "
            f"in which jobs wait less than a minute under both, have a dot.{runs.which_seed}"
        )
        title = f"Who gains and who loses against {runs.reference}"
        return [*pictures, case.picture(figure, "map-ratios", title, caption)]


@contextmanager
def draw_maps(
    maps: Mapping[str, FloatArray],
    data: HeatMap,
    options: Mapping[str, Any],
    extend: str,
    ticks: Callable[[Any, float, float], None],
) -> Iterator[Figure]:
    """Draw one map per policy, with one colour bar; ``extend`` says where values go on beyond the colours."""
    across = min(ACROSS, len(maps))
    down = -(-len(maps) // across)
    with drawing(2.3 * across + 1.5, 2.0 * down + 0.9) as figure:
        panels = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True)
        for index, (axes, (label, values)) in enumerate(zip(panels.flat, maps.items(), strict=False)):
            image = draw_panel(axes, data, values, label, **options)
            if index + across >= len(maps):
                axes.tick_params(labelbottom=True)
        for axes in panels.flat[len(maps) :]:
            axes.set_visible(False)
        bar = figure.colorbar(image, ax=panels, pad=0.015, aspect=28, extend=extend)
        bar.outline.set_visible(False)  # type: ignore[operator]
        ticks(bar.ax.yaxis, *image.get_clim())
        figure.supxlabel("run time", fontsize=9.5)
        figure.supylabel("processors", fontsize=9.5)
        yield figure


def heat_map_table(runs: Runs, data: HeatMap) -> Table:
    """List every bin that holds jobs."""
    columns = [
        Column("procs_from", "processors from", "{:,.1f}".format),
        Column("procs_to", "to", "{:,.1f}".format),
        time_column("runtime_from", "run time from"),
        time_column("runtime_to", "to"),
        Column("jobs", "jobs", "{:,}".format),
        *(time_column(f"{label} mean_wait", label) for label in data.wait),
    ]
    i, j = np.nonzero(data.jobs)
    bins = {
        "procs_from": data.sizes[i], "procs_to": data.sizes[i + 1],
        "runtime_from": data.times[j], "runtime_to": data.times[j + 1], "jobs": data.jobs[i, j],
    }  # fmt: skip
    rows = rows_of(bins | {f"{label} mean_wait": wait[i, j] for label, wait in data.wait.items()})
    caption = f"{runs.case.title}: mean wait by size and run time"
    return Table(f"{runs.case.name}-map", caption, columns, rows)
