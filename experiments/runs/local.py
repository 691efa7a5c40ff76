"""Tasks in this process: one after the other, or in threads. Ctrl-C ends them at once."""

from collections.abc import Callable, Generator, Sequence
from functools import partial
from threading import Event, Thread
from typing import Any

from planbatch import _core
from planbatch.experiments.runs.processes import end
from planbatch.experiments.runs.task import Finished, Progress, ProgressCallback, Task, attempt

#: How often the thread of a task is checked (s).
POLL_SECONDS = 0.1


class AbandonedError(BaseException):
    """Ends a task whose result nobody waits for any more; not a failure of the task."""


def run_serially(tasks: Sequence[Task], progress: Progress | None = None) -> Generator[Finished, None, None]:
    """Run tasks in their order, and yield the index of each with its result or failure.

    Each runs in another thread. Only this thread receives Ctrl-C, so it does not have to wait for a compiled
    kernel; the task left behind ends when it next reports how far it has come.
    """
    for i, task in enumerate(tasks):
        over = Event()
        try:
            yield i, _in_thread(partial(attempt, task, _until_over(over, i, progress)))
        finally:
            over.set()


def run_in_threads(
    tasks: Sequence[Task], progress: Progress | None = None, *, jobs: int
) -> Generator[Finished, None, None]:
    """Run tasks in threads, since the core runs without the interpreter's lock; see :func:`run_serially`."""
    from joblib import Parallel, delayed

    over = Event()

    def run_task(index: int) -> Finished | None:
        try:
            return index, attempt(tasks[index], _until_over(over, index, progress))
        except AbandonedError:
            return None

    pool = Parallel(
        n_jobs=jobs, backend="threading", return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs"
    )
    results = pool(delayed(run_task)(index) for index in range(len(tasks)))
    try:
        yield from filter(None, results)
    except BaseException:
        over.set()
        _core.cancel_all()  # a long search reports nothing before its round is over
        raise
    finally:
        end(results)


def _until_over(over: Event, index: int, progress: Progress | None) -> ProgressCallback:
    """Return a task's progress function, which ends the task once nobody waits for it."""

    def report(count: int) -> None:
        if over.is_set():
            raise AbandonedError
        if progress is not None:
            progress(index, count)

    return report


def _in_thread(task: Callable[[], Any]) -> Any:
    """Run a task in a thread and wait for it; return what it returns, or raise what it raises."""
    results: list[Any] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(task())
        except AbandonedError:
            pass
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(POLL_SECONDS)
    if errors:
        raise errors[0]
    return results[0]
