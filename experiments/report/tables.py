"""A table: as HTML and LaTeX for readers, as CSV for programs."""

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

#: Characters that LaTeX reads as commands, and the commands that print them.
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "–": "--", "×": r"$\times$",
    "…": r"\dots{}", "≤": r"$\le$", "≥": r"$\ge$",
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
        Formats a value for readers; None for text, which is aligned left.
    best : {"", "min", "max"}
        Which value is marked.
    """

    key: str
    heading: str
    format: Callable[[Any], str] | None = None
    best: str = ""


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

    def texts(self) -> list[list[str]]:
        """The formatted texts of all cells."""
        return [[text(column, row.get(column.key)) for column in self.columns] for row in self.rows]

    def best(self) -> set[tuple[int, int]]:
        """Row and column of the best values."""
        marked = set()
        for place, column in enumerate(self.columns):
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
        head = "".join(
            f'<th scope="col"{"" if column.format else " class=text"}>{escape(column.heading)}</th>'
            for column in self.columns
        )
        body = []
        for i, cells in enumerate(self.texts()):
            row = f'<th scope="row" class=text>{escape(cells[0])}</th>'
            for place, (column, cell) in enumerate(zip(self.columns, cells, strict=True)):
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
        caption = f"<caption>{escape(self.caption)}</caption>"
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
        shape = "".join("r" if column.format else "l" for column in self.columns)
        heads = " & ".join(latex(column.heading) for column in self.columns)
        lines = [
            r"\begin{table}", r"\centering", rf"\caption{{{latex(self.caption)}}}", rf"\label{{tab:{self.name}}}",
            rf"\begin{{tabular}}{{{shape}}}", r"\toprule", rf"{heads} \\", r"\midrule",
        ]  # fmt: skip
        for i, cells in enumerate(self.texts()):
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


def text(column: Column, value: Any) -> str:
    """A value formatted for readers."""
    if absent(value):
        return "–"
    return column.format(value) if column.format else str(value)


def latex(words: str) -> str:
    r"""Text with LaTeX's special characters escaped.

    >>> print(latex("50 % of a_b"))
    50 \% of a\_b
    """
    return "".join(_LATEX.get(char, char) for char in words)
