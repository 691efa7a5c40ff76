"""Tasks in processes of this machine; one that crashes or is killed loses no other task's result.

Tasks and results travel as files; only their indices go through the pool's pipes. A process killed while it writes a
long message leaves half of it behind, and the reader waits for the rest for ever; so does a process that writes a long
message to processes that are all dead. Short messages are written in one piece.
"""

import os
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np

from planbatch.experiments.common.lock import take
from planbatch.experiments.runs.task import (
    ATTEMPTS,
    Failure,
    Finished,
    Progress,
    ProgressCallback,
    Task,
    attempt,
    pack,
    unpack,
)

#: How often a process checks whether its parent is still alive, and the parent, what they have done (s).
POLL_SECONDS = 0.1
#: The file with the progress of every task.
PROGRESS = "progress"


def run_in_processes(tasks: Sequence[Task], progress: Progress | None, *, jobs: int) -> Generator[Finished, None, None]:
    """Run tasks in two processes or more, started in order, and yield the index of each with its result or failure.

    A task whose process crashes is run again, alone, so that no other task loses its result; after :data:`ATTEMPTS` it
    counts as failed.
    """
    from concurrent.futures.process import BrokenProcessPool

    remaining = dict.fromkeys(range(len(tasks)), 0)
    with scratch_folder() as folder:
        np.zeros(len(tasks), dtype=np.int64).tofile(folder / PROGRESS)
        with _watch_progress(folder / PROGRESS, progress):
            while remaining:
                started: list[int] = []
                try:
                    for index, result in _pool(tasks, remaining, jobs, folder, started):
                        del remaining[index]
                        yield index, result
                except BrokenProcessPool:
                    for index in [index for index in started if index in remaining]:
                        remaining[index] += 1
                        if remaining[index] >= ATTEMPTS:
                            del remaining[index]
                            yield index, Failure("its process crashed, again and again")


@cache
def _leave_the_tracker_silent() -> None:
    """Keep joblib's resource tracker from warning about what it deletes after this process was killed.

    The tracker is a process of its own, started with the warning options of this one.
    """
    sys.warnoptions.append("ignore:resource_tracker:UserWarning")


def _pool(
    tasks: Sequence[Task], remaining: Mapping[int, int], jobs: int, folder: Path, started: list[int]
) -> Iterator[Finished]:
    """Run the remaining tasks, or one alone whose process has crashed; record which have started."""
    from joblib import Parallel, delayed

    _leave_the_tracker_silent()
    indices = [index for index in remaining if remaining[index]][:1] or list(remaining)
    failed: dict[int, Failure] = {}

    def feed() -> Iterator[Any]:
        for index in indices:
            data = attempt(pack, tasks[index])
            if isinstance(data, Failure):
                failed[index] = data
                continue
            _task(folder, index).write_bytes(data)
            started.append(index)
            yield delayed(_run)(folder, index)

    with warnings.catch_warnings():
        # joblib replaces a process that has grown, and warns in its manager thread; an error would end that.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        pool = Parallel(n_jobs=max(jobs, 2), return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs")
        results = pool(feed())
        try:
            for index in results:
                _task(folder, index).unlink()
                result = unpack(_result(folder, index).read_bytes())
                _result(folder, index).unlink()
                yield index, result
        finally:
            # If the consumer was interrupted, this ends the other processes.
            end(results)
    yield from failed.items()


def end(results: Generator[Any, None, None]) -> None:
    """End what joblib still runs, without its warning about unfinished tasks."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*still being processed", UserWarning)
        results.close()


def _run(folder: Path, index: int) -> int:
    """Run a task in another process."""
    # Ctrl-C reaches every process of a terminal, but the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    _folders.add(folder)
    task = unpack(_task(folder, index).read_bytes())
    result = attempt(task, _progress_writer(folder / PROGRESS, index))
    data = attempt(pack, result)
    _result(folder, index).write_bytes(pack(data) if isinstance(data, Failure) else data)
    return index


#: Folders in which this process has found tasks; empty in the first process.
_folders: set[Path] = set()


@cache
def _end_with_parent() -> None:
    """End this process soon after its parent is killed."""
    parent = os.getppid()

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(POLL_SECONDS)
        for folder in _folders:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    Thread(target=look, daemon=True).start()


def _progress_writer(path: Path, index: int) -> ProgressCallback:
    """Return the function that records the progress of the task at an index."""
    counts = np.memmap(path, dtype=np.int64, mode="r+")

    def report(count: int) -> None:
        counts[index] = count

    return report


@contextmanager
def _watch_progress(path: Path, progress: Progress | None) -> Iterator[None]:
    """Report the recorded progress of tasks, from another thread, as long as the context lasts."""
    if progress is None:
        yield
        return
    over = Event()

    def look() -> None:
        before = np.zeros_like(np.fromfile(path, dtype=np.int64))
        last = False
        while not last:
            last = over.wait(POLL_SECONDS)
            counts = np.fromfile(path, dtype=np.int64)
            for index in np.flatnonzero(counts != before):
                progress(int(index), int(counts[index]))
            before = counts

    watcher = Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _task(folder: Path, index: int) -> Path:
    return folder / f"task-{index}"


def _result(folder: Path, index: int) -> Path:
    return folder / f"result-{index}"


PREFIX = "planbatch-tasks-"
#: Locked as long as the owner of the folder lives.
LOCK = "lock"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a temporary folder that is deleted at the end; delete those left behind by killed processes."""
    delete_abandoned()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name:
        unlocked = Path(name, f".{LOCK}")
        with unlocked.open("w") as lock:
            take(lock)
            # It gets its name only once it is locked.
            with suppress(PermissionError):  # a system that renames no open file has no such locks
                unlocked.rename(Path(name, LOCK))
            yield Path(name)


def delete_abandoned() -> None:
    """Delete the folders whose owners are dead."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{LOCK}"):
        # Another user's folder, or one that its owner has just locked or deleted.
        with suppress(OSError), path.open("r+") as lock:
            if take(lock):
                shutil.rmtree(path.parent, ignore_errors=True)
