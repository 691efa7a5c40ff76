"""The house style of pictures: colours, fonts, axes, and how they are written to files."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from planbatch.planner.arguments import expect
from planbatch.planner.display import unit_for

#: Colours that can be distinguished with any colour vision (Okabe and Ito 2008), without yellow, and dark enough.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F3C8D", "#444444")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)))
INK, FAINT, GRID = "#222222", "#8A8A8A", "#E6E6E6"
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

#: Further ticks (s), for axes that would have too few.
MORE_TICKS = {
    2: "2 s", 5: "5 s", 20: "20 s", 120: "2 min", 300: "5 min", 1200: "20 min", 1800: "30 min", 7200: "2 h",
    10800: "3 h", 43200: "12 h", 2 * 86400: "2 d", 4 * 86400: "4 d", 14 * 86400: "2 w", 56 * 86400: "8 w",
    112 * 86400: "16 w",
}  # fmt: skip


@contextmanager
def drawing(width: float, height: float) -> Iterator[Figure]:
    """Open an empty figure in the project's style; sizes in inches."""
    with rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure


@contextmanager
def axes_for(ax: Axes | None, width: float, height: float) -> Iterator[Axes]:
    """Open given axes for drawing in the project's style, or those of a new figure, which notebooks show.

    Sizes are in inches. pyplot, which keeps the figures that notebooks show, is imported only if it is needed.
    """
    with panels_for(None if ax is None else [ax], 1, 1, (width, height)) as panels:
        yield panels[0]


@contextmanager
def panels_for(
    axes: Axes | Sequence[Axes] | None, count: int, across: int, size: tuple[float, float]
) -> Iterator[list[Axes]]:
    """Open the given axes for drawing, or ``count`` axes of a new figure of a size (inches), ``across`` side by side.

    ``ValueError`` if the caller's axes are too few or too many.
    """
    figure = None
    if axes is None:
        from matplotlib import pyplot

        # Outside of the style: pyplot's first figure makes notebooks interactive, which leaving the style would undo.
        figure = pyplot.figure(figsize=size, layout="constrained")
    with rc_context(STYLE):  # type: ignore[arg-type]
        if figure is not None:
            yield panels_of(figure, count, across)
            return
        panels = [axes] if isinstance(axes, Axes) else list(np.asarray(axes, dtype=object).flat)
        for each in panels:
            expect("ax", each, Axes)
        if len(panels) != count:
            raise ValueError(f"ax: {count} axes are needed, and {len(panels)} are given")
        yield panels


def panels_of(figure: Figure, count: int, across: int) -> list[Axes]:
    """Divide a figure into ``count`` axes."""
    across = min(count, across)
    down = -(-count // across)
    return [figure.add_subplot(down, across, index + 1) for index in range(count)]


def write_panels(
    path: Path, count: int, across: int, size: tuple[float, float], draw: Callable[[list[Axes]], object]
) -> Path:
    """Draw on ``count`` axes of a figure of a size (inches), and write it as PNG and SVG; return the PNG's path."""
    with drawing(*size) as figure:
        draw(panels_of(figure, count, across))
        save(figure, path)
    return path.with_suffix(".png")


def write_picture(path: Path, size: tuple[float, float], draw: Callable[[Axes], object]) -> Path:
    """Draw on the only axes of a figure; see :func:`write_panels`."""
    return write_panels(path, 1, 1, size, lambda panels: draw(panels[0]))


def logarithmic_ticks(low: float, high: float) -> list[float]:
    """Round numbers for a logarithmic axis: three at least, if any set of them has three, and no more than needed.

    >>> logarithmic_ticks(45.0, 240.0), logarithmic_ticks(0.9, 2.2)
    ([50.0, 100.0, 200.0], [1.0, 1.5, 2.0])
    >>> logarithmic_ticks(0.9, 1.3), logarithmic_ticks(0.5, 2000.0)
    ([0.9, 1.0, 1.2], [1.0, 10.0, 100.0, 1000.0])
    """
    ticks: list[float] = []
    for steps in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 5, 7), (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)):
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


def add_title(axes: Axes, title: str, subtitle: str) -> None:
    """Put a title and a line below it above the axes, flush left."""
    axes.set_title(f"{title}\n", loc="left", fontweight="bold", fontsize=12)
    axes.annotate(
        subtitle, (0, 1), xytext=(0, 8), xycoords="axes fraction", textcoords="offset points", color=FAINT, fontsize=9
    )


def line_styles(names: Sequence[str], searching: Collection[str]) -> dict[str, dict[str, Any]]:
    """Give every policy a colour, and searches another dash than queue-based policies, as arguments of ``plot``."""
    return {
        name: {
            "color": COLOURS[i % len(COLOURS)],
            "linestyle": DASHES[(i // len(COLOURS) + (name in searching)) % len(DASHES)],
        }
        for i, name in enumerate(names)
    }


def add_heading(figure: Figure, title: str, size: float = 11) -> None:
    """Give a figure its title, flush left, in a size (points)."""
    figure.suptitle(title, x=0.01, ha="left", fontsize=size, fontweight="bold")


def grid(axes: Axes, axis: Literal["both", "x", "y"] = "both") -> None:
    """Draw the grid in the project's style."""
    axes.grid(axis=axis, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)


def legend_beside(axes: Axes, title: str | None = None) -> None:
    """Put a legend to the right of one panel."""
    legend = axes.legend(
        title=title, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, handlelength=2.8, alignment="left"
    )
    legend.get_title().set_color(FAINT)


def legend_right(figure: Figure, axes: Axes) -> Legend:
    """Put a legend to the right of all panels."""
    handles, labels = axes.get_legend_handles_labels()
    legend = figure.legend(
        handles, labels, title="policy", loc="outside right center", frameon=False, handlelength=2.6,
        alignment="left", fontsize=9,
    )  # fmt: skip
    legend.get_title().set_color(FAINT)
    return legend


def time_ticks(axis: Axis, low: float, high: float) -> None:
    """Give a logarithmic axis of durations its ticks."""
    labels = TICKS
    if sum(low <= tick <= high for tick in TICKS) <= 2:
        labels = {**TICKS, **MORE_TICKS}
    if sum(low <= tick <= high for tick in labels) <= 2:
        unit, length = unit_for(low)
        even = MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(low / length, high / length)
        labels = {round(tick * length): f"{tick:g} {unit}" for tick in even}
    axis.set_major_locator(FixedLocator([tick for tick in labels if low <= tick <= high]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: labels.get(round(value), "")))
    axis.set_minor_locator(NullLocator())


def number_ticks(axis: Axis, low: float, high: float) -> None:
    """Give a logarithmic axis of numbers at least three ticks."""
    axis.set_major_locator(FixedLocator(logarithmic_ticks(low, high)))
    axis.set_major_formatter(FuncFormatter(number_text))
    axis.set_minor_locator(NullLocator())


def ratio_ticks(axis: Axis, low: float, high: float) -> None:
    """Give a logarithmic axis of ratios its ticks, powers of two."""
    powers = np.arange(np.floor(np.log2(low)), np.ceil(np.log2(high)) + 1)
    step = max(1, int(np.ceil(len(powers) / 9)))
    powers = powers[powers % step == 0]
    axis.set_major_locator(FixedLocator(list(2.0**powers)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: ratio_text(value)))
    axis.set_minor_locator(NullLocator())


def ratio_text(value: float) -> str:
    """Write a ratio.

    >>> ratio_text(0.25), ratio_text(1), ratio_text(8)
    ('×1/4', '×1', '×8')
    """
    return f"×{value:,.3g}" if value >= 1 else f"×1/{1 / value:,.3g}"


def number_text(value: float, _: object = None) -> str:
    """Write the number at a tick.

    >>> number_text(0.5), number_text(10000)
    ('0.5', '10,000')
    """
    return f"{value:,.6g}" if value >= 1 else f"{value:g}"
