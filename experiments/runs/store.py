"""The folder of an experiment's results, in which every cell is complete or absent.

A cell is written into a temporary folder, flushed to disk, and only then renamed; ``cell.json`` holds the
digests of the two tables. So a cell at its place is either complete, or it was damaged later, which the digests show.
Finished cells are never deleted: damaged ones are moved to another folder.
"""

import errno
import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from planbatch.experiments.common.atomic import (
    UNFINISHED_PREFIX,
    sync_folder,
    unfinished_name,
    write_synced,
    write_whole,
)
from planbatch.experiments.common.lock import locked
from planbatch.experiments.common.text import Notify
from planbatch.experiments.replay.identity import planbatch_version
from planbatch.experiments.replay.task import Outcome
from planbatch.experiments.replay.trace import Trace, jobs_bytes, rounds_bytes

#: The format of the folder.
FORMAT = 1
EXPERIMENT, CELL, JOBS, ROUNDS = "experiment.json", "cell.json", "jobs.parquet", "rounds.parquet"
#: The folders of cells, of the spans that cells are joined from, and of damaged cells.
CELLS, PARTS, DAMAGED = "cells", "spans", "damaged"
_LOCK = ".lock"
#: Approximate bytes stored per job, including its rounds (at most about two per job), and per cell in addition.
BYTES_PER_JOB, BYTES_PER_CELL = 100, 20_000


class ResultsError(ValueError):
    """A folder cannot hold results, or a cell cannot be read; the message says what is wrong and what to do."""


class DiskFullError(OSError):
    """There was no room for a result."""


class Store:
    """The results of one experiment, in a folder that is made when something is written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def check(self) -> None:
        """Check that the folder can hold results, before anything runs.

        ``ResultsError`` if it is a file, cannot be written, or holds another format.
        """
        path = self.folder / EXPERIMENT
        if path.exists():
            try:
                settings = json.loads(path.read_text(encoding="utf-8"))
                version, writer = settings["format"], settings.get("planbatch", "?")
            except (ValueError, KeyError, TypeError):
                raise ResultsError(
                    f"{path}: this is not the {EXPERIMENT} of an experiment; choose another folder, "
                    "or delete this file (the cells stay)"
                ) from None
            if version != FORMAT:
                raise ResultsError(
                    f"{self.folder}: these results have format {version}, written by planbatch "
                    f"{writer}; this planbatch {planbatch_version()} writes "
                    f"format {FORMAT}; choose another folder"
                )
        try:
            (self.folder / CELLS).mkdir(parents=True, exist_ok=True)
            probe = self.folder / f"{UNFINISHED_PREFIX}probe.{os.getpid()}"
            write_synced(probe, b"planbatch")
            probe.unlink()
        except OSError as error:
            raise _no_room(error, self.folder) from error

    @contextmanager
    def locked(self, part: str = "") -> Iterator[None]:
        """Keep other runs out of the folder until the context or this process ends.

        Several parts of an experiment may write there at a time, but each only once, and none with a whole run.
        """
        whole = self.folder / _LOCK
        others = self.folder.glob(f"{_LOCK}-*") if not part else [whole]
        with locked(whole.with_name(f"{_LOCK}-{part}") if part else whole) as alone:
            if not alone or not all(_is_free(lock) for lock in others):
                raise ResultsError(f"{self.folder}: another run writes its results there")
            yield

    def clean(self) -> None:
        """Delete what interrupted runs left half-written."""
        for name in (CELLS, PARTS):
            for path in (self.folder / name).glob(f"{UNFINISHED_PREFIX}*"):
                shutil.rmtree(path, ignore_errors=True)
        for pattern in (f"{UNFINISHED_PREFIX}*", f"{CELLS}/*/{UNFINISHED_PREFIX}*"):
            for path in self.folder.glob(pattern):
                if path.is_file() and not path.name.startswith(_LOCK):
                    path.unlink()

    def begin(self, title: str, keys: Sequence[str]) -> None:
        """Write down which cells belong to the experiment, in order."""
        record = {"format": FORMAT, "planbatch": planbatch_version(), "title": title, "cells": list(keys)}
        self.write(EXPERIMENT, json_bytes(record))

    def write(self, name: str, data: bytes) -> None:
        """Write a file of the folder completely or not at all."""
        path = self.folder / name
        try:
            write_whole(path, data)
        except OSError as error:
            raise _no_room(error, path) from error

    def folder_of(self, key: str, part: bool = False) -> Path:
        """Return the folder of a cell, or of a span."""
        return self.folder / (PARTS if part else CELLS) / key

    def store(
        self, key: str, settings: Mapping[str, Any], trace: Trace, outcome: Outcome, *, part: bool = False
    ) -> dict[str, Any]:
        """Store a finished cell, or a span of one; return its ``cell.json``.

        ``settings`` are those of :meth:`ReplayTask.settings`; ``trace`` has the workload, and the outcome's own is
        ignored. ``OSError`` if it cannot be written; nothing is left of it then, and nothing else is touched.
        """
        tables = {JOBS: jobs_bytes(trace), ROUNDS: rounds_bytes(trace)}
        record = {
            "format": FORMAT,
            "key": key,
            "settings": dict(settings),
            "versions": dict(outcome.versions),
            "summary": dict(outcome.summary),
            "machine": dict(outcome.machine),
            "files": {name: _fingerprint(data) for name, data in tables.items()},
        }
        self._write_cell(self.folder_of(key, part), tables | {CELL: json_bytes(record)})
        return record

    def _write_cell(self, folder: Path, files: Mapping[str, bytes]) -> None:
        """Write the folder of a cell, whole or not at all."""
        unfinished = unfinished_name(folder)
        try:
            unfinished.mkdir(parents=True)
            for name, data in files.items():
                write_synced(unfinished / name, data)
            sync_folder(unfinished)
            unfinished.rename(folder)
            sync_folder(folder.parent)
        except OSError as error:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise _no_room(error, folder) from error

    def load(self, key: str, *, part: bool = False) -> dict[str, Any] | None:
        """Read the ``cell.json`` of a cell if it is there; ``ResultsError`` that says how the cell is damaged."""
        folder = self.folder_of(key, part)
        if not folder.exists():
            return None
        try:
            record: dict[str, Any] = json.loads((folder / CELL).read_bytes())
            if record["format"] != FORMAT or record["key"] != key:
                raise ResultsError(f"{folder / CELL}: it belongs to another cell")
            fingerprints = {name: record["files"][name] for name in (JOBS, ROUNDS)}
            record["summary"]["jobs"], record["settings"]["policy"]
        except ResultsError:
            raise
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ResultsError(f"{folder / CELL}: it cannot be read ({error})") from error
        for name, expected in fingerprints.items():
            path = folder / name
            if not path.is_file():
                raise ResultsError(f"{path}: it is missing")
            if _fingerprint(path.read_bytes()) != expected:
                raise ResultsError(f"{path}: it is not what was written (its checksum differs)")
        return record

    def load_or_put_aside(self, key: str, name: str, notify: Notify, *, part: bool = False) -> dict[str, Any] | None:
        """Read the ``cell.json`` of a cell if it is there; put a damaged cell aside and report it."""
        try:
            return self.load(key, part=part)
        except ResultsError as error:
            folder = self.folder / DAMAGED / f"{key}-{uuid.uuid4().hex[:8]}"
            folder.parent.mkdir(exist_ok=True)
            self.folder_of(key, part).rename(folder)
            notify(f"damaged, and run again: {name}: {error}; what is left of it is in {folder}")
            return None

    def replace_record(self, key: str, record: Mapping[str, Any], *, part: bool = False) -> None:
        """Replace the ``cell.json`` of a cell whose names have changed."""
        self.write(f"{PARTS if part else CELLS}/{key}/{CELL}", json_bytes(record))

    def copy_from(self, source: "Store", key: str) -> dict[str, Any]:
        """Copy a complete cell of another store; return its ``cell.json``. ``ResultsError`` if it is damaged there."""
        record = source.load(key)
        assert record is not None
        files = {name: (source.folder_of(key) / name).read_bytes() for name in (JOBS, ROUNDS, CELL)}
        self._write_cell(self.folder_of(key), files)
        return record

    def other_keys(self, keys: Sequence[str]) -> list[str]:
        """List the complete cells that are not among these."""
        stored = {path.name for path in (self.folder / CELLS).iterdir()}
        return sorted(name for name in stored - set(keys) if not name.startswith(UNFINISHED_PREFIX))


def warn_of_little_space(folder: Path, jobs: Sequence[int], notify: Notify) -> None:
    """Warn if the disk may be too small for the missing cells; ``jobs`` has the number of jobs of each."""
    needed = sum(BYTES_PER_CELL + BYTES_PER_JOB * n for n in jobs)
    free = shutil.disk_usage(folder).free
    if free < needed:
        notify(
            f"{folder}: the disk has {free / 1e6:,.1f} MB left, the results may need "
            f"{needed / 1e6:,.1f} MB; should it run full, the cells that are finished are safe"
        )


def _is_free(lock: Path) -> bool:
    """Return whether a lock is free."""
    with locked(lock) as free:
        return free


def json_bytes(value: object) -> bytes:
    """Return indented JSON, for people and programs."""
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def _fingerprint(data: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def _no_room(error: OSError, path: Path) -> OSError:
    """Return the error of a failed write, with a message for the user."""
    failure: OSError
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        failure = DiskFullError(
            f"the disk is full; the cells that are finished are safe; make room and run the same command again ({path})"
        )
    else:
        failure = OSError(f"cannot write results: {error.strerror or error}: {path}")
    failure.errno = error.errno
    return failure
