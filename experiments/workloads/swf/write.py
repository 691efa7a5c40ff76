"""Writing logs in the Standard Workload Format."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planbatch.experiments.common.atomic import atomic_write
from planbatch.experiments.common.compressed import compress
from planbatch.experiments.workloads.swf.log import FIELDS, FRACTIONAL, SwfHeader, SwfLog
from planbatch.planner.arguments import expect
from planbatch.planner.model import Workload


def write_swf(path: str | Path, log: SwfLog) -> None:
    """Write a log, compressed when the name ends in .gz, .xz, .zst or .bz2; whole or not at all.

    Parameters
    ----------
    path : str or Path
        The file.
    log : SwfLog
        The log.

    Raises
    ------
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> import planbatch as pb
    >>> from planbatch.experiments import read_swf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "one.swf")
    ...     _ = file.write_text("1 0 0 80 4 -1 -1 4 100 -1 1 1 1 -1 -1 -1 -1 -1")
    ...     pb.write_swf(Path(folder, "copy.swf.gz"), read_swf(file))
    ...     again = read_swf(Path(folder, "copy.swf.gz"))
    >>> again.name
    'copy'
    """
    expect("log", log, SwfLog)
    path = Path(path)
    lines = [line if line.startswith(";") else f"; {line}" for line in log.header.lines]
    texts = [_texts(log.columns[name]) for name in FIELDS]
    lines.extend(map(" ".join, zip(*texts, strict=True)))
    content = compress(("\n".join(lines) + "\n").encode(), path)
    with atomic_write(path) as file:
        file.write(content)


def _texts(column: NDArray[Any]) -> list[str]:
    """Write numbers as short as possible, such that they are read back unchanged."""
    if column.dtype.kind == "f":
        if (column == np.floor(column)).all():
            return _texts(column.astype(np.int64))
        return [str(int(x)) if x.is_integer() else repr(x) for x in column.tolist()]
    return list(map(str, column.tolist()))


def swf_from_workload(workload: Workload) -> SwfLog:
    """Make a log of a workload, for writing; values that a workload does not have are -1.

    Used and requested processors are the same. Deadlines and resources other
    than memory in KB have no column in the format and are lost.
    """
    columns: dict[str, NDArray[Any]] = {
        name: np.full(len(workload), -1, dtype=np.float64 if name in FRACTIONAL else np.int64) for name in FIELDS
    }
    columns["status"] = np.ones(len(workload), dtype=np.int64)
    for name, values in {
        "job": workload.id,
        "submit": workload.submit,
        "wait": workload.wait,
        "runtime": workload.runtime,
        "used_procs": workload.procs,
        "requested_procs": workload.procs,
        "requested_time": workload.walltime,
        "user": workload.user,
        "queue": workload.queue,
    }.items():
        columns[name] = values.astype(columns[name].dtype)
    names = [(resource.name, resource.unit) for resource in workload.resources]
    if ("memory", "KB") in names:
        memory = workload.demands[:, names.index(("memory", "KB"))]
        columns["requested_memory"] = memory / workload.procs
    lines = [f"; {key}: {line}" for key, value in workload.header.items() for line in value.split("\n")]
    header = SwfHeader(tuple(lines)).with_field("MaxProcs", workload.capacity)
    return SwfLog(workload.name, workload.name, header, columns)
