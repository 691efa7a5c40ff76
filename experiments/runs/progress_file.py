"""The progress of tasks in other processes: numbers in a file that all of them share."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import numpy as np

from planbatch.experiments.runs.task import Progress, Tell
from planbatch.planner.model import IntArray

#: How often the file is read (s).
POLL_SECONDS = 0.1


def make_board(path: Path, tasks: int) -> None:
    """Write a board on which no task has made progress yet."""
    np.zeros(tasks, dtype=np.int64).tofile(path)


def teller(path: Path, place: int) -> Tell:
    """Return the function that writes down the progress of the task at a place."""
    counts = np.memmap(path, dtype=np.int64, mode="r+")

    def tell(count: int) -> None:
        counts[place] = count

    return tell


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
            for place in np.flatnonzero(counts != seen):
                progress(int(place), int(counts[place]))
            seen = counts

    watcher = Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
