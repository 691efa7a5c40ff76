"""Snapshots: of a cluster, through Slurm's clients, or of a folder in which their output was saved."""

import json
import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, cast

from planbatch.experiments.live.slurm.parse import (
    origin,
    parse_jobs,
    parse_nodes,
    parse_partitions,
    parse_reservations,
)
from planbatch.experiments.live.slurm.snapshot import LiveJob, Snapshot
from planbatch.experiments.live.slurm.text import jobs_of_text
from planbatch.experiments.live.slurm.values import Printed

#: Files of saved output, the first that is there of each kind.
JOB_FILES = ("squeue.json", "jobs.json", "jobs.txt", "scontrol_show_job.txt")
NODE_FILES = ("nodes.json", "sinfo.json", "nodes.txt", "scontrol_show_node.txt")
PARTITION_FILES = ("partitions.txt", "scontrol_show_partition.txt")
RESERVATION_FILES = ("reservations.json", "reservations.txt", "scontrol_show_reservations.txt")


class Printing(Protocol):
    """What one of Slurm's clients printed: JSON that was read already, or text."""

    @property
    def data(self) -> Mapping[str, Any] | None:
        """The JSON object; None if there is none."""

    @property
    def text(self) -> str:
        """The text if there is no JSON."""


class Client(Protocol):
    """What asks Slurm; every method raises an ``OSError`` or a ``ValueError`` with one sentence if it cannot."""

    def jobs(self) -> Printing:
        """List all jobs."""

    def nodes(self) -> Printing:
        """List all nodes."""

    def partitions(self) -> str:
        """List all partitions, one line each."""

    def reservations(self) -> Printing:
        """List all advance reservations."""

    def run(self, *command: str) -> str:
        """Run a program and return what it prints."""


def read_snapshot(client: Client) -> Snapshot:
    """Read a snapshot of a cluster.

    Parameters
    ----------
    client : Client
        What asks Slurm.

    Raises
    ------
    OSError
        If Slurm cannot be asked.
    ValueError
        If what it printed cannot be read.
    """
    asking = (client.jobs, client.nodes, client.reservations, client.partitions)
    # Side by side: a tick mostly waits for programs to start.
    with ThreadPoolExecutor(len(asking)) as pool:
        asked = [pool.submit(ask) for ask in asking]
    listed, nodes, reserved = (cast("Printing", one.result()) for one in asked[:3])
    partitions = cast("str", asked[3].result())
    jobs = parse_jobs(listed.data) if listed.data is not None else _of_lines(client, listed.text)
    cluster, version = origin(listed.data) if listed.data is not None else ("", "")
    return Snapshot(
        int(time.time()),
        jobs,
        parse_nodes(nodes.data if nodes.data is not None else nodes.text),
        parse_partitions(partitions),
        cluster,
        version,
        parse_reservations(reserved.data if reserved.data is not None else reserved.text),
    )


def _of_lines(client: Client, text: str) -> tuple[LiveJob, ...]:
    """Read lines of ``scontrol``; a second list, of numbers alone, tells which jobs there really are.

    Jobs that are in the second list alone arrived in between, and have the highest numbers; else the first was cut off.
    """
    listed = client.run("squeue", "--noheader", "--all", "--states=all", "-o", "%A").split()
    numbers = frozenset(int(number) for number in listed if number.isdigit())
    jobs = jobs_of_text(text, numbers)
    found = {job.job_id for job in jobs}
    missing = numbers - found
    if not text.endswith("\n") or (missing and min(missing) < max(found, default=0)):
        raise ValueError("scontrol: its list of jobs is cut off")
    return jobs


def saved_snapshot(folder: str | Path, now: int | None = None) -> Snapshot:
    """Read a snapshot from a folder of saved output: ``squeue.json`` and ``sinfo.json``, or their texts.

    Parameters
    ----------
    folder : str or Path
        The folder; its files may be named as in :data:`JOB_FILES`, :data:`NODE_FILES`, :data:`PARTITION_FILES` and
        :data:`RESERVATION_FILES`.
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
    job_file, node_file = _needed(folder, JOB_FILES), _needed(folder, NODE_FILES)
    partition_file = _first(folder, PARTITION_FILES)
    reservation_file = _first(folder, RESERVATION_FILES)
    printed: Printed = _text(job_file)
    try:
        jobs = parse_jobs(printed)
        cluster, version = origin(printed)
        nodes = parse_nodes(_text(node_file))
        partitions = parse_partitions(_text(partition_file)) if partition_file else ()
        reserved = parse_reservations(_text(reservation_file)) if reservation_file else ()
    except ValueError as error:
        raise ValueError(f"{folder}: {error}") from None
    written = int(job_file.stat().st_mtime) if now is None else now
    return Snapshot(written, jobs, nodes, partitions, cluster, version, reserved)


def _first(folder: Path, names: tuple[str, ...]) -> Path | None:
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _needed(folder: Path, names: tuple[str, ...]) -> Path:
    found = _first(folder, names)
    if found is None:
        others = ", ".join(names[1:])
        raise FileNotFoundError(f"{folder}: there is no {names[0]} (nor {others}); save it there")
    return found


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


class RecordingClient:
    """A client that remembers what another one printed, by the name of the file that is to hold it.

    Parameters
    ----------
    client : Client
        What asks Slurm.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self.printed: dict[str, str] = {}

    def _kept(self, name: str, found: Printing) -> Printing:
        if found.data is not None:
            self.printed[f"{name}.json"] = json.dumps(found.data)
        else:
            self.printed[f"{name}.txt"] = found.text
        return found

    def jobs(self) -> Printing:
        """List all jobs."""
        return self._kept("jobs", self._client.jobs())

    def nodes(self) -> Printing:
        """List all nodes."""
        return self._kept("nodes", self._client.nodes())

    def partitions(self) -> str:
        """List all partitions."""
        self.printed["partitions.txt"] = self._client.partitions()
        return self.printed["partitions.txt"]

    def reservations(self) -> Printing:
        """List all reservations."""
        return self._kept("reservations", self._client.reservations())

    def run(self, *command: str) -> str:
        """Run a program; what it prints is not kept."""
        return self._client.run(*command)


def keep_snapshot(client: Client, folder: Path) -> Snapshot:
    """Read a snapshot of a cluster and save what it was read from; nothing is saved if a part cannot be read.

    Parameters
    ----------
    client : Client
        What asks Slurm.
    folder : Path
        Gets ``jobs.json``, ``nodes.json``, ``partitions.txt`` and ``reservations.json``, or texts; must be empty, or
        not there.

    Raises
    ------
    OSError
        If Slurm cannot be asked, or the folder not be written.
    ValueError
        If what Slurm printed cannot be read, or the folder is not empty.
    """
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"keep: {folder} is not empty; choose another folder")
    keeping = RecordingClient(client)
    snapshot = read_snapshot(keeping)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in keeping.printed.items():
        (folder / name).write_text(text, encoding="utf-8")
        os.utime(folder / name, (snapshot.time, snapshot.time))  # by which its age is known
    return snapshot
