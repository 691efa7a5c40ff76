"""Pictures for a page that may be light or dark: SVG with the page's colours."""

import io
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from planbatch.experiments.figures.style import (
    COLOURS,
    FAINT,
    INK,
    TICKS,
    line_styles,
    logarithmic_ticks,
)
from planbatch.experiments.report.cases import Case
from planbatch.planner.display import unit_for

GRID = "#E6E6E6"
#: Colours of pictures → names of the page's colours. Pictures written as files keep their own colours.
THEME = {
    INK: "ink", FAINT: "faint", GRID: "grid", "#ffffff": "paper",
    **{colour: f"c{i}" for i, colour in enumerate(COLOURS)},
}  # fmt: skip
#: Resolution of PNG files (dots per inch).
DPI = 160
#: Further ticks (s), for axes that would have too few.
MORE_TICKS = {
    2: "2 s", 5: "5 s", 20: "20 s", 120: "2 min", 300: "5 min", 1200: "20 min", 1800: "30 min", 7200: "2 h",
    10800: "3 h", 43200: "12 h", 2 * 86400: "2 d", 4 * 86400: "4 d", 14 * 86400: "2 w", 56 * 86400: "8 w",
    112 * 86400: "16 w",
}  # fmt: skip


@dataclass(frozen=True)
class Picture:
    """A picture.

    Attributes
    ----------
    name : str
        Fit for a file; no two pictures of a page share it.
    title : str
        What it shows.
    caption : str
        How to read it.
    svg : str
        For the page: without size, with the page's colours, and with identifiers of its own.
    """

    name: str
    title: str
    caption: str
    svg: str = field(repr=False)


def finish(
    figure: Figure, name: str, title: str, caption: str, folder: Path | None = None
) -> Picture:
    """Turn a figure into a picture, and write it as SVG and PNG into a folder, if one is given."""
    # Like savefig, without the second drawing that would only lay out the figure.
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
        figure.set_layout_engine("none")
    parts: list[Any] = [figure, *figure.subfigs, *figure.axes]
    for part in parts:
        part.patch.set_visible(False)
    file = io.StringIO()
    FigureCanvasSVG(figure).print_svg(file, metadata={"Date": None})
    if folder is not None:
        figure.patch.set_visible(True)
        FigureCanvasSVG(figure).print_svg(folder / f"{name}.svg", metadata={"Date": None})
        figure.dpi = DPI
        FigureCanvasAgg(figure).print_png(folder / f"{name}.png")
    return Picture(name, title, caption, themed(file.getvalue(), name))


def themed(svg: str, name: str) -> str:
    """Make an SVG file part of a page.

    Identifiers get a prefix, since all pictures of a page share one namespace; colours become the page's; the size
    adapts to the page.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\sid="([^"]+)"', rf' id="{name}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)
    svg = re.sub(r'xlink:href="#([^"]+)"', rf'xlink:href="#{name}-\1"', svg)
    svg = re.sub(r'<g id="[^"]*">', "<g>", svg)
    # Hundredths of a point are precise enough for coordinates; text keeps its digits.
    svg = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\d\.\d\d)\d+", r"\1", tag[0]), svg)
    for colour, variable in THEME.items():
        svg = re.sub(f"{colour}(?![0-9a-f])", f"var(--{variable})", svg, flags=re.IGNORECASE)
    svg = svg.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")
    head, _, rest = svg.partition(">")
    width = re.search(r'\swidth="([\d.]+)pt"', head)
    head = re.sub(r'\s(width|height)="[\d.]+pt"', "", head)
    limit = (
        f' style="max-width: {float(width[1]):.0f}pt; --natural: {float(width[1]):.0f}pt"'
        if width
        else ""
    )
    return re.sub(
        r"\n\s*", "\n", f'{head}{limit} focusable="false" aria-hidden="true">{rest}'
    ).strip()


def styles(case: Case) -> dict[str, dict[str, Any]]:
    """Choose a colour and a dash for every policy, as arguments of ``plot``."""
    return {
        label: {"color": colour, "linestyle": dash}
        for label, (colour, dash) in line_styles(case.labels, case.searching).items()
    }


def headed(figure: Figure, title: str) -> None:
    """Give a figure its title, flush left."""
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")


def grid(axes: Axes) -> None:
    """Draw the grid in the project's style."""
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)


def legend_right(figure: Figure, axes: Axes, title: str = "policy") -> Legend:
    """Put a legend to the right of all panels."""
    handles, labels = axes.get_legend_handles_labels()
    legend = figure.legend(
        handles, labels, title=title, loc="outside right center", frameon=False, handlelength=2.6,
        alignment="left", fontsize=9,
    )  # fmt: skip
    legend.get_title().set_color(FAINT)
    return legend


def time_ticks(axis: Any, low: float, high: float) -> None:
    """Give a logarithmic axis of durations its ticks."""
    named = TICKS
    if sum(low <= tick <= high for tick in TICKS) <= 2:
        named = {**TICKS, **MORE_TICKS}
    if sum(low <= tick <= high for tick in named) <= 2:
        unit, length = unit_for(low)
        even = MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(low / length, high / length)
        named = {round(tick * length): f"{tick:g} {unit}" for tick in even}
    axis.set_major_locator(FixedLocator([tick for tick in named if low <= tick <= high]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: named.get(round(value), "")))
    axis.set_minor_locator(NullLocator())


def number_ticks(axis: Any, low: float, high: float) -> None:
    """Give a logarithmic axis of numbers at least three ticks."""
    axis.set_major_locator(FixedLocator(logarithmic_ticks(low, high)))
    axis.set_major_formatter(FuncFormatter(number_text))
    axis.set_minor_locator(NullLocator())


def ratio_ticks(axis: Any, low: float, high: float) -> None:
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
