"""Tasks in processes of this machine; one that crashes or is killed loses no other task's result.

Tasks and results travel as files; only their places go through the pool's pipes. A process killed while it writes a
long message leaves half of it behind, and the reader waits for the rest for ever; so does a process that writes a long
message to processes that are all dead. Short messages are written in one piece.
"""

import os
import shutil
import signal
import sys
import time
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

from planbatch.experiments.runs.pickled import packed, unpacked
from planbatch.experiments.runs.progress_file import make_board, teller, watched
from planbatch.experiments.runs.scratch_folder import scratch_folder
from planbatch.experiments.runs.task import ATTEMPTS, Failure, Finished, Progress, Task, attempt

#: How often a process checks whether its parent is still alive (s).
POLL_SECONDS = 0.2


def in_processes(
    tasks: Sequence[Task],
    jobs: int,
    progress: Progress | None = None,
    attempts: int = ATTEMPTS,
) -> Iterator[Finished]:
    """Run tasks in parallel, started in order, and yield the place of each with its result as they finish.

    Parameters
    ----------
    tasks : sequence of callable
        Each is called with a function to which it may report its progress.
    jobs : int
        Processes; at least two.
    progress : callable, optional
        ``progress(place, count)``, from another thread.
    attempts : int
        How often a task is run, if its process crashes, before it counts as failed. From the second time on it runs
        alone, so that no other task loses its result.

    Yields
    ------
    place : int
        Which task.
    result : object
        What the task returned; a :class:`Failure` if it raised, cannot be sent to another process, or crashed its
        process.
    """
    from concurrent.futures.process import BrokenProcessPool

    left = dict.fromkeys(range(len(tasks)), 0)
    with scratch_folder() as folder:
        make_board(_board(folder), len(tasks))
        with watched(_board(folder), progress):
            while left:
                begun: list[int] = []
                try:
                    for place, result in _pool(tasks, left, jobs, folder, begun):
                        del left[place]
                        yield place, result
                except BrokenProcessPool:
                    for place in [place for place in begun if place in left]:
                        left[place] += 1
                        if left[place] >= attempts:
                            del left[place]
                            yield place, Failure("its process crashed, again and again")


@cache
def _leave_the_tracker_silent() -> None:
    """Keep joblib's resource tracker from warning about what it deletes after this process was killed.

    The tracker is a process of its own, started with the warning options of this one.
    """
    sys.warnoptions.append("ignore:resource_tracker:UserWarning")


def _pool(
    tasks: Sequence[Task],
    left: Mapping[int, int],
    jobs: int,
    folder: Path,
    begun: list[int],
) -> Iterator[Finished]:
    """Run the tasks that are left, or alone one whose process has crashed; write down which have started."""
    from joblib import Parallel, delayed

    _leave_the_tracker_silent()
    places = [place for place in left if left[place]][:1] or list(left)
    failed: dict[int, Failure] = {}

    def feed() -> Iterator[Any]:
        for place in places:
            data = attempt(packed, tasks[place])
            if isinstance(data, Failure):
                failed[place] = data
                continue
            _task(folder, place).write_bytes(data)
            begun.append(place)
            yield delayed(_run)(folder, place)

    pool = Parallel(
        n_jobs=max(jobs, 2), return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs"
    )
    places_done = pool(feed())
    try:
        for place in places_done:
            _task(folder, place).unlink()
            result = unpacked(_result(folder, place).read_bytes())
            _result(folder, place).unlink()
            yield place, result
    finally:
        # If the consumer was interrupted, this ends the other processes.
        end(places_done)
    yield from failed.items()


def end(results: Generator[Any, None, None]) -> None:
    """End what joblib still runs, without its warning about unfinished tasks."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*still being processed", UserWarning)
        results.close()


def _run(folder: Path, place: int) -> int:
    """Run a task in another process."""
    # Ctrl-C reaches every process of a terminal, but the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    _folders.add(folder)
    task = unpacked(_task(folder, place).read_bytes())
    result = attempt(task, teller(_board(folder), place))
    data = attempt(packed, result)
    _result(folder, place).write_bytes(packed(data) if isinstance(data, Failure) else data)
    return place


#: Folders in which this process has found tasks; empty in the first process.
_folders: set[Path] = set()


@cache
def _end_with_parent() -> None:
    """End this process soon after its parent is killed, when nobody waits for its results any more."""
    parent = os.getppid()

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(POLL_SECONDS)
        for folder in _folders:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    Thread(target=look, daemon=True).start()


def _board(folder: Path) -> Path:
    return folder / "progress"


def _task(folder: Path, place: int) -> Path:
    return folder / f"task-{place}"


def _result(folder: Path, place: int) -> Path:
    return folder / f"result-{place}"
