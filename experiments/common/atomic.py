"""Files that are written whole or not at all."""

import io
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

#: What the names of unfinished files begin with.
UNFINISHED_PREFIX = "."


def unfinished_name(path: Path) -> Path:
    """Return an unused name in the folder of a path, for an unfinished file."""
    return path.with_name(f"{UNFINISHED_PREFIX}{path.name}.{uuid.uuid4().hex[:8]}")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file: what stood there stays until the new one is complete; ``OSError`` if it cannot be written."""
    unfinished = unfinished_name(path)
    try:
        write_synced(unfinished, data)
        unfinished.replace(path)
        sync_folder(path.parent)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise


def write_synced(path: Path, data: bytes) -> None:
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


@contextmanager
def atomic_write(path: Path) -> Iterator[io.BufferedWriter]:
    """Open a file to write to that takes the name ``path`` only when all went well.

    If anything goes wrong, an existing file stays as it was, and nothing half-written is left.

    Its folder is created. Raises ``OSError`` if it cannot be, or is not writable; the message names the path.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("wb") as device:  # /dev/stdout and the like must not be replaced by a file
            yield device
        return
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file to write")
    target = Path(os.path.realpath(path))  # a link stays a link, and its target is replaced
    unfinished = unfinished_name(target)
    try:
        if not target.parent.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("xb") as file:
            yield file
        unfinished.replace(target)
    except BaseException as error:
        with suppress(OSError):
            unfinished.unlink()
        if isinstance(error, OSError):
            why = error.strerror or error
            raise OSError(f"{path}: cannot be written ({why}); nothing was changed") from error
        raise
