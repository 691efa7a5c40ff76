"""Tasks in several processes, each of which fails alone: an exception or a crash costs one task its result."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from typing import Any

from experiments.portable import packed, unpacked

Task = Callable[[], Any]


@dataclass(frozen=True)
class Failure:
    """What became of a task that has no result.

    Attributes
    ----------
    error : str
        What went wrong, in a line.
    """

    error: str


def run_isolated(tasks: Sequence[Task], jobs: int = 1) -> Iterator[tuple[int, Any]]:
    """Run tasks, and yield the place of each with its result, or its :class:`Failure`, as they finish.

    Parameters
    ----------
    tasks : sequence of callable
        Called without arguments.
    jobs : int
        Processes. With 1, the tasks run in this one, in their order; then a task that ends its process ends all.
    """
    if jobs > 1:
        yield from _in_processes(tasks, jobs)
    else:
        for place, task in enumerate(tasks):
            yield place, attempt(task)


def attempt(task: Task) -> Any:
    """Give the result of a task, or its failure."""
    try:
        return task()
    except (Exception, SystemExit) as error:
        told = " ".join(str(error).split())
        return Failure(f"{type(error).__name__}: {told}" if told else type(error).__name__)


def _attempt_packed(place: int, task: bytes) -> tuple[int, Any]:
    """Run a task in another process."""
    import signal

    # Ctrl-C reaches all processes of a terminal. The first one decides what becomes of the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return place, attempt(lambda: unpacked(task)())


def _in_processes(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[int, Any]]:
    """Run tasks in parallel; after a crash, those that were under way one by one, and the others as before."""
    ready: dict[int, bytes] = {}
    for place, task in enumerate(tasks):
        data = attempt(partial(packed, task))
        if isinstance(data, Failure):
            yield place, data
        else:
            ready[place] = data
    while ready:
        begun: list[int] = []
        try:
            for place, result in _pool(ready, jobs, begun):
                del ready[place]
                yield place, result
        except BrokenProcessPool:
            for place in begun:
                if place in ready:
                    yield place, _alone(ready.pop(place))


def _pool(ready: Mapping[int, bytes], jobs: int, begun: list[int]) -> Iterator[tuple[int, Any]]:
    """Run packed tasks in parallel, and write down in ``begun`` which were begun."""
    from joblib import Parallel, delayed

    waiting = list(ready.items())

    def feed() -> Iterator[Any]:
        for place, task in waiting:
            begun.append(place)
            yield delayed(_attempt_packed)(place, task)

    pool = Parallel(
        n_jobs=jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs"
    )
    results = pool(feed())
    try:
        yield from results
    finally:
        # Where the consumer was interrupted, this ends the other processes.
        results.close()


def _alone(task: bytes) -> Any:
    """Run one task in a process that nothing else depends on."""
    from joblib import Parallel, delayed

    try:
        return Parallel(n_jobs=2)([delayed(_attempt_packed)(0, task)])[0][1]
    except BrokenProcessPool:
        return Failure("its process crashed")
