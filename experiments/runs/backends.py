"""Running lists of tasks: one by one, in threads, in processes, or on a cluster.

joblib runs threads and processes. Dask is called directly: joblib's adapter does not report a task that was lost with
its workers.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib.util import find_spec

from planbatch.experiments.runs.local import run_in_threads, run_serially
from planbatch.experiments.runs.processes import run_in_processes
from planbatch.experiments.runs.task import Backend, BackendError, Finished, Progress, Task
from planbatch.planner.names import did_you_mean

#: Backend → the package it needs, and how to get it.
BACKENDS = {
    "loky": ("joblib", "planbatch"),
    "threading": ("joblib", "planbatch"),
    "dask": ("distributed", "planbatch[dask]"),
}


def run_tasks(
    tasks: Sequence[Task], jobs: int = 1, progress: Progress | None = None
) -> Generator[Finished, None, None]:
    """Run tasks on this machine, and yield the index of each with its result as they finish.

    The result of a task that raises, or crashes its process, is a :class:`Failure`; no other task is affected. With one
    of ``jobs``, the tasks run in this process, in order. ``progress`` may be called from another thread.
    """
    with make_backend("loky", max(min(jobs, len(tasks)), 1)) as run:
        yield from run(tasks, progress)


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
