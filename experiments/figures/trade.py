"""The trade between mean and maximum wait as a picture and as a table."""

from collections.abc import Sequence
from math import ceil
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from rich import box
from rich.table import Table
from rich.text import Text

from planbatch.experiments.common.text import durations
from planbatch.experiments.figures.style import (
    COLOURS,
    FAINT,
    INK,
    STYLE,
    logarithmic_ticks,
    panels_for,
    panels_of,
    save,
)
from planbatch.experiments.studies.columns import REFERENCE
from planbatch.experiments.studies.metrics import Metric
from planbatch.experiments.studies.trade import NO_PROMISE, Point, Trade

#: Markers of the promises, in order of appearance.
MARKERS = ("o", "s", "^", "v", "D", "P", "X", "<", ">", "p", "h", "*")
GRID, BETTER = "#E6E6E6", "#E8F1E2"
#: Panels side by side, and the size of each (inches).
ACROSS, SIZE = 3, (3.4, 3.1)
#: Points beyond this many times EASY's mean wait are drawn at the edge.
WIDEST = 2.0


def write_trade(trade: Trade, path: Path) -> None:
    """Write :func:`draw_trade` as PNG and SVG."""
    with rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=_size(trade), layout="constrained")
        FigureCanvasAgg(figure)
        draw_trade(trade, panels_of(figure, len(trade.by_workload()), _across(trade)))
        save(figure, path)


def _across(trade: Trade) -> int:
    """Return how many panels stand side by side."""
    count = len(trade.by_workload())
    return 2 if count == 4 else min(count, ACROSS)


def _size(trade: Trade) -> tuple[float, float]:
    """Return the size of the picture (inches)."""
    across = _across(trade)
    down = ceil(len(trade.by_workload()) / across)
    return max(across * SIZE[0], 4.6) + 2.1, down * SIZE[1] + 0.6


def draw_trade(trade: Trade, ax: Axes | Sequence[Axes] | None = None) -> list[Axes]:
    """Draw one panel per workload.

    Colours stand for policies, markers for promises. The front is drawn as a staircase that no point lies below.
    Ratios of the maximum wait have a logarithmic axis; points beyond :data:`WIDEST` are drawn hollow at the right
    edge.

    Parameters
    ----------
    trade : Trade
        The points.
    ax : Axes or sequence of Axes, optional
        Where to draw: one per workload; by default in a new figure.

    Returns
    -------
    list of Axes
        One per workload.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> found = pb.trade([workload], pb.choices(["plan-wait"], ["none", "2x"]))
    >>> len(pb.draw_trade(found))
    1
    """
    groups, across = trade.by_workload(), _across(trade)
    colours = _by_order([point.policy for point in trade.points], (INK, *COLOURS[:-1]))
    markers = _by_order([point.promise for point in trade.points if point.searches], MARKERS)
    with panels_for(ax, len(groups), across, _size(trade)) as panels:
        for place, (panel, (name, points)) in enumerate(zip(panels, groups.items(), strict=True)):
            _draw_panel(panel, name, points, colours, markers)
            if place % across == 0:
                panel.set_ylabel("maximum wait / EASY's")
            if place + across >= len(panels):
                panel.set_xlabel("mean wait / EASY's")
        figure = panels[0].get_figure(root=True)
        assert figure is not None
        figure.suptitle(
            "Mean wait against maximum wait", x=0.01, ha="left", fontweight="bold", fontsize=12
        )
        searching = {point.policy for point in trade.points if point.searches}
        _legend(figure, colours, markers, searching)
    return panels


def _by_order(names: Sequence[str], looks: Sequence[str]) -> dict[str, str]:
    """Assign looks to names in order of appearance."""
    return {name: looks[i % len(looks)] for i, name in enumerate(dict.fromkeys(names))}


def _draw_panel(
    panel: Axes,
    name: str,
    points: Sequence[Point],
    colours: dict[str, str],
    markers: dict[str, str],
) -> None:
    """Draw the points of a workload and their front."""
    right = min(max(point.mean_ratio for point in points), WIDEST)
    left = min(point.mean_ratio for point in points)
    room = 0.08 * max(right - left, 0.1)
    heights = np.log([point.max_ratio for point in points])
    spread = 0.08 * max(float(np.ptp(heights)), 0.3)
    low, high = np.exp([min(heights.min(), -0.1) - spread, heights.max() + spread])
    panel.set_xlim(left - room, right + room)
    panel.set_yscale("log")
    panel.set_ylim(low, high)
    panel.fill_between([left - room, 1.0], low, 1.0, color=BETTER, linewidth=0, zorder=0)
    panel.grid(color=GRID, linewidth=0.8)
    panel.set_axisbelow(True)
    front = sorted((p.mean_ratio, p.max_ratio) for p in points if p.on_front)
    x = [front[0][0], *(mean for mean, _ in front), right + room]
    y = [high, *(longest for _, longest in front), front[-1][1]]
    panel.step(x, y, where="post", color=FAINT, linewidth=1.3, zorder=1)
    for point in points:
        outside = point.mean_ratio > right
        panel.plot(
            min(point.mean_ratio, right),
            point.max_ratio,
            marker=markers[point.promise] if point.searches else "d",
            color=colours[point.policy],
            markerfacecolor="white" if outside else colours[point.policy],
            markeredgecolor=colours[point.policy] if outside else "white",
            markeredgewidth=0.6 if not outside else 1.2,
            markersize=8 if point.on_front else 6.5,
            linestyle="none",
            zorder=3 if point.on_front else 2,
        )
        if outside:
            panel.annotate(
                f"{point.mean_ratio:.1f}×", (right, point.max_ratio), xytext=(-6, 0),
                textcoords="offset points", ha="right", va="center", fontsize=8, color=FAINT,
            )  # fmt: skip
    _ticks(panel, low, high)
    panel.set_title(name, loc="left", fontsize=10, color=FAINT)


def _ticks(panel: Axes, low: float, high: float) -> None:
    """Put a few round numbers on the logarithmic axis."""
    panel.yaxis.set_major_locator(FixedLocator(logarithmic_ticks(low, high)))
    panel.yaxis.set_minor_locator(NullLocator())
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panel.locator_params(axis="x", nbins=5)
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _legend(
    figure: Figure, colours: dict[str, str], markers: dict[str, str], searching: set[str]
) -> None:
    """Put one legend beside the panels: policies by colour, promises by marker, and the front."""

    def entry(label: str, marker: str, colour: str) -> Line2D:
        return Line2D([], [], linestyle="none", marker=marker, color=colour, markersize=7, label=label)  # fmt: skip

    def heading(label: str) -> Line2D:
        return Line2D([], [], linestyle="none", label=label)

    entries = [heading("policy")]
    for name, colour in colours.items():
        entries.append(entry(name, "o" if name in searching else "d", colour))
    if markers:
        entries += [heading(""), heading("promise")]
        entries += [entry(promise, marker, FAINT) for promise, marker in markers.items()]
    entries += [heading(""), Line2D([], [], color=FAINT, linewidth=1.3, label="Pareto front")]
    entries.append(
        Line2D([], [], linestyle="none", marker="s", markersize=11, color=BETTER, label="better than EASY in both")
    )  # fmt: skip
    legend = figure.legend(
        handles=entries, loc="outside right upper", frameon=False, fontsize=9, handletextpad=0.4
    )
    for text in legend.get_texts():
        if text.get_text() in ("policy", "promise"):
            text.set_fontweight("bold")


def trade_table(workload: str, points: Sequence[Point], asked: Sequence[Metric] = ()) -> Table:
    """Lay out the points of a workload, by mean wait; those on the front marked.

    Parameters
    ----------
    workload : str
        Its name, the title.
    points : sequence of Point
        Its points; see :meth:`Trade.by_workload`.
    asked : sequence of Metric
        Further columns.

    Returns
    -------
    rich.table.Table
        Print it with ``rich.print``.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> found = pb.trade([workload], pb.choices(["plan-wait"], ["none"]))
    >>> [pb.trade_table(*pair).row_count for pair in found.by_workload().items()]
    [2]
    """
    table = Table(
        title=Text(workload), title_justify="left", box=box.SIMPLE_HEAD, show_edge=False,
        caption="ratios are to EASY's; ●: on the Pareto front", caption_justify="left",
    )  # fmt: skip
    for heading in ("policy", "promise"):
        table.add_column(heading, no_wrap=True)
    ordered = sorted(points, key=lambda point: (point.mean_wait, point.max_wait))
    mean_unit, means = durations([point.mean_wait for point in ordered])
    max_unit, longest = durations([point.max_wait for point in ordered])
    headings = [f"mean wait ({mean_unit})", "ratio", f"max. wait ({max_unit})", "ratio", "front"]
    more = []
    for metric in asked:
        values = [point.values[metric.name] for point in ordered]
        seconds = metric.unit == "s"
        unit, texts = durations(values) if seconds else ("", [metric.written(v) for v in values])
        headings.append(f"{metric.name} ({unit})" if unit else metric.name)
        more.append(texts)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for row, point in enumerate(ordered):
        promise = "" if point.promise == NO_PROMISE and not point.searches else point.promise
        table.add_row(
            Text(point.policy),
            Text(promise),
            means[row],
            f"{point.mean_ratio:.2f}",
            longest[row],
            f"{point.max_ratio:.2f}",
            "●" if point.on_front else "",
            *(texts[row] for texts in more),
            style="bold" if point.policy == REFERENCE else "",
        )
    return table
