"""Locks of the operating system: a process that is killed leaves them free."""

import os
import tempfile
import time
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


#: Interval between attempts to find a free core (s).
POLL_SECONDS = 0.2


def usable_cores() -> list[int]:
    """List the cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


@contextmanager
def pinned_core() -> Iterator[int | None]:
    """Reserve a core among all experiments on this machine and stay on it; a context that yields its number.

    Waits until one is free. An operating system lock holds it, so a killed process frees it. If the
    system cannot bind processes to cores, nothing is reserved: ``None``.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield None
        return
    folder = Path(tempfile.gettempdir()) / f"planbatch-cores-{os.getuid()}"
    folder.mkdir(exist_ok=True, mode=0o700)
    before = os.sched_getaffinity(0)
    while True:
        for core in sorted(before):
            with locked(folder / str(core)) as alone:
                if not alone:
                    continue
                os.sched_setaffinity(0, {core})
                try:
                    yield core
                finally:
                    os.sched_setaffinity(0, before)
                return
        time.sleep(POLL_SECONDS)
