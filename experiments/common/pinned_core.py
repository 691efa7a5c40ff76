"""Cores reserved for single searches, for those that a time limit ends."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from planbatch.experiments.common.lock import locked

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
