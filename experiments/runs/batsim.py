"""Writing and reading finished jobs in the CSV of Batsim, which evalys and other tools read.

Batsim writes one line per job into ``…_jobs.csv``; its documentation ("Jobs", docs/output-jobs.rst) names the columns.
``allocated_resources`` is a set of intervals such as ``0-3 8``. Our replays count processors without naming them, so
they are assigned (:mod:`processor_assignment`). What Batsim has no column for (user, deadline,
promise) goes into ``metadata``, as ``user=3;deadline=900``.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from planbatch.experiments.common.atomic import atomic_write
from planbatch.experiments.common.compressed import compress, decompress
from planbatch.experiments.runs.jobs import Jobs
from planbatch.experiments.runs.processor_assignment import Piece, assign
from planbatch.experiments.workloads.tables.table import Table, table_of_text
from planbatch.experiments.workloads.tables.values import identifiers, numbers, texts
from planbatch.planner.model import NEVER, IntArray

#: The columns that Batsim 4 writes, in its order.
COLUMNS = (
    "job_id", "workload_name", "profile", "submission_time", "requested_number_of_resources", "requested_time",
    "success", "final_state", "starting_time", "execution_time", "finish_time", "waiting_time",
    "turnaround_time", "stretch", "allocated_resources", "consumed_energy", "metadata",
)  # fmt: skip
#: Columns without which jobs cannot be read back.
NEEDED = (
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


def resources(pieces: list[Piece]) -> str:
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
    absent = [name for name in NEEDED if name not in table.frame.columns]
    if absent:
        raise ValueError(f"{path} has no column {absent[0]!r}; give a jobs file of Batsim")
    started = numbers(table.frame["starting_time"])
    never = (started.values == -1) | np.isnan(started.values) & ~started.wrong
    table = table.only(~never)
    frame = table.frame
    if frame.empty:
        raise ValueError(f"{path}: no job ran")
    columns = {name: whole(table, name) for name in NEEDED[1:]}
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


def whole(table: Table, name: str) -> IntArray:
    """Read a column of numbers, rounded to whole ones."""
    values = numbers(table.frame[name])
    wrong = np.flatnonzero(np.isnan(values.values))
    if wrong.size:
        index = int(wrong[0])
        text = table.shown(index, name)
        raise ValueError(f"{table.source}, line {table.lines[index]}: {name} is {text!r}, not a number")
    return np.floor(values.values + 0.5).astype(np.int64)


def read_metadata(frame: pd.DataFrame, path: Path) -> dict[str, IntArray]:
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
    """Return jobs as a workload file of Batsim 4: what was asked for, and profiles that wait for the run times."""
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
