"""A table: laid out once, and shown on terminals, in notebooks and on pages, as CSV and as LaTeX."""

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from planbatch.experiments.common.text import durations
from planbatch.planner.display import html_table

if TYPE_CHECKING:
    from rich.table import Table as RichTable

#: Characters that LaTeX reads as commands, and the commands that print them.
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "–": "--", "×": r"$\times$",
    "…": r"\dots{}", "≤": r"$\le$", "≥": r"$\ge$", "<": r"$<$", ">": r"$>$",
}  # fmt: skip
#: Text of an absent value.
DASH = "–"


@dataclass(frozen=True)
class Column:
    """A column."""

    key: str  # its name in rows and in CSV files
    heading: str = ""  # the heading for readers; terminals keep its line breaks
    write: Callable[[Any], str] | None = None  # writes a value for readers; None for text, which is aligned left
    #: Writes all values at once instead, and returns their unit, which stands in the heading, and the texts.
    together: Callable[[Sequence[Any]], tuple[str, list[str]]] | None = None
    best: str = ""  # which value is marked: ``min`` or ``max``
    only: str = ""  # who alone gets the column: ``readers`` or ``files``
    style: str = ""  # how terminals print it
    wrap: bool = False  # whether terminals may break its texts

    @property
    def numeric(self) -> bool:
        """Whether it is aligned right."""
        return bool(self.write or self.together)

    def texts(self, values: Sequence[Any]) -> tuple[str, list[str]]:
        """Return the unit of all values, if they have one, and the values as texts."""
        if self.together:
            unit, texts = self.together([math.nan if absent(value) else value for value in values])
            return unit if values else "", texts
        write = self.write or str
        return "", [DASH if absent(value) else write(value) for value in values]


def time_column(key: str, heading: str, best: str = "", style: str = "", **writing: Any) -> Column:
    """Return a column of durations (s), all in one unit; ``writing`` are keywords of :func:`durations`."""
    return Column(key, heading, together=partial(durations, **writing), best=best, style=style)


@dataclass(frozen=True)
class Table:
    """A table; rich prints it, and notebooks show it."""

    name: str  # fit for a file
    caption: str  # what it shows, in a sentence
    columns: Sequence[Column]  # from left to right; the first is the heading of its row
    #: Column key → value; absent values and NaN are written as a dash. CSV files have two columns for a pair. The key
    #: ``style`` says how terminals print a row.
    rows: Sequence[Mapping[Any, Any]]
    note: str = ""  # what terminals print below it
    group: str = ""  # key of the column by which rows are grouped: the best value is marked in each group
    tight: bool = False  # whether terminals separate columns by one space

    @property
    def visible(self) -> list[Column]:
        """The columns that readers see."""
        return [column for column in self.columns if column.only != "files"]

    def column_texts(self) -> list[tuple[str, str, list[str]]]:
        """The heading, the unit and the texts of every column that readers see."""
        columns = []
        for column in self.visible:
            unit, texts = column.texts([row.get(column.key) for row in self.rows])
            columns.append((column.heading, unit, texts))
        return columns

    def texts(self) -> tuple[list[str], list[list[str]]]:
        """The headings, with units, and the texts of all rows that readers see."""
        columns = self.column_texts()
        headings = [one_line(heading) + (f" ({unit})" if unit else "") for heading, unit, _ in columns]
        return headings, [list(row) for row in zip(*(texts for *_, texts in columns), strict=True)]

    def best(self) -> set[tuple[int, int]]:
        """Row and column of the best values."""
        marked = set()
        for index, column in enumerate(self.visible):
            groups: dict[Any, dict[int, float]] = {}
            for i, row in enumerate(self.rows):
                if column.best and not absent(row.get(column.key)):
                    groups.setdefault(row.get(self.group), {})[i] = float(row[column.key])
            for values in groups.values():
                goal = (min if column.best == "min" else max)(values.values())
                if len(values) > 1:
                    marked |= {(i, index) for i, value in values.items() if value == goal}
        return marked

    def __rich__(self) -> "RichTable":
        """Lay it out for a terminal."""
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(
            title=Text(self.caption, no_wrap=True, overflow="ignore") if self.caption else None,
            title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, caption=Text(self.note) if self.note else None,
            padding=0 if self.tight else (0, 1, 0, 0), caption_justify="left",
            show_header=any(column.heading for column in self.visible),
        )  # fmt: skip
        columns = self.column_texts()
        headings = [f"{heading}\n({unit})" if unit else heading for heading, unit, _ in columns]
        most = max(heading.count("\n") for heading in headings)
        for column, heading in zip(self.visible, headings, strict=True):
            padded = "\n" * (most - heading.count("\n")) + heading
            table.add_column(
                Text(padded), justify="right" if column.numeric else "left", no_wrap=not column.wrap, style=column.style
            )
        marked = self.best()
        for i, row in enumerate(zip(*(texts for *_, texts in columns), strict=True)):
            style = self.rows[i].get("style")
            table.add_row(
                *(Text(text, style="bold green" if (i, k) in marked else "") for k, text in enumerate(row)), style=style
            )
        return table

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        headings, rows = self.texts()
        return html_table(headings, rows, self.caption)

    def csv(self) -> str:
        """As CSV: keys, then plain values; absent values are empty, and pairs have a column for each end."""
        columns: dict[str, list[Any]] = {}
        for column in self.columns:
            values = [row.get(column.key) for row in self.rows]
            if column.only == "readers":
                continue
            if any(isinstance(value, tuple) for value in values):
                pairs = [value or (None, None) for value in values]
                for index, end in enumerate(("low", "high")):
                    columns[f"{column.key}_{end}"] = [pair[index] for pair in pairs]
            else:
                columns[column.key] = values
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow(["" if absent(value) else csv_value(value) for value in row])
        return file.getvalue()

    def latex(self) -> str:
        """As a LaTeX table for the package booktabs."""
        marked = self.best()
        headings, texts = self.texts()
        shape = "".join("r" if column.numeric else "l" for column in self.visible)
        heads = " & ".join(latex(heading) for heading in headings)
        lines = [
            r"\begin{table}", r"\centering", rf"\caption{{{latex(self.caption)}}}", rf"\label{{tab:{self.name}}}",
            rf"\begin{{tabular}}{{{shape}}}", r"\toprule", rf"{heads} \\", r"\midrule",
        ]  # fmt: skip
        for i, cells in enumerate(texts):
            entries = [
                rf"\textbf{{{latex(cell)}}}" if (i, index) in marked else latex(cell)
                for index, cell in enumerate(cells)
            ]
            lines.append(" & ".join(entries) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def rows_of(columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> list[dict[str, Any]]:
    """Return the rows of a table from its columns."""
    plain_columns = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*plain_columns, strict=True)]


def absent(value: object) -> bool:
    """Whether there is no value."""
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def csv_value(value: object) -> Any:
    """A value for CSV files: numbers have up to ten digits."""
    return f"{value:.10g}" if isinstance(value, float) else value


def one_line(heading: str) -> str:
    r"""Join the lines of a heading.

    >>> one_line("slow-\ndown"), one_line("mean\nwait")
    ('slowdown', 'mean wait')
    """
    return heading.replace("-\n", "").replace("\n", " ")


def latex(words: str) -> str:
    r"""Text with LaTeX's special characters escaped, and hyphens before numbers as minus signs.

    >>> print(latex("50 % of a_b"), latex("-32.7% of plan-2"), latex("-39 … -28%"))
    50 \% of a\_b $-$32.7\% of plan-2 $-$39 \dots{} $-$28\%
    """
    signed = re.sub(r"(?<![\w.])-(?=\d)", "−", words)
    return "".join(_LATEX.get(char, char) for char in signed)
