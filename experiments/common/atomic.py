"""Files that are written whole or not at all, and are on the disk when the call returns."""

import os
import uuid
from contextlib import suppress
from pathlib import Path

#: What the names of unfinished files begin with.
UNFINISHED = "."


def beside(path: Path) -> Path:
    """Return a name of its own beside a path, for what is not finished."""
    return path.with_name(f"{UNFINISHED}{path.name}.{uuid.uuid4().hex[:8]}")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file: what stood there stays until the new one is complete.

    Raises
    ------
    OSError
        If it cannot be written; nothing is left of it then.
    """
    unfinished = beside(path)
    try:
        write_through(unfinished, data)
        unfinished.replace(path)
        sync_folder(path.parent)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise


def write_through(path: Path, data: bytes) -> None:
    """Write a file and wait until it is on the disk."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until the entries of a folder are on the disk."""
    with suppress(OSError, AttributeError):  # not every system can open folders
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
