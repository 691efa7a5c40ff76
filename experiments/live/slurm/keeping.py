"""Snapshots that are kept: what Slurm's clients printed, in a folder that ``saved_snapshot`` reads."""

import json
import os
from pathlib import Path

from planbatch.experiments.live.slurm.reading import Client, Printing, read_snapshot
from planbatch.experiments.live.slurm.snapshot import Snapshot


class Keeping:
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
    keeping = Keeping(client)
    snapshot = read_snapshot(keeping)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in keeping.printed.items():
        (folder / name).write_text(text, encoding="utf-8")
        os.utime(folder / name, (snapshot.time, snapshot.time))  # by which its age is known
    return snapshot
