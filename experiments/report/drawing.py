"""Pictures for a page that may be light or dark: SVG with the page's colours."""

import io
import re
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure, SubFigure

from planbatch.experiments.figures.style import COLOURS, FAINT, GRID, INK

#: Colours of pictures → names of the page's colours. Pictures written as files keep their own colours.
THEME = {
    INK: "ink", FAINT: "faint", GRID: "grid", "#ffffff": "paper",
    **{colour: f"c{i}" for i, colour in enumerate(COLOURS)},
}  # fmt: skip
#: Resolution of PNG files (dots per inch).
DPI = 160


@dataclass(frozen=True)
class Picture:
    """A picture."""

    name: str  # fit for a file; no two pictures of a page share it
    title: str  # what it shows
    caption: str  # how to read it
    svg: str = field(repr=False)  # for the page: without size, with the page's colours, and with identifiers of its own


def finish(figure: Figure, name: str, title: str, caption: str, folder: Path | None = None) -> Picture:
    """Turn a figure into a picture, and write it as SVG and PNG into a folder, if one is given."""
    # Like savefig, without the second drawing that would only lay out the figure.
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
        figure.set_layout_engine("none")
    parts: list[SubFigure | Axes] = [*figure.subfigs, *figure.axes]
    for part in parts:
        part.patch.set_visible(False)
    file = io.StringIO()
    FigureCanvasSVG(figure).print_svg(file, metadata={"Date": None})
    svg = file.getvalue()
    if folder is not None:
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")
        figure.dpi = DPI
        FigureCanvasAgg(figure).print_png(folder / f"{name}.png")
    return Picture(name, title, caption, apply_theme(svg, name))


def apply_theme(svg: str, name: str) -> str:
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
    head, _, body = svg.partition(">")
    width = re.search(r'\swidth="([\d.]+)pt"', head)
    head = re.sub(r'\s(width|height)="[\d.]+pt"', "", head)
    limit = f' style="max-width: {float(width[1]):.0f}pt; --natural: {float(width[1]):.0f}pt"' if width else ""
    return re.sub(r"\n\s*", "\n", f'{head}{limit} focusable="false" aria-hidden="true">{body}').strip()
