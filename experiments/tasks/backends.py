"""Where tasks run: this process, its threads, other processes, or other machines.

A backend takes tasks and yields the place of each with its outcome as they finish. joblib runs threads and processes.
Dask and Ray are asked directly: joblib's adapters to them either cannot hand over results one by one (Ray), so that
finished cells could not be stored at once, or say nothing of a task that was lost with its workers (Dask).
"""

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager
from importlib.util import find_spec
from typing import Any, Protocol

from planbatch.experiments.replay.task import Outcome, Task
from planbatch.experiments.tasks.board import Progress
from planbatch.experiments.tasks.failure import Failure
from planbatch.planner.names import did_you_mean

Finished = tuple[int, Outcome | Failure]
#: Backend → the package it needs, and how to get it.
BACKENDS = {
    "loky": ("joblib", "planbatch"),
    "threading": ("joblib", "planbatch"),
    "dask": ("distributed", "planbatch[dask]"),
    "ray": ("ray", "planbatch[ray]"),
}
#: How often a task that was lost with its worker is run before it counts as failed.
ATTEMPTS = 4


class Backend(Protocol):
    """Runs tasks; a context, outside of which nothing runs any more."""

    def run(self, tasks: Sequence[Task], progress: Progress) -> Generator[Finished, None, None]:
        """Yield the place of each task with its outcome or failure, as they finish."""
        ...


class BackendError(ValueError):
    """A backend is not known, not installed, or cannot be reached."""


def make_backend(
    name: str, jobs: int, scheduler: str | None = None
) -> AbstractContextManager[Backend]:
    """Make the backend of a name.

    Parameters
    ----------
    name : str
        One of :data:`BACKENDS`.
    jobs : int
        Tasks at a time, on this machine.
    scheduler : str, optional
        Address of a cluster that is there already (``dask`` and ``ray``).

    Raises
    ------
    BackendError
        Where there is none of this name, or its package is not installed.
    """
    check_backend(name, scheduler)
    if jobs < 1:
        raise BackendError(f"jobs: {jobs} is not a positive number of workers")
    if name == "dask":
        from planbatch.experiments.tasks.dask import DaskBackend

        return DaskBackend(jobs, scheduler)
    if name == "ray":
        from planbatch.experiments.tasks.ray import RayBackend

        return RayBackend(jobs, scheduler)
    from planbatch.experiments.tasks.local import Processes, Threads

    return Threads(jobs) if name == "threading" or jobs == 1 else Processes(jobs)


def check_backend(name: str, scheduler: str | None = None) -> None:
    """Raise ``BackendError`` where a backend is not known or not installed."""
    if name not in BACKENDS:
        raise BackendError(f"backend: there is no {name!r}; {did_you_mean(name, BACKENDS)}")
    package, extra = BACKENDS[name]
    if find_spec(package) is None:
        raise BackendError(
            f"backend: {name} needs the package {package}; get it with: pip install '{extra}'"
        )
    if scheduler is not None and name not in ("dask", "ray"):
        raise BackendError(
            f"scheduler: {name} works on this machine only; give --backend dask or ray"
        )


def run_packed(data: bytes) -> Any:
    """Run a packed task in another process: what Dask and Ray call on their workers."""
    from planbatch.experiments.tasks.failure import attempt
    from planbatch.experiments.tasks.pickled import unpacked

    return attempt(unpacked(data))
