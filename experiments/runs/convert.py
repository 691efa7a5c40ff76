"""Converting the jobs of a replay between Batsim's CSV, the Standard Workload Format and Parquet."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from planbatch.experiments.common.atomic import atomic_write
from planbatch.experiments.common.compressed import SUFFIXES, compress, decompress
from planbatch.experiments.runs.processor_assignment import ProcessorRange, assign
from planbatch.experiments.runs.read import Jobs, ResultsError, StoredCell, read_cell
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.swf.read import log_name, read_swf
from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf
from planbatch.experiments.workloads.tables.table import InputTable, table_of_text
from planbatch.experiments.workloads.tables.values import identifiers, numbers, texts
from planbatch.planner.model import NEVER, IntArray, Workload

#: The endings of file names, compression aside, and their formats.
KINDS = {".csv": "Batsim's CSV", ".swf": "the Standard Workload Format", ".parquet": "Parquet"}
#: Those that are written only.
WRITE_ONLY = {".json": "a workload of Batsim", ".xml": "a platform for it"}


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
        return _schedule(path, name.removesuffix(".csv").removesuffix("_jobs"), capacity or peak(jobs), jobs)
    return read_log(path, capacity) if starts else read_jobs(path, capacity)


def _schedule(source: Path, name: str, capacity: int, jobs: Jobs) -> Schedule:
    """Return the schedule; ``ValueError`` if more processors are in use at once than the machine has."""
    most = peak(jobs)
    if most > capacity:
        raise ValueError(
            f"{source}: {most:,} processors are in use at once, above the {capacity:,} of the machine; "
            f"give a capacity of {most}"
        )
    return Schedule(name, capacity, jobs)


def read_parquet(folder: Path, capacity: int | None) -> Schedule:
    """Read the folder of a cell."""
    if (folder / "cell.json").is_file():
        cell = read_cell(folder, folder.name)
    elif capacity is not None:
        cell = StoredCell(folder.name, folder, {"workload": {"capacity": capacity}}, {}, {})
    else:
        raise ResultsError(f"{folder} holds no cell.json; give the machine's capacity")
    name = str(cell.workload.get("name", folder.resolve().name))
    return _schedule(folder, name, capacity or cell.capacity, cell.jobs())


def read_log(path: Path, capacity: int | None) -> Schedule:
    """Read a log with waits; lines without one are left out."""
    log = read_swf(path)
    has_wait = log.columns["wait"] >= 0
    if not has_wait.any():
        raise ValueError(f"{path}: the log has no waits, so it is not known when its jobs ran")
    selection = log.select(capacity, keep=has_wait)
    workload = log.build(selection)
    wait = np.floor(log.columns["wait"][selection.rows] + 0.5).astype(np.int64)
    return _schedule(path, workload.name, workload.capacity, jobs_of(workload, workload.submit + wait))


def read_jobs(path: Path, capacity: int | None) -> Schedule:
    """Read the jobs of a log without starts: each starts at its submission."""
    workload = read_swf(path).workload(capacity)
    return Schedule(workload.name, workload.capacity, jobs_of(workload, workload.submit))


def jobs_of(workload: Workload, start: IntArray) -> Jobs:
    """Return the jobs of a workload that start at some times (s)."""
    return Jobs(
        workload.id, workload.user, workload.submit, workload.procs, workload.walltime, workload.runtime,
        start, start + workload.runtime,
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
    kind = kind_of(path, KINDS | WRITE_ONLY)
    if kind in WRITE_ONLY:
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


#: The columns that Batsim 4 writes, in its order.
COLUMNS = (
    "job_id", "workload_name", "profile", "submission_time", "requested_number_of_resources", "requested_time",
    "success", "final_state", "starting_time", "execution_time", "finish_time", "waiting_time",
    "turnaround_time", "stretch", "allocated_resources", "consumed_energy", "metadata",
)  # fmt: skip
#: Columns without which jobs cannot be read back.
REQUIRED_COLUMNS = (
    "job_id", "submission_time", "requested_number_of_resources", "requested_time", "starting_time", "finish_time",
)  # fmt: skip
#: Our columns that go into ``metadata``, and the values that mean none and are left out.
EXTRA = {"user": -1, "deadline": NEVER, "promise": NEVER}


def write_batsim(path: Path, jobs: Jobs, capacity: int, name: str = "w0") -> None:
    """Write jobs as Batsim does, compressed if the name says so; completely or not at all.

    A job that ran for its whole walltime counts as killed at it (``COMPLETED_WALLTIME_REACHED``, success 0): the
    replay cannot tell whether it would have ended just then. ``name`` is that of the workload. ``ValueError`` if more
    processors are in use at once than the machine's ``capacity``.
    """
    reached = jobs.runtime >= jobs.walltime
    turnaround = jobs.end - jobs.submit
    frame = pd.DataFrame(
        {
            "job_id": jobs.id,
            "workload_name": name,
            "profile": "delay",
            "submission_time": jobs.submit,
            "requested_number_of_resources": jobs.procs,
            "requested_time": jobs.walltime,
            "success": (~reached).astype(np.int64),
            "final_state": np.where(reached, "COMPLETED_WALLTIME_REACHED", "COMPLETED_SUCCESSFULLY"),
            "starting_time": jobs.start,
            "execution_time": jobs.runtime,
            "finish_time": jobs.end,
            "waiting_time": jobs.start - jobs.submit,
            "turnaround_time": turnaround,
            "stretch": turnaround / jobs.runtime,
            "allocated_resources": [resources(pieces) for pieces in assign(jobs.start, jobs.end, jobs.procs, capacity)],
            "consumed_energy": 0,
            "metadata": metadata(jobs),
        },
        columns=list(COLUMNS),
    )
    text = frame.to_csv(index=False, lineterminator="\n", float_format="%.6f")
    with atomic_write(path) as file:
        file.write(compress(text.encode(), path))


def resources(pieces: list[ProcessorRange]) -> str:
    """Return pieces as a set of intervals.

    >>> resources([(0, 4), (8, 1)])
    '0-3 8'
    """
    return " ".join(f"{low}" if count == 1 else f"{low}-{low + count - 1}" for low, count in pieces)


def metadata(jobs: Jobs) -> list[str]:
    """Return what Batsim has no column for, as far as it is known."""
    texts = [""] * len(jobs)
    for name, absent in EXTRA.items():
        column = getattr(jobs, name)
        for i in np.flatnonzero(column != absent).tolist():
            texts[i] += f"{';' if texts[i] else ''}{name}={column[i]}"
    return texts


def read_batsim(path: Path) -> Jobs:
    """Read jobs that Batsim or :func:`write_batsim` wrote, in the order of their submission.

    Jobs that did not run (rejected, or never started) are left out; times are rounded to whole seconds. Job numbers
    are taken from identifiers such as ``w0!17``; if those are no numbers, jobs are numbered from 1 in the order of the
    file. ``ValueError`` if it is not such a file, a value is not a number, or no job ran; names file, column and line.
    """
    data = decompress(path.read_bytes(), str(path))
    table = table_of_text(data, path.name, str(path))
    if table.skipped:
        raise ValueError(f"{path}, {table.skipped[0].describe()}")
    absent = [name for name in REQUIRED_COLUMNS if name not in table.frame.columns]
    if absent:
        raise ValueError(f"{path} has no column {absent[0]!r}; give a jobs file of Batsim")
    started = numbers(table.frame["starting_time"])
    never = (started.values == -1) | np.isnan(started.values) & ~started.wrong
    table = table.only(~never)
    frame = table.frame
    if frame.empty:
        raise ValueError(f"{path}: no job ran")
    columns = {name: whole(table, name) for name in REQUIRED_COLUMNS[1:]}
    start, end = columns["starting_time"], columns["finish_time"]
    runtime = np.maximum(end - start, 1)
    extra = read_metadata(frame, path)
    jobs = Jobs(
        identifiers(frame["job_id"]),
        extra["user"],
        columns["submission_time"],
        columns["requested_number_of_resources"],
        np.maximum(columns["requested_time"], runtime),
        runtime,
        start,
        start + runtime,
        extra["deadline"],
        extra["promise"],
    )
    order = np.argsort(jobs.submit, kind="stable")
    return Jobs(*(getattr(jobs, name)[order] for name in Jobs.__dataclass_fields__))


def whole(table: InputTable, name: str) -> IntArray:
    """Read a column of numbers, rounded to whole ones."""
    values = numbers(table.frame[name])
    wrong = np.flatnonzero(np.isnan(values.values))
    if wrong.size:
        index = int(wrong[0])
        text = table.cell_text(index, name)
        raise ValueError(f"{table.source}, line {table.lines[index]}: {name} is {text!r}, not a number")
    return np.floor(values.values + 0.5).astype(np.int64)


def read_metadata(frame: pd.DataFrame, _path: Path) -> dict[str, IntArray]:
    """Read what :func:`write_batsim` put into ``metadata``, and ignore anything else."""
    result = {name: np.full(len(frame), absent) for name, absent in EXTRA.items()}
    if "metadata" not in frame.columns:
        return result
    for name, column in result.items():
        values = texts(frame["metadata"]).str.extract(rf"(?:^|;){name}=(-?\d{{1,18}})(?:;|$)")[0]
        present = values.notna().to_numpy()
        column[present] = values[present].astype(np.int64)
    return result


def batsim_workload(jobs: Jobs, capacity: int) -> bytes:
    """Return jobs as a workload file of Batsim 4: requests, and profiles that take the run times."""
    columns = zip(jobs.id, jobs.submit, jobs.walltime, jobs.procs, jobs.runtime, jobs.deadline, strict=True)
    rows = [
        {"id": str(number), "subtime": int(submit), "walltime": int(walltime), "res": int(procs),
         "profile": f"d{runtime}", **({} if deadline == NEVER else {"deadline": int(deadline)})}
        for number, submit, walltime, procs, runtime, deadline in columns
    ]  # fmt: skip
    profiles = {f"d{runtime}": {"type": "delay", "delay": int(runtime)} for runtime in np.unique(jobs.runtime)}
    data = {"nb_res": capacity, "jobs": rows, "profiles": profiles}
    return json.dumps(data, indent=1).encode() + b"\n"


def batsim_platform(capacity: int) -> bytes:
    """Return a platform file of SimGrid: ``capacity`` equal hosts, and one for Batsim itself (``role=master``)."""
    return _PLATFORM.replace("@LAST@", str(capacity - 1)).encode()


_PLATFORM = """\
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="site" routing="Full">
    <cluster id="machine" prefix="n" suffix="" radical="0-@LAST@" speed="1Gf" bw="125MBps" lat="50us"
             router_id="machine_router"/>
    <cluster id="head" prefix="master_host" suffix="" radical="0-0" speed="1Gf" bw="125MBps" lat="50us"
             router_id="head_router">
      <prop id="role" value="master"/>
    </cluster>
    <link id="between" bandwidth="1.25GBps" latency="500us"/>
    <zoneRoute src="machine" dst="head" gw_src="machine_router" gw_dst="head_router">
      <link_ctn id="between"/>
    </zoneRoute>
  </zone>
</platform>
"""
