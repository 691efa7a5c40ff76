"""Snapshots: of a cluster, through Slurm's clients, or of a folder in which their output was saved."""

import json
import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

from planbatch.experiments.live.slurm.parse import origin, parse_jobs, parse_nodes, parse_partitions, parse_reservations
from planbatch.experiments.live.slurm.snapshot import LiveJob, Snapshot
from planbatch.experiments.live.slurm.values import Printed

#: Files of saved output: of each list, the first that is there.
SAVED_FILES = {
    "jobs": ("squeue.json", "jobs.json", "jobs.txt", "scontrol_show_job.txt"),
    "nodes": ("nodes.json", "sinfo.json", "nodes.txt", "scontrol_show_node.txt"),
    "partitions": ("partitions.txt", "scontrol_show_partition.txt"),
    "reservations": ("reservations.json", "reservations.txt", "scontrol_show_reservations.txt"),
}


class Client(Protocol):
    """Lists the parts of a cluster; methods raise ``OSError`` or ``ValueError`` with one sentence if they cannot."""

    def jobs(self) -> Printed:
        """List all jobs."""

    def nodes(self) -> Printed:
        """List all nodes."""

    def partitions(self) -> str:
        """List all partitions, one line each."""

    def reservations(self) -> Printed:
        """List all advance reservations."""

    def run(self, *command: str) -> str:
        """Run a program and return what it prints."""


def read_snapshot(client: Client) -> Snapshot:
    """Read a snapshot of a cluster; an ``OSError`` or a ``ValueError`` of one sentence if that is impossible."""
    return _live_snapshot(client, _printed_by(client))


def _printed_by(client: Client) -> dict[str, Printed]:
    """Ask for all lists side by side: a tick mostly waits for programs to start."""
    with ThreadPoolExecutor(len(SAVED_FILES)) as pool:
        answers = {name: pool.submit(getattr(client, name)) for name in SAVED_FILES}
    return {name: answer.result() for name, answer in answers.items()}


def _live_snapshot(client: Client, printed: Mapping[str, Printed]) -> Snapshot:
    jobs = printed["jobs"]
    rows = _jobs_of_lines(client, jobs) if isinstance(jobs, str) else parse_jobs(jobs)
    return _snapshot(int(time.time()), rows, printed)


def _jobs_of_lines(client: Client, lines: str) -> tuple[LiveJob, ...]:
    """Read lines of ``scontrol``; a second list, of numbers alone, says which jobs there really are.

    Jobs that are in the second list alone arrived in between, and have the highest numbers; else the first was cut off.
    """
    listed = client.run("squeue", "--noheader", "--all", "--states=all", "-o", "%A").split()
    numbers = frozenset(int(number) for number in listed if number.isdigit())
    jobs = parse_jobs(lines, numbers)
    read = {job.job_id for job in jobs}
    missing = numbers - read
    if not lines.endswith("\n") or (missing and min(missing) < max(read, default=0)):
        raise ValueError("scontrol: its list of jobs is cut off")
    return jobs


def _snapshot(when: int, jobs: tuple[LiveJob, ...], printed: Mapping[str, Printed]) -> Snapshot:
    cluster, version = origin(printed["jobs"])
    return Snapshot(
        when,
        jobs,
        cluster=cluster,
        version=version,
        nodes=parse_nodes(printed["nodes"]),
        partitions=parse_partitions(str(printed["partitions"])),
        reservations=parse_reservations(printed["reservations"]),
    )


def saved_snapshot(folder: str | Path, now: int | None = None) -> Snapshot:
    """Read a snapshot from a folder of saved output: ``squeue.json`` and ``sinfo.json``, or their texts.

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
    printed = {kind: file.read_text(encoding="utf-8", errors="replace") if file else "" for kind, file in files.items()}
    written = int(files["jobs"].stat().st_mtime) if files["jobs"] else 0
    try:
        return _snapshot(written if now is None else now, parse_jobs(printed["jobs"]), printed)
    except ValueError as error:
        raise ValueError(f"{folder}: {error}") from None


def keep_snapshot(client: Client, folder: Path) -> Snapshot:
    """Read a snapshot of a cluster and save what it was read from; nothing is saved if a part cannot be read.

    The folder, which must be empty or not there, gets ``jobs.json``, ``nodes.json``, ``partitions.txt`` and
    ``reservations.json``, or texts, for :func:`saved_snapshot`.

    Raises
    ------
    OSError
        If Slurm cannot be asked, or the folder not be written.
    ValueError
        If what Slurm printed cannot be read, or the folder is not empty.
    """
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"keep: {folder} is not empty; choose another folder")
    printed = _printed_by(client)
    snapshot = _live_snapshot(client, printed)
    folder.mkdir(parents=True, exist_ok=True)
    for name, output in printed.items():
        path = folder / f"{name}.{'txt' if isinstance(output, str) else 'json'}"
        path.write_text(output if isinstance(output, str) else json.dumps(output), encoding="utf-8")
        os.utime(path, (snapshot.time, snapshot.time))  # by which its age is known
    return snapshot
