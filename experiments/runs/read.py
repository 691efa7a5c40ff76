"""Reading a folder of results: its cells, those that are missing, and those that cannot be read.

The layout is that of ``planbatch experiment run``: ``experiment.json`` names the cells, and every cell has a folder
with ``cell.json`` (settings and summary), ``jobs.parquet`` (one row per job) and ``rounds.parquet`` (one row per
round). Reading changes nothing in the folder.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from planbatch.experiments.common.paths import as_path
from planbatch.experiments.common.records import record_of
from planbatch.experiments.replay.trace import JOB_COLUMNS as TRACE_COLUMNS
from planbatch.experiments.replay.trace import ROUNDS as ROUND_COLUMNS
from planbatch.experiments.replay.trace import RoundLog, Trace, bounded_slowdown, jobs_frame
from planbatch.experiments.runs.store import CELL, CELLS, EXPERIMENT, FORMAT, JOBS, ROUNDS, ResultsError
from planbatch.planner.model import NEVER, IntArray

if TYPE_CHECKING:
    from pandas import DataFrame


#: Columns of ``jobs.parquet`` that every report needs, and those that may be absent.
JOB_COLUMNS = ("id", "submit", "procs", "walltime", "runtime", "start", "end")
MORE_JOB_COLUMNS = ("user", "queue", "deadline", "promise", "first_planned", "last_planned", "predicted")


@dataclass(frozen=True)
class Jobs:
    """The jobs of one cell as columns of shape (n,), in FCFS order; times in seconds."""

    #: Job and user numbers; users are -1 if they are not known.
    id: IntArray
    user: IntArray
    submit: IntArray  # when the job was submitted, started and ended
    #: Processors, requested time and run time.
    procs: IntArray
    walltime: IntArray
    runtime: IntArray
    start: IntArray
    end: IntArray
    #: Latest end and latest promised start, ``NEVER`` for none.
    deadline: IntArray = None  # type: ignore[assignment]
    promise: IntArray = None  # type: ignore[assignment]
    #: What the job was believed to take when it started, ``NEVER`` if nothing was predicted.
    predicted: IntArray = None  # type: ignore[assignment]
    #: Queue numbers, -1 if they are not known.
    queue: IntArray = None  # type: ignore[assignment]
    #: Starts in the first plan and in the last before the start; the start if there was none.
    first_planned: IntArray = None  # type: ignore[assignment]
    last_planned: IntArray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        n = len(self.submit)
        absent = dict.fromkeys(("deadline", "promise", "predicted"), np.full(n, NEVER)) | {"queue": np.full(n, -1)}
        planned = dict.fromkeys(("first_planned", "last_planned"), self.start)
        for name, column in (absent | planned).items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, column)

    def __len__(self) -> int:
        return len(self.submit)

    @cached_property
    def wait(self) -> NDArray[np.float64]:
        """The wait of every job (s)."""
        return (self.start - self.submit).astype(np.float64)

    @cached_property
    def slowdown(self) -> NDArray[np.float64]:
        """The bounded slowdown of every job (design rule 9)."""
        return bounded_slowdown(self.wait, self.runtime.astype(np.float64))


def read_trace(folder: Path, cell: Mapping[str, Any]) -> Trace:
    """Read the trace of a cell, without its workload, which is in the task."""
    jobs: dict[str, Any] = read_columns(folder / JOBS, TRACE_COLUMNS)
    summary = cell["summary"]
    return Trace(
        workload=None,  # type: ignore[arg-type]
        policy=summary["policy"],
        rounds=RoundLog(**read_columns(folder / ROUNDS, ROUND_COLUMNS)),
        seconds=summary["seconds"],
        **{name: jobs[name] for name in TRACE_COLUMNS},
    )


def read_columns(path: Path, needed: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, NDArray[Any]]:
    """Read columns of a Parquet file; see :meth:`StoredCell.jobs` for the errors."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        raise ResultsError(f"{path} is missing; run the cell again")
    try:
        with pq.ParquetFile(path) as file:
            names = set(file.schema_arrow.names)
            missing = [name for name in needed if name not in names]
            if missing:
                raise ResultsError(
                    f"{path} has no column {missing[0]!r}; it was written by another version of planbatch"
                )
            table = file.read(columns=[*needed, *(name for name in optional if name in names)])
        columns = {name: table[name].to_numpy() for name in table.column_names}
    except ResultsError:
        raise
    except (OSError, ValueError, pa.ArrowException) as error:  # ValueError: a name that is no text
        raise ResultsError(
            f"{path} is damaged ({first_line(error)}); delete the cell's folder and run it again"
        ) from error
    text = [name for name, column in columns.items() if column.dtype.kind not in "iuf"]
    if text:
        raise ResultsError(f"{path}: column {text[0]!r} holds no numbers; run the cell again")
    return columns


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, without a full stop."""
    return (str(error) or type(error).__name__).strip().split("\n")[0].rstrip(". ")


@dataclass(frozen=True)
class StoredCell:
    """One replay of the grid."""

    key: str  # name of its folder
    folder: Path  # the folder of its files
    #: As in ``cell.json``.
    settings: Mapping[str, Any]
    summary: Mapping[str, Any]
    versions: Mapping[str, Any]
    machine: object = None  # the machine that ran it, as in ``cell.json``

    @property
    def label(self) -> str:
        """The name of the policy in tables."""
        policy = self.settings["policy"]
        return str(policy.get("label") or policy["name"])

    @property
    def policy(self) -> str:
        """The name of the policy."""
        return str(self.settings["policy"]["name"])

    @property
    def searches(self) -> bool:
        """Whether the policy searches for plans."""
        return bool(self.settings["policy"].get("searches"))

    @property
    def workload(self) -> Mapping[str, Any]:
        """The description of the workload."""
        return self.settings["workload"]

    @property
    def capacity(self) -> int:
        """Processors of the machine."""
        return int(self.workload["capacity"])

    @property
    def seed(self) -> int:
        """Seed of the random numbers."""
        return int(self.settings.get("seed") or 0)

    def jobs(self) -> Jobs:
        """Read the jobs; ``ResultsError`` if the file is missing, damaged, or has impossible values."""
        path = self.folder / JOBS
        columns = read_columns(path, JOB_COLUMNS, MORE_JOB_COLUMNS)
        n = len(columns["submit"])
        if not n:
            raise ResultsError(f"{path} holds no jobs; run the cell again")
        absent = {"user": -1, "deadline": NEVER, "promise": NEVER, "predicted": NEVER}
        columns = {name: np.full(n, value) for name, value in absent.items()} | columns
        without_nan = {  # data frames have NaN for what is absent
            name: np.where(np.isnan(column), absent[name], column) if name in absent else column
            for name, column in columns.items()
        }
        jobs = Jobs(**{name: column.astype(np.int64) for name, column in without_nan.items()})
        wrong = (jobs.start < jobs.submit) | (jobs.end <= jobs.start)
        wrong |= (jobs.procs < 1) | (jobs.procs > self.capacity)
        if wrong.any():
            job = int(jobs.id[np.flatnonzero(wrong)[0]])
            raise ResultsError(f"{path}: job {job} has impossible times or sizes; run the cell again")
        return jobs

    def frame(self) -> "DataFrame":
        """Read the jobs as a data frame with the columns of :meth:`Trace.to_frame`, as far as they are stored."""
        frame = jobs_frame(vars(self.jobs()))
        frame.attrs = {"workload": self.workload["name"], "capacity": self.capacity, "policy": self.label}
        return frame

    def rounds(self) -> dict[str, NDArray[Any]]:
        """Read the rounds: the columns :data:`ROUND_COLUMNS`."""
        return read_columns(self.folder / ROUNDS, ROUND_COLUMNS)


@dataclass(frozen=True)
class Results:
    """A folder of results.

    Attributes
    ----------
    folder : Path
        The folder.
    title : str
        Title of the experiment.
    version : str
        Version of planbatch that wrote it.
    cells : tuple of StoredCell
        The cells that can be read, in the order of the grid.
    missing : tuple of str
        Keys of cells that have not been run.
    broken : tuple of (str, str)
        Keys of cells that cannot be read, and why.

    Examples
    --------
    >>> import tempfile
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pb.run_experiment(pb.Experiment([workload], ["easy"], title="Try"), folder)
    ...     results = pb.read_results(folder)
    >>> results.title
    'Try'
    """

    folder: Path
    title: str
    version: str
    cells: tuple[StoredCell, ...]
    missing: tuple[str, ...] = ()
    broken: tuple[tuple[str, str], ...] = ()


def read_json(path: Path, what: str) -> dict[str, Any]:
    """Read a JSON object that states its format; see :func:`read_results` for the errors."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ResultsError(f"{path} is missing") from error
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path} cannot be read ({first_line(error)})") from error
    if not isinstance(record, dict) or "format" not in record:
        raise ResultsError(f"{path} is not {what} of planbatch")
    if record["format"] != FORMAT:
        by = f", by planbatch {record['planbatch']}" if "planbatch" in record else ""
        raise ResultsError(
            f"{path} was written in format {record['format']}{by}, and this version reads format {FORMAT}; "
            "make the report with the version that ran the experiment"
        )
    return record


@dataclass(frozen=True)
class _Policy:
    name: str
    label: str | None = None


@dataclass(frozen=True)
class _Workload:
    name: str
    capacity: int
    jobs: int | None = None
    unix_start_time: int | None = None


@dataclass(frozen=True)
class _Settings:
    policy: _Policy
    workload: _Workload
    seed: int | None = None


@dataclass(frozen=True)
class _Summary:
    seconds: float | None = None


@dataclass(frozen=True)
class _Record:
    """What a report needs of ``cell.json``."""

    settings: _Settings
    summary: _Summary
    versions: dict[str, str] = field(default_factory=dict)


def read_cell(folder: Path, key: str) -> StoredCell:
    """Read the description of one cell, or raise ``ResultsError``; its jobs and rounds are read on demand."""
    record = read_json(folder / CELL, "a cell")
    try:
        record_of(_Record, record)
    except ValueError as error:
        raise ResultsError(f"{folder / CELL}: {error}") from error
    versions, machine = record.get("versions", {}), record.get("machine")
    return StoredCell(key, folder, record["settings"], record["summary"], versions, machine)


def read_results(folder: str | Path) -> Results:
    """Read the results of an experiment from a folder.

    A missing or broken cell is listed, and the others are read. Jobs and rounds are not read yet: reading them may
    reveal more broken cells.

    Parameters
    ----------
    folder : str or Path
        The ``--out`` folder of an experiment.

    Raises
    ------
    ResultsError
        If the folder holds no experiment, one of another version, or no finished cell.

    Examples
    --------
    >>> import tempfile
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pb.run_experiment(pb.Experiment([workload], ["easy"]), folder)
    ...     results = pb.read_results(folder)
    >>> len(results.cells), results.missing
    (1, ())
    """
    folder = as_path("folder", folder)
    if not folder.is_dir():
        raise ResultsError(f"{folder}: there is no such folder; give the folder of an experiment")
    if not (folder / EXPERIMENT).is_file():
        raise ResultsError(f"{folder} holds no experiment.json; give the folder that planbatch experiment run wrote to")
    record = read_json(folder / EXPERIMENT, "an experiment")
    keys = record.get("cells")
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise ResultsError(f"{folder / 'experiment.json'} has no list of cells")
    for key in keys:
        if Path(key).name != key or key == "..":
            raise ResultsError(f"{folder / 'experiment.json'}: cells: {key!r} is not the name of a cell")
    cells, missing, broken = [], [], []
    for key in keys:
        cell_folder = folder / CELLS / key
        if not (cell_folder / CELL).is_file():
            missing.append(key)
            continue
        try:
            cells.append(read_cell(cell_folder, key))
        except ResultsError as error:
            broken.append((key, str(error)))
    if not cells:
        why = f": {broken[0][1]}" if broken else "; run the experiment first"
        raise ResultsError(f"{folder}: none of its {len(keys)} cells can be read{why}")
    title = str(record.get("title") or folder.resolve().name)
    version = str(record.get("planbatch", "unknown"))
    return Results(folder, title, version, tuple(cells), tuple(missing), tuple(broken))
