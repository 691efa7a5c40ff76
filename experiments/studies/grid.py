"""Running the missing cells of an experiment in parallel, each stored as soon as it is finished."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planbatch.experiments.common.paths import as_path
from planbatch.experiments.common.pinned_core import usable_cores
from planbatch.experiments.common.text import silent
from planbatch.experiments.replay.identity import versions
from planbatch.experiments.replay.metrics import summary
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.replay.task import Outcome
from planbatch.experiments.replay.task import machine as machine_now
from planbatch.experiments.replay.trace import Trace, join_traces
from planbatch.experiments.runs.backends import check_backend
from planbatch.experiments.runs.run import FinishedReplay, Notify, Workers, find_stored, run_replays
from planbatch.experiments.runs.store import Store
from planbatch.experiments.runs.task import BackendError, Failure
from planbatch.experiments.studies.cells import Cell, expand
from planbatch.experiments.studies.experiment_file import read_experiment
from planbatch.experiments.studies.metrics import Metric
from planbatch.experiments.studies.spec import Experiment
from planbatch.experiments.studies.summary import write_tables
from planbatch.experiments.workloads.transform import first_jobs
from planbatch.planner.arguments import as_list, expect, short_repr, whole
from planbatch.planner.display import counted

#: Most missing cells that a message names.
MOST_NAMED = 10
#: Number of jobs that are replayed to estimate the time of a cell.
SAMPLE = 500


@dataclass(frozen=True)
class RunReport:
    """The result of a run.

    Attributes
    ----------
    folder : Path
        The folder of the results.
    cells : int
        Number of cells of the grid.
    reused : int
        Number of cells that were stored already.
    failed : mapping of str to str
        Names of cells without a result, and why.
    interrupted : bool
        Whether the user ended it early (Ctrl-C).
    missing : int
        Number of cells that are not stored.
    records : mapping of str to dict
        The ``cell.json`` of every stored cell, by its key.
    metrics : sequence of Metric
        Further metrics of the tables.

    Examples
    --------
    >>> import tempfile
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = pb.run_experiment(pb.Experiment([workload], ["fcfs", "easy"]), folder)
    >>> report.cells, report.missing, dict(report.failed)
    (2, 0, {})
    """

    folder: Path
    cells: int
    reused: int
    failed: Mapping[str, str]
    interrupted: bool
    missing: int
    records: Mapping[str, Any] = field(repr=False, default_factory=dict)
    metrics: Sequence[Metric] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the run for JSON."""
        return {
            "out": str(self.folder),
            "cells": self.cells,
            "reused": self.reused,
            "ran": self.cells - self.missing - self.reused,
            "failed": dict(self.failed),
            "missing": self.missing,
            "interrupted": self.interrupted,
        }


def run_experiment(
    experiment: Experiment | str | Path,
    out: str | Path,
    *,
    jobs: int = 1,
    backend: str = "loky",
    scheduler: str | None = None,
    part: tuple[int, int] | None = None,
    notify: Notify = silent,
    quiet: bool = True,
) -> RunReport:
    """Run an experiment, or the cells that are missing.

    Parameters
    ----------
    experiment : Experiment, str or Path
        The experiment, or its TOML file.
    out : str or Path
        Folder of the results; those that it holds are reused.
    jobs : int
        Number of parallel tasks.
    backend : {"loky", "threading", "dask"}
        How they run; see :func:`make_backend`.
    scheduler : str, optional
        Address of a Dask cluster.
    part : tuple of int, optional
        ``(k, n)`` runs the k-th of n parts, about a n-th of the cells. All parts may write into one folder, at the same
        time, or each into its own: :func:`merge_experiment` puts them together.
    notify : callable
        Called with messages for the user.
    quiet : bool
        Whether to show no progress.

    Returns
    -------
    RunReport
        After an interrupt (Ctrl-C), that of the finished cells, which are stored.

    Raises
    ------
    ValueError, OSError
        If the input is bad, before anything runs, or if results cannot be written. Finished results are never touched.

    Examples
    --------
    >>> import tempfile
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> grid = pb.Experiment([workload], ["fcfs", "easy"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     once = pb.run_experiment(grid, folder)
    ...     again = pb.run_experiment(grid, folder)
    >>> once.reused, again.reused
    (0, 2)
    """
    experiment = _experiment_of(experiment)
    check_backend(backend, scheduler)
    jobs = whole("jobs", jobs, 1, "tasks")
    cells = expand(experiment, notify)
    _check_seconds(cells, jobs, scheduler)
    part_keys = set(part_of([cell.key for cell in cells], part))
    store = Store(as_path("out", out))
    store.check()
    with store.locked("" if part is None else f"{part[0]}-of-{part[1]}"):
        if part is None:
            store.clean()
        records = _stored_cells(store, cells, notify)
        reused = len(records)
        _say_stored(store, cells, records, notify)
        store.begin(experiment.title, [cell.key for cell in cells])
        failed: dict[str, str] = {}
        interrupted = False
        if part is None and len(records) < len(cells):  # another part may be reading its tables
            for name in ("summary.csv", "summary.parquet"):
                (store.folder / name).unlink(missing_ok=True)
        try:
            missing_cells = [cell for cell in cells if cell.key in part_keys and cell.key not in records]
            _run(missing_cells, store, Workers(jobs, backend, scheduler, quiet), records, failed, notify)
            if part is not None:  # other parts may have stored theirs in the meantime
                records |= _stored_cells(store, [cell for cell in cells if cell.key not in records], notify)
                _say_missing(cells, records, notify)
            write_tables(store, cells, records, experiment.metrics, notify)
        except KeyboardInterrupt:
            interrupted = True
    missing = sum(not store.folder_of(cell.key).exists() for cell in cells)
    return RunReport(store.folder, len(cells), reused, failed, interrupted, missing, records, experiment.metrics)


def _experiment_of(source: Experiment | str | Path) -> Experiment:
    """Return an experiment, or read its TOML file."""
    experiment = read_experiment(source) if isinstance(source, str | Path) else source
    expect("experiment", experiment, Experiment)
    return experiment


def part_of(keys: Sequence[str], part: tuple[int, int] | None) -> Sequence[str]:
    """Return every n-th key, from the k-th on, for part (k, n); all of them for None.

    >>> part_of(["a", "b", "c", "d"], (2, 3)), part_of(["a"], None)
    (['b'], ['a'])
    """
    if part is None:
        return keys
    if not isinstance(part, tuple) or len(part) != 2:
        raise ValueError(f"part: {short_repr(part)} is no pair of numbers, such as (3, 64)")
    number, count = part[0], whole("part", part[1], 1, "parts")
    if not 1 <= number <= count:
        raise ValueError(f"part: {number}/{count} is none of 1/{count} … {count}/{count}")
    return keys[number - 1 :: count]


def merge_experiment(
    experiment: Experiment | str | Path, folders: Sequence[str | Path], out: str | Path, *, notify: Notify = silent
) -> RunReport:
    """Put together the parts of an experiment that were run in several folders.

    Parameters
    ----------
    experiment : Experiment, str or Path
        The whole experiment, or its TOML file.
    folders : sequence of str or Path
        Folders of its parts.
    out : str or Path
        Folder of the whole; may be one of them. Cells that it holds stay.
    notify : callable
        Called with messages for the user, such as the names of missing cells.

    Raises
    ------
    ValueError, OSError
        If a folder is none of results, or the results cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import planbatch as pb
    >>> from planbatch.experiments import merge_experiment
    >>> grid = pb.Experiment([pb.synthetic_workload(jobs=100, capacity=16)], ["fcfs", "easy"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pb.run_experiment(grid, f"{folder}/1", part=(1, 2))
    ...     _ = pb.run_experiment(grid, f"{folder}/2", part=(2, 2))
    ...     whole = merge_experiment(grid, [f"{folder}/1", f"{folder}/2"], f"{folder}/all")
    >>> whole.cells, whole.missing
    (2, 0)
    """
    experiment = _experiment_of(experiment)
    sources = [Store(as_path("folders", folder)) for folder in as_list("folders", folders)]
    for source in sources:
        if not source.folder.is_dir():
            raise ValueError(f"{source.folder}: there is no such folder of results")
        source.check()
    cells = expand(experiment, notify)
    store = Store(Path(out))
    store.check()
    with store.locked():
        records: dict[str, Any] = {}
        for cell in cells:
            record = store.load_or_put_aside(cell.key, cell.name, notify)
            for source in sources:
                if record is None and source.folder_of(cell.key).exists():
                    record = store.copy_from(source, cell.key)
            if record is not None:
                records[cell.key] = record
        store.begin(experiment.title, [cell.key for cell in cells])
        _say_missing(cells, records, notify)
        write_tables(store, cells, records, experiment.metrics, notify)
    missing = len(cells) - len(records)
    return RunReport(store.folder, len(cells), len(records), {}, False, missing, records, experiment.metrics)


def _say_missing(cells: Sequence[Cell], records: Mapping[str, Any], notify: Notify) -> None:
    """Report the cells that are not stored, by name."""
    absent = [cell.name for cell in cells if cell.key not in records]
    if absent:
        more = f" and {len(absent) - MOST_NAMED} more" if len(absent) > MOST_NAMED else ""
        notify(f"{len(absent)} of {counted(len(cells), 'cell')} missing: {'; '.join(absent[:MOST_NAMED])}{more}")


def estimated_seconds(cell: Cell) -> float:
    """Estimate how long a cell takes (s): its first jobs are replayed, and the time grows with the number of jobs."""
    seconds = 0.0
    for task in cell.tasks:
        jobs = task.workload
        sample = first_jobs(jobs, min(SAMPLE, len(jobs)))
        trace = replay(sample, task.policy, estimates=task.estimates, seed=task.seed)
        seconds += trace.seconds * len(jobs) / len(sample)
    return seconds


def _check_seconds(cells: Sequence[Cell], jobs: int, scheduler: str | None) -> None:
    """Raise if searches limited by time would have to share cores."""
    cores = len(usable_cores())
    if scheduler is None and jobs > cores and any(cell.timed for cell in cells):
        raise BackendError(
            f"jobs: {jobs} searches limited by seconds would share {cores} cores; give at most "
            f"--jobs {cores}, or budgets in evaluations"
        )


def _stored_cells(store: Store, cells: Sequence[Cell], notify: Notify) -> dict[str, Any]:
    """Find the cells that are stored: the ``cell.json`` of each, by key."""
    records = find_stored(store, [cell.whole for cell in cells if cell.spans is None], notify)
    for cell in cells:
        if cell.spans is not None:
            record = store.load_or_put_aside(cell.key, cell.name, notify)
            if record is not None:
                records[cell.key] = record
    return records


def _say_stored(store: Store, cells: Sequence[Cell], records: Mapping[str, Any], notify: Notify) -> None:
    """Report how many cells are stored already, and that cells of other grids or versions stay."""
    others = store.other_keys([cell.key for cell in cells])
    if records:
        notify(f"{len(records)} of {len(cells)} cells are stored already")
    if others:
        notify(
            f"{len(others)} other cells in {store.folder}, of other settings or another version of "
            "the code, stay where they are and do not count"
        )


def _run(
    cells: Sequence[Cell],
    store: Store,
    workers: Workers,
    records: dict[str, Any],
    failed: dict[str, str],
    notify: Notify,
) -> None:
    """Run the missing cells; join the spans of a cell as soon as all are finished."""
    pieces = [(cell, part) for cell in cells for part in range(len(cell.tasks))]
    parts: dict[str, dict[int, FinishedReplay]] = {}
    tasks = [cell.tasks[part] for cell, part in pieces]
    with closing(run_replays(tasks, store, workers, notify=notify)) as results:
        for index, outcome in results:
            cell, part = pieces[index]
            if isinstance(outcome, Failure):
                failed[tasks[index].name] = outcome.error
            elif cell.spans is None:
                records[cell.key] = outcome.record
            else:
                finished = parts.setdefault(cell.key, {})
                finished[part] = outcome
                if len(finished) == len(cell.tasks):
                    spans = [finished[index] for index in range(len(finished))]
                    trace, record = join_spans(cell, spans)
                    records[cell.key] = store.store(cell.key, cell.settings(), trace, record)


def join_spans(cell: Cell, parts: Sequence[FinishedReplay]) -> tuple[Trace, Outcome]:
    """Join the spans of a cell, as if it had been replayed as a whole."""
    trace = join_traces(cell.workload.jobs, [part.trace() for part in parts])
    machines = [part.record["machine"] for part in parts]
    seconds = {name: sum(machine[name] for machine in machines) for name in ("task_seconds", "processor_seconds")}
    spans = [
        {"key": part.task.key, "seconds": part.summary["seconds"], "host": machine["host"]}
        for part, machine in zip(parts, machines, strict=True)
    ]
    return trace, Outcome(trace, summary(trace), versions(), machine_now() | seconds | {"spans": spans})
