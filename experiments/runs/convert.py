"""Converting the jobs of a replay between Batsim's CSV, the Standard Workload Format and Parquet."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planbatch.experiments.common.atomic import atomic_write
from planbatch.experiments.common.compressed import SUFFIXES, compress
from planbatch.experiments.runs.batsim import batsim_platform, batsim_workload, read_batsim, write_batsim
from planbatch.experiments.runs.jobs import Jobs
from planbatch.experiments.runs.read import Cell, ResultsError, read_cell
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.swf.read import log_name, read_swf
from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf
from planbatch.planner.model import NEVER, IntArray, Workload

#: The endings of file names, compression aside, and their formats.
KINDS = {".csv": "Batsim's CSV", ".swf": "the Standard Workload Format", ".parquet": "Parquet"}
#: Those that are written only.
WRITTEN = {".json": "a workload of Batsim", ".xml": "a platform for it"}


@dataclass(frozen=True)
class Schedule:
    """Jobs and when they ran."""

    name: str  # name of the workload
    capacity: int  # processors of the machine
    jobs: Jobs  # in FCFS order

    def workload(self) -> Workload:
        """Return the jobs as a workload that can be replayed."""
        jobs = self.jobs
        return Workload(
            self.name, self.capacity, jobs.id, jobs.submit, jobs.procs, jobs.walltime, jobs.runtime,
            jobs.deadline, jobs.user,
        )  # fmt: skip

    def log(self) -> SwfLog:
        """Return the jobs as a log with waits; deadlines and promises have no column and are lost."""
        log = swf_from_workload(self.workload())
        wait = (self.jobs.start - self.jobs.submit).astype(np.float64)
        columns = {**log.columns, "wait": wait}
        return SwfLog(log.name, log.source, log.header, columns)


def kind_of(path: Path, kinds: Mapping[str, str] = KINDS) -> str:
    """Return the format of a file, by its name; ``ValueError`` if that has no known ending."""
    name = Path(path.stem if path.suffix.lower() in SUFFIXES else path.name)
    if name.suffix.lower() not in kinds:
        raise ValueError(f"{path}: give a name that ends in {', '.join(kinds)} (or one of these and .gz)")
    return name.suffix.lower()


def read_schedule(path: str | Path, capacity: int | None = None, *, starts: bool = True) -> Schedule:
    """Read the jobs of a replay: Batsim's jobs CSV, a log with waits, ``jobs.parquet``, or the folder of a cell.

    The machine has ``capacity`` processors, by default those of ``cell.json`` or the log's header, or else the most
    that were in use at once. Without ``starts``, a log needs no waits, and all of its jobs are read.
    """
    path = Path(path)
    if path.is_dir() or path.name == "jobs.parquet":
        return read_parquet(path if path.is_dir() else path.parent, capacity)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file; check the path")
    kind = kind_of(path)
    if kind == ".parquet":
        raise ValueError(f"{path}: give the folder of a cell, or its jobs.parquet")
    name = log_name(path.with_suffix("") if kind == ".csv" and path.suffix != ".csv" else path)
    if kind == ".csv":
        jobs = read_batsim(path)
        return Schedule(name.removesuffix(".csv").removesuffix("_jobs"), capacity or peak(jobs), jobs)
    return read_log(path, capacity) if starts else read_jobs(path, capacity)


def read_parquet(folder: Path, capacity: int | None) -> Schedule:
    """Read the folder of a cell."""
    if (folder / "cell.json").is_file():
        cell = read_cell(folder, folder.name)
    elif capacity is not None:
        cell = Cell(folder.name, folder, {"workload": {"capacity": capacity}}, {}, {})
    else:
        raise ResultsError(f"{folder} holds no cell.json; give the machine's capacity")
    name = str(cell.workload.get("name", folder.resolve().name))
    return Schedule(name, capacity or cell.capacity, cell.jobs())


def read_log(path: Path, capacity: int | None) -> Schedule:
    """Read a log with waits; lines without one are left out."""
    log = read_swf(path)
    has_wait = log.columns["wait"] >= 0
    if not has_wait.any():
        raise ValueError(f"{path}: the log has no waits, so it is not known when its jobs ran")
    selection = log.select(capacity, keep=has_wait)
    workload = log.build(selection)
    wait = np.floor(log.columns["wait"][selection.rows] + 0.5).astype(np.int64)
    jobs = jobs_of(workload, workload.submit + wait)
    most = peak(jobs)
    if most > workload.capacity:
        raise ValueError(
            f"{path}: {most:,} processors are in use at once, above the {workload.capacity:,} of the machine; "
            f"give a capacity of {most}"
        )
    return Schedule(workload.name, workload.capacity, jobs)


def read_jobs(path: Path, capacity: int | None) -> Schedule:
    """Read the jobs of a log, whose starts nobody asks for: they stand at their submissions."""
    workload = read_swf(path).workload(capacity)
    return Schedule(workload.name, workload.capacity, jobs_of(workload, workload.submit))


def jobs_of(workload: Workload, start: IntArray) -> Jobs:
    """Return the jobs of a workload that start at some times (s)."""
    none = np.full(len(workload), NEVER)
    return Jobs(
        workload.id, workload.user, workload.submit, workload.procs, workload.walltime, workload.runtime,
        start, start + workload.runtime, none, none,
    )  # fmt: skip


def peak(jobs: Jobs) -> int:
    """Return the most processors in use at once."""
    times = np.concatenate([jobs.end, jobs.start])
    changes = np.concatenate([-jobs.procs, jobs.procs])
    order = np.lexsort((changes > 0, times))
    return int(np.cumsum(changes[order]).max())


def write_schedule(path: str | Path, schedule: Schedule) -> None:
    """Write jobs in the format of the file's name: :data:`KINDS` or :data:`WRITTEN`, compressed if it says so.

    A Parquet file has the columns of ``jobs.parquet``, but no ``cell.json`` is written: reading it back needs the
    machine's size.
    """
    path = Path(path)
    kind = kind_of(path, KINDS | WRITTEN)
    if kind in WRITTEN:
        jobs, capacity = schedule.jobs, schedule.capacity
        data = batsim_workload(jobs, capacity) if kind == ".json" else batsim_platform(capacity)
        with atomic_write(path) as file:
            file.write(compress(data, path))
    elif kind == ".csv":
        write_batsim(path, schedule.jobs, schedule.capacity, schedule.name)
    elif kind == ".swf":
        write_swf(path, schedule.log())
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {name: getattr(schedule.jobs, name) for name in Jobs.__dataclass_fields__}
        metadata = {"planbatch": json.dumps({"name": schedule.name, "capacity": schedule.capacity})}
        table = pa.table(columns).replace_schema_metadata(metadata)
        with atomic_write(path) as file:
            pq.write_table(table, file)
