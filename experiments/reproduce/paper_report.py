"""The report of a reproduction: our values beside the paper's, notes, and their output."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

COLUMNS = ("item", "workload", "policy", "metric", "paper", "ours")


@dataclass(frozen=True)
class Row:
    """One value.

    Attributes
    ----------
    item : str
        Table or figure of the paper.
    workload, policy, metric : str
        Labels of the value; the metric names its unit.
    ours : float
        Our value.
    paper : float, optional
        The paper's value, if it gives one.
    listed : bool
        Whether the report lists it; the CSV always does.
    """

    item: str
    workload: str
    policy: str
    metric: str
    ours: float
    paper: float | None = None
    listed: bool = True

    @property
    def difference(self) -> str:
        """Ours less the paper's: in points if both are percentages, otherwise in per cent."""
        if self.paper is None:
            return ""
        if "(%)" in self.metric:
            return f"{self.ours - self.paper:+.1f} points"
        if self.paper == 0:
            return "0" if self.ours == 0 else f"{self.ours:+g}"
        return f"{100 * (self.ours / self.paper - 1):+.1f} %"


@dataclass
class Report:
    """The rows of a reproduction, and notes in Markdown.

    Attributes
    ----------
    title : str
        The paper.
    rows : list of Row
        The values, in the order of the paper.
    notes : list of str
        Paragraphs: what was chosen, what was left out, and why figures differ.
    pictures : list of str
        File names of the pictures, without ending.
    """

    title: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)

    def add(
        self,
        item: str,
        workload: str,
        policy: str,
        metric: str,
        ours: float,
        paper: float | None = None,
        listed: bool = True,
    ) -> None:
        """Add a row."""
        self.rows.append(Row(item, workload, policy, metric, float(ours), paper, listed))

    def write(self, folder: Path) -> None:
        """Write ``comparison.csv`` and ``report.md``."""
        folder.mkdir(parents=True, exist_ok=True)
        write_csv(self.rows, folder / "comparison.csv")
        (folder / "report.md").write_text(self.markdown(), encoding="utf-8")

    def markdown(self) -> str:
        """Return the report: one table per item, then the notes and the pictures."""
        parts = [f"# {self.title}"]
        listed = [row for row in self.rows if row.listed]
        for item, rows in groupby(listed, key=lambda row: row.item):
            parts += [f"## {item}", markdown_table(rows)]
            name = item.lower().replace(" ", "-")
            parts += [f"![{item}]({name}.png)" for picture in self.pictures if picture == name]
        if self.notes:
            parts += ["## Notes", *self.notes]
        return "\n\n".join(parts) + "\n"


def formatted(value: float | None) -> str:
    """Return a value for people: at most four digits after the point, fewer for large values."""
    if value is None:
        return ""
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.2f}" if abs(value) >= 0.1 else f"{value:.4f}"


def markdown_table(rows: Iterable[Row]) -> str:
    """Return rows as a Markdown table, with the difference to the paper."""
    lines = [
        "| workload | policy | metric | paper | ours | difference |",
        "|---|---|---|---:|---:|---:|",
    ]
    lines += [
        f"| {row.workload} | {row.policy} | {row.metric} | {formatted(row.paper)} | {formatted(row.ours)} | "
        f"{row.difference} |"
        for row in rows
    ]
    return "\n".join(lines)


def write_csv(rows: Iterable[Row], path: Path) -> None:
    """Write rows in the columns :data:`COLUMNS`; ``paper`` is empty if there is no value."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            paper = "" if row.paper is None else f"{row.paper:.10g}"
            ours = f"{row.ours:.10g}"
            writer.writerow([row.item, row.workload, row.policy, row.metric, paper, ours])


def percent_change(value: float, base: float) -> float:
    """Return by how many per cent a value differs from a base; NaN if the base is 0."""
    return 100 * (value / base - 1) if base else float("nan")
