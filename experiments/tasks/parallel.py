"""Many things at a time: a function applied to things in threads, tasks in processes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from planbatch.experiments.tasks.board import Progress, Tell
from planbatch.experiments.tasks.failure import Failure
from planbatch.experiments.tasks.here import one_by_one
from planbatch.experiments.tasks.processes import in_processes


def parallel_map(function: Callable[[Any], Any], items: Iterable[Any], jobs: int = -1) -> list[Any]:
    """``list(map(function, items))`` in threads; kernels run free of the interpreter's lock.

    Parameters
    ----------
    function : callable
        What is applied; for instance one member of a :class:`Portfolio`.
    items : iterable
        What it is applied to.
    jobs : int
        Threads; -1 for as many as there are cores.
    """
    from joblib import Parallel, delayed

    results: list[Any] = Parallel(n_jobs=jobs, backend="threading")(
        delayed(partial(function, item))() for item in items
    )
    return results


def run_tasks(
    tasks: Sequence[Callable[[Tell], Any]],
    names: Sequence[str],
    jobs: int = 1,
    progress: Progress | None = None,
) -> Iterator[tuple[int, Any]]:
    """Run tasks all of which are needed, and yield the place of each with its result as they finish.

    Parameters
    ----------
    tasks : sequence of callable
        Each is called with a function that takes how far it has come.
    names : sequence of str
        Theirs, for errors.
    jobs : int
        Processes; with 1, the tasks run in this one, in their order.
    progress : callable, optional
        ``progress(place, count)``, from another thread.

    Raises
    ------
    ChildProcessError
        Where a task cannot travel to another process, or crashes it.
    Exception
        What a task raises.
    """
    jobs = min(jobs, len(tasks))
    run = in_processes(tasks, jobs, progress) if jobs > 1 else one_by_one(tasks, progress)
    for place, result in run:
        if isinstance(result, Failure):
            raise ChildProcessError(f"{names[place]}: {result.error}")
        yield place, result
