"""The engine of reproductions: where logs come from, replays in parallel, and the report with the paper's values."""

import csv
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from planbatch.experiments.common.text import Notify, silent
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.runs.run import Workers, run_all
from planbatch.experiments.runs.task import Failure
from planbatch.experiments.workloads.load import load_log
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.transform import in_span
from planbatch.planner.model import Workload

Key = TypeVar("Key", bound=Hashable)

#: The part of a log that ``--quick`` keeps: the first months.
QUICK_SECONDS = 90 * 86400
#: What searches in plan-based policies, whatever the default is: reproductions keep their plans.
OPTIMIZER = "annealing"
#: The folder of the finished replays, inside the output folder.
REPLAYS = "replays"
#: The last of the notes.
LEFT_OPEN = "What the paper leaves open, and how it is read here: the manual's page *Reproductions of papers*."
COLUMNS = ("item", "workload", "policy", "metric", "paper", "ours")


@dataclass(frozen=True)
class Run:
    """The options of one run."""

    out: Path  #: output folder
    quick: bool = False  #: whether to use only the first months of every log, for a first look
    jobs: int = 1  #: number of processes
    #: Folder with the logs (``NAME.swf.gz`` or ``NAME.swf``); by default, the fetched ones.
    workloads: Path | None = None
    notify: Notify = silent  # called with progress messages, line by line
    full: bool = False  #: whether to include parts that take an hour or more, if the paper has any

    def log(self, name: str) -> SwfLog | None:
        """Find and read a log; return None, and report it, if it is missing."""
        sources: list[str | Path] = [name]
        if self.workloads is not None:
            sources = [self.workloads / f"{name}{end}" for end in (".swf.gz", ".swf")]
            sources = [source for source in sources if Path(source).is_file()] or [name]
        try:
            return load_log(sources[0], notify=self.notify)
        except FileNotFoundError as error:
            self.notify(f"left out: {error}")
            return None

    def logs(self, sources: Mapping[str, str], report: "PaperReport") -> Iterator[tuple[str, SwfLog]]:
        """Yield the available logs by the paper's names; the report notes those that are missing."""
        for name, source in sources.items():
            log = self.log(source)
            if log is None:
                report.notes.append(f"{name} is left out: the log {source} is missing.")
            else:
                yield name, log

    def shorten(self, workload: Workload) -> Workload:
        """Return the first months of a workload if the run is quick, else all of it."""
        return in_span(workload, 0, QUICK_SECONDS) if self.quick else workload

    def replays(self, tasks: Mapping[Key, ReplayTask]) -> dict[Key, Trace]:
        """Run replays, ``jobs`` at a time, or read those that ``out`` holds from an earlier run.

        The traces' ``seconds`` are processor time, compilation excluded: other processes do not
        count.
        """
        by_key = {key: replace(task, title=task.title or _label(key)) for key, task in tasks.items()}
        # Long runs print lines of progress even if standard error is no terminal.
        workers = Workers(self.jobs, quiet=False if self.full else None)
        outcomes = run_all(list(by_key.values()), workers, self.out / REPLAYS, self.out.name, notify=self.notify)
        if len(outcomes) < len(by_key):
            raise KeyboardInterrupt
        traces: dict[Key, Trace] = {}
        for i, (key, task) in enumerate(by_key.items()):
            outcome = outcomes[i]
            if isinstance(outcome, Failure):
                raise outcome.cause(task.name)
            traces[key] = replace(outcome.trace(), seconds=outcome.record["machine"]["processor_seconds"])
        return traces


def _label(key: Hashable) -> str:
    """Return the name of a replay within its reproduction."""
    return " ".join(map(str, key)) if isinstance(key, tuple) else str(key)


@dataclass(frozen=True)
class Row:
    """One value."""

    item: str  #: table or figure of the paper
    #: Labels of the value; the metric names its unit.
    workload: str
    policy: str
    metric: str
    ours: float  #: our value
    paper: float | None = None  #: the paper's value, if it gives one
    listed: bool = True  #: whether the report lists it; the CSV always does

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

    @property
    def markdown(self) -> str:
        """The row of a Markdown table."""
        values = f"{value_text(self.paper)} | {value_text(self.ours)} | {self.difference}"
        return f"| {self.workload} | {self.policy} | {self.metric} | {values} |"

    @property
    def cells(self) -> list[str]:
        """The row of the CSV, in the columns :data:`COLUMNS`; ``paper`` is empty if there is no value."""
        paper = "" if self.paper is None else f"{self.paper:.10g}"
        return [self.item, self.workload, self.policy, self.metric, paper, f"{self.ours:.10g}"]


@dataclass
class PaperReport:
    """The rows of a reproduction, and notes in Markdown."""

    title: str  # the paper
    rows: list[Row] = field(default_factory=list)  # the values, in the order of the paper
    #: Paragraphs: what was left out, and what the values show. What the paper leaves open is in the manual.
    notes: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)  # file names of the pictures, without ending

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

    def add_seeds(
        self, item: str, workload: str, policy: str, metric: str, values: Sequence[float], paper: float | None = None
    ) -> None:
        """Add the mean over seeds of a metric, and the least and the largest value if there are several seeds."""
        self.add(item, workload, policy, metric, sum(values) / len(values), paper)
        if len(values) > 1:
            self.add(item, workload, policy, f"{metric}, least of {len(values)} seeds", min(values))
            self.add(item, workload, policy, f"{metric}, largest", max(values))

    def add_policies(
        self,
        item: str,
        workload: str,
        metric: str,
        values: Mapping[str, float],
        paper: Mapping[str, float | None] | None = None,
    ) -> None:
        """Add a row per policy for one metric."""
        for policy, ours in values.items():
            self.add(item, workload, policy, metric, ours, (paper or {}).get(policy))

    def picture(self, folder: Path, name: str) -> Path:
        """List a picture, and return its path without ending."""
        self.pictures.append(name)
        return folder / name

    def write(self, folder: Path) -> None:
        """Write ``comparison.csv`` and ``report.md``."""
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "comparison.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(row.cells for row in self.rows)
        (folder / "report.md").write_text(self.markdown(), encoding="utf-8")

    def markdown(self) -> str:
        """Return the report: one table per item, then the notes and the pictures."""
        header = "| workload | policy | metric | paper | ours | difference |\n|---|---|---|---:|---:|---:|"
        parts = [f"# {self.title}"]
        listed = [row for row in self.rows if row.listed]
        for item, rows in groupby(listed, key=lambda row: row.item):
            parts += [f"## {item}", "\n".join([header, *(row.markdown for row in rows)])]
            name = item.lower().replace(" ", "-")
            parts += [f"![{item}]({name}.png)" for picture in self.pictures if picture == name]
        parts += ["## Notes", *self.notes, LEFT_OPEN]
        return "\n\n".join(parts) + "\n"


def value_text(value: float | None) -> str:
    """Return a value for people: at most four digits after the point, fewer for large values."""
    if value is None:
        return ""
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.2f}" if abs(value) >= 0.1 else f"{value:.4f}"


def percent_change(value: float, base: float) -> float:
    """Return by how many per cent a value differs from a base; NaN if the base is 0."""
    return 100 * (value / base - 1) if base else float("nan")
