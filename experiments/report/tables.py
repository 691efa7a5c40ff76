"""A table: as HTML and LaTeX for readers, as CSV for programs."""

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from planbatch.experiments.common.text import duration, durations

#: Characters that LaTeX reads as commands, and the commands that print them.
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "–": "--", "×": r"$\times$",
    "…": r"\dots{}", "≤": r"$\le$", "≥": r"$\ge$", "<": r"$<$", ">": r"$>$",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column.

    Attributes
    ----------
    key : str
        Its name in CSV files, with the unit.
    heading : str
        The heading for readers.
    format : callable, optional
        Formats a value for readers; None for text, which is aligned left. With :func:`duration`, all durations of the
        column have the same unit, which stands in its heading.
    best : {"", "min", "max"}
        Which value is marked.
    shown : bool
        Whether readers see it; CSV files have all columns.
    """

    key: str
    heading: str
    format: Callable[[Any], str] | None = None
    best: str = ""
    shown: bool = True


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    name : str
        Fit for a file.
    caption : str
        What it shows, in a sentence.
    columns : sequence of Column
        From left to right; the first is the heading of its row.
    rows : sequence of mappings
        Column key → value; absent values and NaN are written as a dash.
    """

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Any]]

    @property
    def visible(self) -> list[Column]:
        """The columns that readers see."""
        return [column for column in self.columns if column.shown]

    def texts(self) -> tuple[list[str], list[list[str]]]:
        """The headings and the formatted texts of all cells that readers see."""
        headings, columns = [], []
        for column in self.visible:
            heading, texts = written(column, [row.get(column.key) for row in self.rows])
            headings.append(heading)
            columns.append(texts)
        return headings, [list(row) for row in zip(*columns, strict=True)]

    def best(self) -> set[tuple[int, int]]:
        """Row and column of the best values."""
        marked = set()
        for place, column in enumerate(self.visible):
            values = {
                i: float(row[column.key])
                for i, row in enumerate(self.rows)
                if column.best and not absent(row.get(column.key))
            }
            if len(values) > 1:
                goal = (min if column.best == "min" else max)(values.values())
                marked |= {(i, place) for i, value in values.items() if value == goal}
        return marked

    def html(self) -> str:
        """As an HTML table, with scopes and a caption."""
        marked = self.best()
        headings, texts = self.texts()
        head = "".join(
            f'<th scope="col"{"" if column.format else " class=text"}>{escape(heading)}</th>'
            for column, heading in zip(self.visible, headings, strict=True)
        )
        body = []
        for i, cells in enumerate(texts):
            row = f'<th scope="row" class=text>{escape(cells[0])}</th>'
            for place, (column, cell) in enumerate(zip(self.visible, cells, strict=True)):
                if place:
                    kind = (
                        " class=best"
                        if (i, place) in marked
                        else ""
                        if column.format
                        else " class=text"
                    )
                    row += f"<td{kind}>{escape(cell)}</td>"
            body.append(f"<tr>{row}</tr>")
        caption = f"<caption><span>{escape(self.caption)}</span></caption>"
        return (
            f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
        )

    def csv(self) -> str:
        """As CSV: keys, then plain values; absent values are empty."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([column.key for column in self.columns])
        for row in self.rows:
            values = [row.get(column.key) for column in self.columns]
            writer.writerow(["" if absent(value) else plain(value) for value in values])
        return file.getvalue()

    def latex(self) -> str:
        """As a LaTeX table for the package booktabs."""
        marked = self.best()
        headings, texts = self.texts()
        shape = "".join("r" if column.format else "l" for column in self.visible)
        heads = " & ".join(latex(heading) for heading in headings)
        lines = [
            r"\begin{table}", r"\centering", rf"\caption{{{latex(self.caption)}}}", rf"\label{{tab:{self.name}}}",
            rf"\begin{{tabular}}{{{shape}}}", r"\toprule", rf"{heads} \\", r"\midrule",
        ]  # fmt: skip
        for i, cells in enumerate(texts):
            shown = [
                rf"\textbf{{{latex(cell)}}}" if (i, place) in marked else latex(cell)
                for place, cell in enumerate(cells)
            ]
            lines.append(" & ".join(shown) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def absent(value: Any) -> bool:
    """Whether there is no value."""
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def plain(value: Any) -> Any:
    """A value for CSV files: numbers have up to ten digits."""
    return f"{value:.10g}" if isinstance(value, float) else value


def written(column: Column, values: Sequence[Any]) -> tuple[str, list[str]]:
    """The heading of a column and its values, formatted for readers."""
    if column.format is duration:
        unit, texts = durations([math.nan if absent(value) else value for value in values])
        return f"{column.heading} ({unit})", texts
    write = column.format or str
    return column.heading, ["–" if absent(value) else write(value) for value in values]


def latex(words: str) -> str:
    r"""Text with LaTeX's special characters escaped, and hyphens before numbers as minus signs.

    >>> print(latex("50 % of a_b"), latex("-32.7% of plan-2"))
    50 \% of a\_b $-$32.7\% of plan-2
    """
    signed = re.sub(r"(?<![\w.])-(?=\d)", "−", words)
    return "".join(_LATEX.get(char, char) for char in signed)
