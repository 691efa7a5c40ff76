"""Locks of the operating system: a process that is killed leaves them free."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Hold a lock as long as the context lasts; a context that says whether it could be had.

    If the system knows no such locks, it always can.
    """
    try:
        import fcntl
    except ImportError:
        yield True
        return
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
