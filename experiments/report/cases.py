"""The cells of a grid by workload: one case per workload, with the policies that were replayed on it."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from planbatch.experiments.common.text import Notify, slug
from planbatch.experiments.figures.style import line_styles
from planbatch.experiments.report.drawing import Picture, finish
from planbatch.experiments.runs.read import Jobs, Results, ResultsError, StoredCell
from planbatch.experiments.studies.metrics import REFERENCE, Metric, measure
from planbatch.planner.model import FloatArray, IntArray

#: Length of a month (s) if the log has no calendar.
MONTH = 30 * 86400


@dataclass(frozen=True)
class Case:
    """The cells of one workload."""

    name: str  # a short name, fit for files and anchors
    title: str  # its title for readers
    capacity: int  # processors of the machine
    estimates: str  # what schedulers knew of run times
    cells: tuple[StoredCell, ...]  # in the order of the grid
    reference: str | None  # label of the policy that others are compared with, if it was run
    #: Label → further metric → mean over the seeds.
    further: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    metrics: Sequence[Metric] = ()  # the further metrics
    folder: Path | None = None  # where its pictures are written as SVG and PNG, too

    @property
    def labels(self) -> list[str]:
        """The policies, in the order of the grid."""
        return list(dict.fromkeys(cell.label for cell in self.cells))

    @property
    def styles(self) -> dict[str, dict[str, Any]]:
        """The colour and the dash of every policy, as arguments of ``plot``."""
        return line_styles(self.labels, {cell.label for cell in self.cells if cell.searches})

    def picture(self, figure: Figure, name: str, title: str, caption: str) -> Picture:
        """Turn a figure into a picture of this case; see :func:`finish`."""
        return finish(figure, f"{self.name}-{name}", title, caption, self.folder)

    @property
    def unix_start(self) -> int | None:
        """The Unix time of second 0, if the cells have it."""
        start = self.cells[0].workload.get("unix_start_time")
        return None if start is None else int(start)


@dataclass
class Runs:
    """The jobs of a case."""

    case: Case  # whose jobs
    jobs: dict[str, dict[int, Jobs]] = field(default_factory=dict)  # label → seed → jobs
    broken: list[tuple[str, str]] = field(default_factory=list)  # cells whose jobs cannot be read, and why

    @property
    def labels(self) -> list[str]:
        """The policies whose jobs could be read."""
        return [label for label in self.case.labels if label in self.jobs]

    @property
    def reference(self) -> str | None:
        """The policy that others are compared with, if its jobs could be read."""
        return self.case.reference if self.case.reference in self.jobs else None

    def first(self, label: str) -> Jobs:
        """The jobs of the first seed, which pictures of single jobs show."""
        return next(iter(self.jobs[label].values()))

    @property
    def which_seed(self) -> str:
        """A sentence for captions of pictures that show the first of several seeds; empty if there is one only."""
        several = any(len(by_seed) > 1 for by_seed in self.jobs.values())
        return " The picture shows the first seed." if several else ""

    def over_seeds(self, label: str, of: Callable[[Jobs], Any]) -> FloatArray:
        """The mean over the seeds of figures of a policy's jobs."""
        return np.mean([of(jobs) for jobs in self.jobs[label].values()], axis=0)

    def reference_jobs(self, label: str, seed: int) -> Jobs | None:
        """The jobs of the reference for the same seed (else its first), or None if they are not the same jobs."""
        if self.reference is None:
            return None
        runs = self.jobs[self.reference]
        other = seed if seed in runs else next(iter(runs))
        mine, theirs = self.jobs[label][seed], runs[other]
        same = len(mine) == len(theirs) and bool((mine.id == theirs.id).all())
        return theirs if same and bool((mine.submit == theirs.submit).all()) else None

    @property
    def origin(self) -> int:
        """The first submission (s)."""
        return int(min(self.first(label).submit.min() for label in self.labels))


def group_key(cell: StoredCell) -> tuple[str, ...]:
    """Return the properties that all cells of one case share.

    Not the digest of the jobs: random deadlines, which are part of it, differ between seeds.
    """
    workload = cell.workload
    changes = json.dumps(workload.get("transformations") or "", sort_keys=True).strip('"')
    estimates = str(workload.get("estimates", "requested"))
    return str(workload["name"]), estimates, str(cell.capacity), changes


def cases_of(results: Results, reference: str = REFERENCE, folder: Path | None = None) -> list[Case]:
    """Group the cells of a grid by workload, in its order.

    ``reference`` is the label or name of what others are compared with, and ``folder`` where pictures are written.
    """
    groups: dict[tuple[str, ...], list[StoredCell]] = {}
    for cell in results.cells:
        groups.setdefault(group_key(cell), []).append(cell)
    names = [key[0] for key in groups]
    cases: list[Case] = []
    for key, cells in groups.items():
        title = key[0]
        if names.count(title) > 1:
            differing = [i for i in range(1, 4) if len({k[i] for k in groups if k[0] == title}) > 1]
            parts = {1: f"{key[1]} estimates", 2: f"{key[2]} processors", 3: key[3] or "as it is"}
            title += " (" + ", ".join(parts[i] for i in differing) + ")"
        name = slug(title)
        equal = sum(case.name == name or case.name.startswith(f"{name}--") for case in cases)
        if equal:
            name = f"{name}--{equal + 1}"
        own_reference = find_reference(cells, reference)
        cases.append(Case(name, title, int(key[2]), key[1], tuple(cells), own_reference, folder=folder))
    return cases


def with_metrics(case: Case, metrics: Sequence[Metric], notify: Notify) -> Case:
    """Return a case with further metrics of every policy whose jobs can be read; one that fails is NaN."""
    values: dict[str, list[Mapping[str, float]]] = {}
    for cell in case.cells:
        with suppress(ResultsError):  # it is reported where the jobs are read for the other figures
            values.setdefault(cell.label, []).append(measure(cell.frame(), metrics, notify))
    further = {
        label: {m.name: float(np.mean([figures[m.name] for figures in by_seed])) for m in metrics}
        for label, by_seed in values.items()
    }
    return replace(case, further=further, metrics=metrics)


def find_reference(cells: Sequence[StoredCell], reference: str) -> str | None:
    """Find the label of the reference among cells: by its label, else by the policy's name."""
    labels = {cell.label for cell in cells}
    if reference in labels:
        return reference
    return next((cell.label for cell in cells if cell.policy == reference), None)


def load(case: Case) -> Runs:
    """Read the jobs of a case; cells that cannot be read are listed and left out."""
    runs = Runs(case)
    for cell in case.cells:
        by_seed = runs.jobs.setdefault(cell.label, {})
        if cell.seed in by_seed:
            why = f"{cell.folder}: the label {cell.label!r} and seed {cell.seed} are taken by a cell before"
            runs.broken.append((cell.key, why))
            continue
        try:
            by_seed[cell.seed] = cell.jobs()
        except ResultsError as error:
            runs.broken.append((cell.key, str(error)))
    runs.jobs = {label: by_seed for label, by_seed in runs.jobs.items() if by_seed}
    return runs


def months(submit: IntArray, unix_start: int | None, origin: int) -> tuple[IntArray, list[str]]:
    """Return the number of the month of every submission, shape (n,), and the names of the months.

    Calendar months (UTC) if the Unix time of second 0 is known, else months of 30 days from ``origin``.
    """
    if unix_start is None:
        index = (submit - origin) // MONTH
        return index, [f"month {i + 1}" for i in range(int(index.max()) + 1)]
    moments = (submit + unix_start).astype("datetime64[s]").astype("datetime64[M]")
    start = moments.min()
    index = (moments - start).astype(np.int64)
    return index, [str(start + i) for i in range(int(index.max()) + 1)]
