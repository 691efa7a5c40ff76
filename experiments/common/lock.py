"""Locks of the operating system: a process that is killed leaves them free."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def locked(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold the lock of a file, made if there is none, as long as the context lasts; yield whether it was acquired.

    With ``wait``, wait until it is free.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path, blocking=wait)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def take(file: IO[Any]) -> bool:
    """Lock an open file until it is closed; return False if another process holds the lock.

    True, without a lock, on systems that have no such locks.
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
