"""Tasks in threads or processes of this machine, by joblib."""

import os
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any

import numpy as np

from experiments.experiment.backends import ATTEMPTS, Finished, Progress
from experiments.experiment.task import Failure, Outcome, Task, attempt
from experiments.portable import packed, unpacked

#: How often the progress of other processes is looked at (s).
POLL_SECONDS = 0.2


class _AbandonedError(BaseException):
    """Nobody waits for a replay any more; no failure of the task."""


class _Local:
    """A context without anything to end."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        pass


class Threads(_Local):
    """Tasks in threads of this process: kernels run free of the interpreter's lock."""

    def run(self, tasks: Sequence[Task], progress: Progress) -> Generator[Finished, None, None]:
        """Yield the place of each task with its outcome or failure, as they finish."""
        from joblib import Parallel, delayed

        over = Event()

        def one(place: int) -> tuple[int, Outcome | Failure | None]:
            def tell(started: int) -> None:
                if over.is_set():
                    raise _AbandonedError
                progress(place, started)

            try:
                return place, attempt(tasks[place], tell)
            except _AbandonedError:
                return place, None

        # One more thread than tasks at a time would do no harm, one alone runs where Ctrl-C cannot end it.
        pool = Parallel(
            n_jobs=self.jobs, backend="threading", return_as="generator_unordered",
            batch_size=1, pre_dispatch="n_jobs",
        )  # fmt: skip
        if self.jobs == 1:
            yield from _one_by_one(one, len(tasks), over)
            return
        results = pool(delayed(one)(place) for place in range(len(tasks)))
        try:
            for place, outcome in results:
                if outcome is not None:
                    yield place, outcome
        finally:
            over.set()
            results.close()


def _one_by_one(one: Callable[[int], Any], count: int, over: Event) -> Iterator[Finished]:
    """Run tasks one after the other in a thread, so that Ctrl-C need not wait for a long round."""
    for place in range(count):
        done: list[Any] = []
        thread = Thread(target=lambda p=place, d=done: d.append(one(p)), daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(POLL_SECONDS)
        except BaseException:
            over.set()
            raise
        yield done[0]


class Processes(_Local):
    """Tasks in processes of this machine; a process that crashes costs no other task its result."""

    def run(self, tasks: Sequence[Task], progress: Progress) -> Generator[Finished, None, None]:
        """Yield the place of each task with its outcome or failure, as they finish."""
        left = dict.fromkeys(range(len(tasks)), 0)
        with tempfile.TemporaryDirectory(prefix="planbatch-") as folder:
            board = Path(folder) / "started"
            np.zeros(len(tasks), dtype=np.int64).tofile(board)
            with _watched(board, progress):
                while left:
                    begun: list[int] = []
                    try:
                        for place, outcome in self._pool(tasks, left, board, begun):
                            del left[place]
                            yield place, outcome
                    except BrokenProcessPool:
                        lost = [place for place in begun if place in left]
                        for place in lost:
                            left[place] += 1
                            if left[place] >= ATTEMPTS:
                                del left[place]
                                yield place, Failure("its process crashed, again and again")

    def _pool(
        self, tasks: Sequence[Task], left: dict[int, int], board: Path, begun: list[int]
    ) -> Iterator[Finished]:
        """Run those tasks that are left; those that crashed a pool before run alone."""
        from joblib import Parallel, delayed

        suspects = [place for place in left if left[place]]
        places = suspects[:1] or list(left)

        def feed() -> Iterator[Any]:
            for place in places:
                begun.append(place)
                yield delayed(_run_packed)(place, packed(tasks[place]), board)

        pool = Parallel(
            n_jobs=self.jobs, return_as="generator_unordered", batch_size=1,
            pre_dispatch="n_jobs", max_nbytes=None,
        )  # fmt: skip
        results = pool(feed())
        try:
            yield from results
        finally:
            # Where the consumer was interrupted, this ends the other processes.
            results.close()


def _run_packed(place: int, data: bytes, board: Path) -> Finished:
    """Run a task in another process, and write its progress down where the first one sees it."""
    import signal

    # Ctrl-C reaches all processes of a terminal. The first one decides what becomes of the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    started = np.memmap(board, dtype=np.int64, mode="r+")

    def tell(count: int) -> None:
        started[place] = count

    return place, attempt(unpacked(data), tell)


@cache
def _end_with_parent() -> None:
    """End this process soon after its parent has been killed: nobody waits for its results any more."""
    parent = os.getppid()

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(POLL_SECONDS)
        os._exit(1)

    Thread(target=look, daemon=True).start()


@contextmanager
def _watched(board: Path, progress: Progress) -> Iterator[None]:
    """Pass on what the other processes write down, as long as the context lasts."""
    over = Event()

    def look() -> None:
        seen = np.fromfile(board, dtype=np.int64)
        while not over.wait(POLL_SECONDS):
            counts = np.fromfile(board, dtype=np.int64)
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
