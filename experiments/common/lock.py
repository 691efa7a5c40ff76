"""Locks of the operating system: a process that is killed leaves them free."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


def take(file: IO[Any]) -> bool:
    """Lock an open file until it is closed; return whether nobody else has.

    If the system knows no such locks, nobody has.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Hold a lock as long as the context lasts; a context that says whether it could be had."""
    with path.open("w") as lock:
        yield take(lock)
