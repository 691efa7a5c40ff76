"""The report: one self-contained page, and its pictures and tables as files."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planbatch.experiments.common.atomic import atomic_write
from planbatch.experiments.common.table import Column, Table
from planbatch.experiments.common.text import Notify, counted, silent
from planbatch.experiments.report.blocks import Block, CaseParts, Section, case_parts
from planbatch.experiments.report.cases import REFERENCE, Case, cases_of, with_metrics
from planbatch.experiments.report.overview import draw_overview
from planbatch.experiments.runs.backends import run_tasks
from planbatch.experiments.runs.read import Results, ResultsError, StoredCell, read_results
from planbatch.experiments.runs.task import Failure, without_progress
from planbatch.experiments.studies.metrics import Metric, as_metrics
from planbatch.planner.arguments import expect

if TYPE_CHECKING:
    from pandas import DataFrame

#: Most jobs, over all cells, that the page carries for its Gantt chart.
MOST_GANTT_JOBS = 6_000_000


@dataclass(frozen=True)
class Report:
    """A report that is ready to be written.

    Attributes
    ----------
    html : str
        The page.
    tables : list of Table
        Its tables.
    broken : list of (str, str)
        Cells that could not be read, and why.
    missing : tuple of str
        Cells that have not been run.

    Examples
    --------
    >>> import tempfile
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pb.run_experiment(pb.Experiment([workload], ["fcfs", "easy"]), folder)
    ...     report = pb.make_report(pb.read_results(folder))
    >>> report.broken, report.missing
    ([], ())
    """

    html: str
    tables: list[Table]
    broken: list[tuple[str, str]]
    missing: tuple[str, ...]


def make_report(
    results: Results,
    *,
    reference: str = REFERENCE,
    gantt: Sequence[str] | None = None,
    folder: Path | None = None,
    jobs: int = 1,
    metrics: Sequence[Metric | Callable[["DataFrame"], float] | str] = (),
    notify: Notify = silent,
) -> Report:
    """Make the report of a grid.

    Parameters
    ----------
    results : Results
        The grid.
    reference : str
        Label or name of the policy that others are compared with.
    gantt : sequence of str, optional
        Labels of the policies whose jobs the page carries for its Gantt chart; by default all, if they have no more
        than ``MOST_GANTT_JOBS`` jobs, else only the reference and the last policy of each workload.
    folder : Path, optional
        Folder for pictures as SVG and PNG.
    jobs : int
        Processes.
    metrics : sequence of Metric, function or str
        Further columns of the summaries; see :func:`make_metric`.
    notify : callable
        Called with messages for the user.

    Raises
    ------
    ResultsError
        If the jobs of no cell can be read.

    Examples
    --------
    >>> import tempfile
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pb.run_experiment(pb.Experiment([workload], ["fcfs", "easy"], title="Try"), folder)
    ...     report = pb.make_report(pb.read_results(folder))
    >>> "<title>Try" in report.html
    True
    """
    if isinstance(results, str | Path):
        results = read_results(results)
    expect("results", results, Results)
    cases = cases_of(results, reference, folder)
    if extra_metrics := as_metrics(metrics):
        cases = [with_metrics(case, extra_metrics, notify) for case in cases]
    notes: list[str] = []
    if gantt is None and sum(int(c.workload.get("jobs") or 0) for c in results.cells) > MOST_GANTT_JOBS:
        gantt = [label for case in cases for label in (case.reference, case.labels[-1]) if label]
        notes.append(
            f"The Gantt chart has only {', '.join(dict.fromkeys(gantt))}, to keep the page small; "
            "name others with --gantt."
        )
    parts = each_case(cases, gantt, jobs)
    readable = [part for part in parts if part.lines]
    broken = list(results.broken) + [entry for part in parts for entry in part.broken]
    if not readable:
        raise ResultsError(f"{results.folder}: the jobs of no cell can be read: {broken[0][1]}")
    notes += [note for part in parts for note in part.notes]
    sections = [
        *leading_sections(readable, folder),
        *(Section(p.case.title, p.case.name, p.blocks, per_workload=True) for p in readable),
        cells_section(results),
    ]
    carried = [part.gantt for part in readable if part.gantt]
    if not carried:
        sections = [section for section in sections if section.anchor != "gantt"]
    tables = [table for section in sections for block in section.blocks for table in block.tables + block.data]
    html = render(results, sections, carried, warnings(results, broken, notes))
    return Report(html, tables, broken, results.missing)


def each_case(cases: Sequence[Case], gantt: Sequence[str] | None, jobs: int) -> list[CaseParts]:
    """Read and draw all cases, in several processes if requested; the largest come first."""
    if jobs == 1 or len(cases) == 1:
        return [case_parts(case, gantt) for case in cases]
    size = [sum(int(cell.workload.get("jobs") or 0) for cell in case.cells) for case in cases]
    order = sorted(range(len(cases)), key=lambda i: -size[i])
    tasks = [without_progress(_case_parts_in, Path.cwd(), cases[i], gantt) for i in order]
    parts: dict[int, CaseParts] = {}
    for place, outcome in run_tasks(tasks, min(jobs, len(cases))):
        if isinstance(outcome, Failure):
            raise outcome.cause(cases[order[place]].name)
        parts[order[place]] = outcome
    return [parts[i] for i in range(len(cases))]


def _case_parts_in(where: Path, case: Case, gantt: Sequence[str] | None) -> CaseParts:
    """Read and draw a case from a folder: the processes may be older than this one's change to it."""
    os.chdir(where)
    return case_parts(case, gantt)


def leading_sections(parts: list[CaseParts], folder: Path | None) -> list[Section]:
    """Return the sections about all workloads."""
    overview = draw_overview([(part.case, part.lines) for part in parts], folder)
    blocks = [Block("", "overview", [overview])] if overview else []
    blocks += [Block("", f"{part.case.name}-summary-part", [], [part.summary]) for part in parts if part.summary]
    trades = [Block("", f"{part.case.name}-trade-off", [part.pareto]) for part in parts if part.pareto]
    sections = [
        Section(
            "Summary", "summary", blocks,
            ["The best value of every column is marked. Changes compare means with the reference's on the same jobs; "
             "intervals are 95% bootstrap intervals over months, which show how much the change depends on what was "
             "submitted; without enough months, over seeds, which show how much it depends on the random numbers of "
             "the search. An interval that leaves out zero shows a difference. The CSV files have both. With several "
             "seeds, tables have their means, and the least and the largest mean and longest wait of a seed."],
        )
    ]  # fmt: skip
    if trades:
        sections.append(Section("Trade-offs", "trade-offs", trades))
    sections.append(
        Section(
            "Gantt chart", "gantt", [],
            ["Every job on its processors. Replays count processors without naming them: here a job gets the "
             "smallest free block that holds it, and is drawn in several pieces if no block is large enough."],
        )
    )  # fmt: skip
    return sections


def warnings(results: Results, broken: list[tuple[str, str]], notes: list[str]) -> list[list[str]]:
    """Return the notes on missing and broken cells, and further remarks."""
    remarks = []
    if results.missing:
        total = len(results.missing) + len(results.cells) + len(results.broken)
        remarks.append([f"Not run, of {counted(total, 'cell')}: {', '.join(results.missing)}."])
    if broken:
        remarks.append(
            [f"{counted(len(broken), 'cell')} could not be read, and left out:"]
            + [f"{key}: {why}" for key, why in broken]
        )
    if notes:
        remarks.append(notes)
    return remarks


def settings_row(cell: StoredCell) -> dict[str, Any]:
    """Describe a cell in a row; texts for what is neither a text nor a number."""
    policy, workload = cell.settings["policy"], cell.workload
    row = {"key": cell.key, "label": cell.label, "policy": cell.policy, "seed": cell.seed}
    row |= {name: policy.get(name) for name in ("objective", "optimizer", "evaluations", "seconds", "promise")}
    row |= {"workload": workload["name"]} | {name: workload.get(name) for name in ("jobs", "hash", "estimates")}
    parts = {name: workload.get(name) for name in ("dropped", "transformations", "walltimes", "pools")}
    row |= {name: json.dumps(value) if value else None for name, value in parts.items()}
    row["span"] = json.dumps(cell.settings["span"]) if cell.settings.get("span") else None
    row |= {f"version_{name}": value for name, value in cell.versions.items()}
    return row | {"machine": cell.machine if isinstance(cell.machine, str | None) else json.dumps(cell.machine)}


def cells_section(results: Results) -> Section:
    """Return the section that lists every cell with its settings."""
    rows = [settings_row(cell) for cell in results.cells]
    visible = ["key", "label", "seed", "estimates", "objective", "optimizer", "evaluations", "seconds",
             "promise", "span", "transformations", "version_planbatch"]  # fmt: skip
    keys = [
        key
        for key in dict.fromkeys(key for row in rows for key in row)
        if any(row.get(key) is not None for row in rows)
    ]
    columns = [Column(key, key.removeprefix("version_")) for key in keys]
    table = Table("cells", "Every cell that was read", [c for c in columns if c.key in visible], rows)
    whole = Table("cells-in-full", "with workloads, versions and machines", columns, rows)
    lines = [f"From {results.folder.resolve()}."]
    return Section("Cells", "cells", [Block("", "cells-part", [], [table], [whole])], lines)


def render(results: Results, sections: list[Section], gantt: list[dict[str, Any]], notes: list[list[str]]) -> str:
    """Put the page together."""
    from jinja2 import Environment

    assets = files("planbatch.experiments.report") / "assets"
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((assets / "page.html.j2").read_text(encoding="utf-8"))
    scripts = ["gantt_data.js", "gantt_draw.js", "gantt.js"] if gantt else []
    cells = len(results.cells)
    workloads = sum(section.per_workload for section in sections)
    return template.render(
        title=results.title,
        subtitle=f"{counted(cells, 'replay')} of {counted(workloads, 'workload')}.",
        version=results.version,
        css=(assets / "style.css").read_text(encoding="utf-8"),
        scripts=[(assets / name).read_text(encoding="utf-8") for name in ["page.js", *scripts]],
        notes=notes,
        sections=sections,
        gantt=[
            {"name": row["name"], "title": row["title"], "json": json.dumps(row).replace("<", "\\u003c")}
            for row in gantt
        ],
        footer=f"Made by planbatch report from results of planbatch {results.version}.",
    )


def write_tables(tables: Sequence[Table], folder: Path) -> None:
    """Write tables as CSV and as LaTeX."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        (folder / f"{table.name}.csv").write_text(table.csv(), encoding="utf-8")
        (folder / f"{table.name}.tex").write_text(table.latex(), encoding="utf-8")


def write_page(report: Report, path: str | Path) -> None:
    """Write the page, whole or not at all.

    Parameters
    ----------
    report : Report
        The report.
    path : str or Path
        The HTML file; its folder is created if it does not exist.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> import planbatch as pb
    >>> from planbatch.experiments import write_page
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pb.run_experiment(pb.Experiment([workload], ["fcfs", "easy"]), folder)
    ...     page = Path(folder, "report.html")
    ...     write_page(pb.make_report(pb.read_results(folder)), page)
    ...     page.stat().st_size > 100_000
    True
    """
    with atomic_write(Path(path)) as file:
        file.write(report.html.encode())
