"""The progress of tasks in other processes: numbers in a file that all of them share."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import numpy as np

from planbatch.experiments.runs.task import Progress, ProgressCallback
from planbatch.planner.model import IntArray

#: How often the file is read (s).
POLL_SECONDS = 0.1


def make_progress_file(path: Path, tasks: int) -> None:
    """Write a file in which no task has made progress yet."""
    np.zeros(tasks, dtype=np.int64).tofile(path)


def progress_writer(path: Path, index: int) -> ProgressCallback:
    """Return the function that writes down the progress of the task at an index."""
    counts = np.memmap(path, dtype=np.int64, mode="r+")

    def report(count: int) -> None:
        counts[index] = count

    return report


@contextmanager
def watched(path: Path, progress: Progress | None) -> Iterator[None]:
    """Pass on what tasks write down, from another thread, as long as the context lasts."""
    if progress is None:
        yield
        return
    over = Event()

    def look() -> None:
        seen: IntArray = np.zeros_like(np.fromfile(path, dtype=np.int64))
        last = False
        while not last:
            last = over.wait(POLL_SECONDS)
            counts = np.fromfile(path, dtype=np.int64)
            for index in np.flatnonzero(counts != seen):
                progress(int(index), int(counts[index]))
            seen = counts

    watcher = Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
