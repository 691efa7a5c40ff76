"""Tasks on the workers of a Dask cluster: a running one, or one started on this machine."""

import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import TracebackType
from typing import Any
from uuid import uuid4

from planbatch.experiments.runs.pickled import packed, run_packed
from planbatch.experiments.runs.task import (
    ATTEMPTS,
    BackendError,
    Failure,
    Finished,
    Progress,
    Task,
)

#: How long to wait for a scheduler, and then for a first worker (s).
PATIENCE = 60


class DaskBackend:
    """A Dask cluster; a context.

    Parameters
    ----------
    jobs : int
        Worker processes of a cluster started here.
    scheduler : str, optional
        Address (``tcp://host:8786``) or scheduler file of a running cluster.
    version : callable
        Returns the version of the code; must give the same answer on every worker as in this process.
    """

    def __init__(
        self, jobs: int, scheduler: str | None = None, version: Callable[[], str] = lambda: ""
    ) -> None:
        self.jobs = jobs
        self.version = version
        self.scheduler = scheduler
        self.cluster: Any = None
        self.client: Any = None

    def __enter__(self) -> "DaskBackend":
        import dask
        from distributed import Client, LocalCluster

        # Tasks carry their workload: a copy on one worker would be lost with it.
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "10GB"})
        try:
            if self.scheduler is None:
                with _deaf_to_interrupts():
                    self.cluster = LocalCluster(
                        n_workers=self.jobs, threads_per_worker=1, host="127.0.0.1",
                        dashboard_address=None, scheduler_port=0,
                    )  # fmt: skip
                self.client = Client(self.cluster, set_as_default=False)
            else:
                there = (
                    {"scheduler_file": self.scheduler}
                    if self.scheduler.endswith(".json")
                    else {"address": self.scheduler}
                )
                self.client = Client(**there, set_as_default=False, timeout=PATIENCE)
            self.client.wait_for_workers(1, timeout=PATIENCE)
            self._check_workers()
        except (OSError, TimeoutError, ValueError) as error:
            self._close()
            if isinstance(error, BackendError):
                raise
            where = self.scheduler or "this machine"
            raise BackendError(f"backend: no Dask cluster at {where}: {error}") from error
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self.client is not None:
            self.client.close()
        if self.cluster is not None:
            self.cluster.close()

    def _check_workers(self) -> None:
        """Raise ``BackendError`` if a worker has no planbatch, or another version of it."""
        version = self.version()
        for worker, found in self.client.run(self.version, on_error="return").items():
            if isinstance(found, BaseException):
                raise BackendError(f"backend: {worker} cannot import planbatch: {found}")
            if found != version:
                raise BackendError(
                    f"backend: {worker} runs another version of the code ({found}, not {version})"
                )

    def run(
        self, tasks: Sequence[Task], progress: Progress | None = None
    ) -> Generator[Finished, None, None]:
        """Yield the index of each task with its outcome or failure, as they finish."""
        from distributed import as_completed

        waiting = list(reversed(range(len(tasks))))
        lost = [0] * len(tasks)
        under_way: dict[Any, int] = {}
        results = as_completed(loop=self.client.loop)

        def submit() -> None:
            # One task more than there are workers, so that no worker waits for its next task.
            while waiting and len(under_way) <= max(sum(self.client.ncores().values()), 1):
                index = waiting.pop()
                future = self.client.submit(
                    run_packed, packed(tasks[index]), key=f"planbatch-{uuid4().hex}", pure=False
                )
                under_way[future] = index
                results.add(future)

        try:
            submit()
            while under_way:
                future = next(results)
                index = under_way.pop(future)
                if future.status == "finished":
                    yield index, future.result()
                else:
                    lost[index] += 1
                    if lost[index] < ATTEMPTS:
                        waiting.append(index)
                    else:
                        error = future.exception() if future.status == "error" else future.status
                        yield index, Failure(f"Dask lost it again and again: {error}")
                submit()
        finally:
            self.client.cancel(list(under_way), force=True)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Start processes that ignore Ctrl-C: it reaches every process of a terminal, but the first one ends the others."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
