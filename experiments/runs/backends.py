"""Running lists of tasks: one by one, in threads, in processes, or on a cluster.

joblib runs threads and processes. Dask is called directly: joblib's adapter does not report a task that was lost with
its workers.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib.util import find_spec
from threading import Event, Thread
from typing import Any

from planbatch import _core
from planbatch.experiments.runs.processes import end, run_in_processes
from planbatch.experiments.runs.task import Backend, BackendError, Finished, Progress, ProgressCallback, Task, attempt
from planbatch.planner.names import did_you_mean

#: How often the thread of a task is checked (s).
POLL_SECONDS = 0.1


class AbandonedError(BaseException):
    """Ends an abandoned task; not a failure of the task."""


def run_serially(tasks: Sequence[Task], progress: Progress | None) -> Generator[Finished, None, None]:
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


def run_in_threads(tasks: Sequence[Task], progress: Progress | None, *, jobs: int) -> Generator[Finished, None, None]:
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
    """Return a task's progress function, which ends the task once it is abandoned."""

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


#: Backend → the package it needs, and how to get it.
BACKENDS = {
    "loky": ("joblib", "planbatch"),
    "threading": ("joblib", "planbatch"),
    "dask": ("distributed", "planbatch[dask]"),
}


def run_tasks(tasks: Sequence[Task], jobs: int = 1) -> Generator[Finished, None, None]:
    """Run tasks on this machine, and yield the index of each with its result as they finish.

    The result of a task that raises, or crashes its process, is a :class:`Failure`; no other task is affected. With one
    of ``jobs``, the tasks run in this process, in order.
    """
    with make_backend("loky", max(min(jobs, len(tasks)), 1)) as run:
        yield from run(tasks, None)


def make_backend(
    name: str, jobs: int, scheduler: str | None = None, version: Callable[[], str] = lambda: ""
) -> AbstractContextManager[Backend]:
    """Make one of :data:`BACKENDS` for ``jobs`` parallel tasks; one alone runs in this process, but for ``dask``.

    ``scheduler`` is the address of a running cluster (``dask``), and ``version`` returns that of the code, which must
    be the same on every worker. ``BackendError`` if there is none of this name, or its package is not installed.
    """
    check_backend(name, scheduler)
    if jobs < 1:
        raise BackendError(f"jobs: {jobs} is not a positive number of workers")
    if name == "dask":
        from planbatch.experiments.runs.dask import dask_backend

        return dask_backend(jobs, scheduler, version)
    if jobs == 1:
        return nullcontext(run_serially)
    return nullcontext(partial(run_in_threads if name == "threading" else run_in_processes, jobs=jobs))


def check_backend(name: str, scheduler: str | None = None) -> None:
    """Raise ``BackendError`` if a backend is not known or not installed."""
    if name not in BACKENDS:
        raise BackendError(f"backend: there is no {name!r}; {did_you_mean(name, BACKENDS)}")
    package, extra = BACKENDS[name]
    if find_spec(package) is None:
        raise BackendError(f"backend: {name} needs the package {package}; get it with: pip install '{extra}'")
    if scheduler is not None and name != "dask":
        raise BackendError(f"scheduler: {name} works on this machine only; give --backend dask")
