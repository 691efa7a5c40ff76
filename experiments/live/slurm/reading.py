"""Snapshots: of a cluster, through Slurm's clients, or of a folder in which their output was saved."""

import json
import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from planbatch.experiments.live.slurm.client import SlurmClient
from planbatch.experiments.live.slurm.parse import origin, parse_jobs, parse_nodes, parse_partitions, parse_reservations
from planbatch.experiments.live.slurm.snapshot import LiveJob, Snapshot
from planbatch.experiments.live.slurm.values import Output

#: Files of saved output: of each list, the first that is there.
SAVED_FILES = {
    "jobs": ("squeue.json", "jobs.json", "jobs.txt", "scontrol_show_job.txt"),
    "nodes": ("nodes.json", "sinfo.json", "nodes.txt", "scontrol_show_node.txt"),
    "partitions": ("partitions.txt", "scontrol_show_partition.txt"),
    "reservations": ("reservations.json", "reservations.txt", "scontrol_show_reservations.txt"),
}


def read_snapshot(client: SlurmClient, keep: Path | None = None) -> Snapshot:
    """Read a snapshot of a cluster; an ``OSError`` or a ``ValueError`` of one sentence if that is impossible.

    A folder ``keep``, empty or not there, gets what :func:`saved_snapshot` reads: ``jobs.json``, ``nodes.json``,
    ``partitions.txt`` and ``reservations.json``, or texts; nothing if a part cannot be read.
    """
    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise ValueError(f"keep: {keep} is not empty; choose another folder")
    with ThreadPoolExecutor(len(SAVED_FILES)) as pool:  # side by side: a tick mostly waits for programs to start
        answers = {name: pool.submit(getattr(client, name)) for name in SAVED_FILES}
    outputs = {name: answer.result() for name, answer in answers.items()}
    jobs = outputs["jobs"]
    rows = _jobs_of_lines(client, jobs) if isinstance(jobs, str) else parse_jobs(jobs)
    snapshot = _snapshot(int(time.time()), rows, outputs)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        for name, output in outputs.items():
            path = keep / f"{name}.{'txt' if isinstance(output, str) else 'json'}"
            path.write_text(output if isinstance(output, str) else json.dumps(output), encoding="utf-8")
            os.utime(path, (snapshot.time, snapshot.time))  # by which its age is known
    return snapshot


def _jobs_of_lines(client: SlurmClient, lines: str) -> tuple[LiveJob, ...]:
    """Read lines of ``scontrol``; a second list, of numbers alone, says which jobs there really are.

    Jobs that are in the second list alone arrived in between, and have the highest numbers; else the first was cut off.
    """
    listed = client.run("squeue", "--noheader", "--all", "--states=all", "-o", "%A").split()
    numbers = frozenset(int(number) for number in listed if number.isdigit())
    jobs = parse_jobs(lines, numbers)
    numbers_read = {job.job_id for job in jobs}
    missing = numbers - numbers_read
    if not lines.endswith("\n") or (missing and min(missing) < max(numbers_read, default=0)):
        raise ValueError("scontrol: its list of jobs is cut off")
    return jobs


def _snapshot(when: int, jobs: tuple[LiveJob, ...], outputs: Mapping[str, Output]) -> Snapshot:
    cluster, version = origin(outputs["jobs"])
    return Snapshot(
        when,
        jobs,
        cluster=cluster,
        version=version,
        nodes=parse_nodes(outputs["nodes"]),
        partitions=parse_partitions(str(outputs["partitions"])),
        reservations=parse_reservations(outputs["reservations"]),
    )


def saved_snapshot(folder: str | Path, now: int | None = None) -> Snapshot:
    """Read a snapshot from a folder of saved output: ``squeue.json`` and ``sinfo.json``, or their texts.

    Experimental: it may change in any release.

    Parameters
    ----------
    folder : str or Path
        The folder; its files may be named as in :data:`SAVED_FILES`.
    now : int, optional
        When it was saved (s); by default when its list of jobs was written.

    Raises
    ------
    OSError
        If there is no list of jobs or of nodes.
    ValueError
        If one of them cannot be read; names the file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from planbatch.experiments import saved_snapshot
    >>> try:
    ...     saved_snapshot(Path("/nowhere"))
    ... except OSError as error:
    ...     print(error)
    /nowhere: there is no such folder of saved output
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: there is no such folder of saved output")
    files: dict[str, Path | None] = {}
    for kind, names in SAVED_FILES.items():
        files[kind] = next((folder / name for name in names if (folder / name).is_file()), None)
        if files[kind] is None and kind in ("jobs", "nodes"):
            others = ", ".join(names[1:])
            raise FileNotFoundError(f"{folder}: there is no {names[0]} (nor {others}); save it there")
    outputs = {kind: file.read_text(encoding="utf-8", errors="replace") if file else "" for kind, file in files.items()}
    moment = int(files["jobs"].stat().st_mtime) if files["jobs"] else 0
    try:
        return _snapshot(moment if now is None else now, parse_jobs(outputs["jobs"]), outputs)
    except ValueError as error:
        raise ValueError(f"{folder}: {error}") from None
