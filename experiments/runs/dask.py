"""Tasks on the workers of a Dask cluster: a running one, or one started on this machine."""

import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from planbatch.experiments.runs.task import (
    ATTEMPTS,
    Backend,
    BackendError,
    Failure,
    Finished,
    Progress,
    Task,
    pack,
    run_pickled,
)

if TYPE_CHECKING:
    from distributed import Client

#: How long to wait for a scheduler, and then for a first worker (s).
PATIENCE = 60


@contextmanager
def dask_backend(jobs: int, scheduler: str | None, version: Callable[[], str]) -> Iterator[Backend]:
    """Connect to the cluster at an address or scheduler file, or start one with ``jobs`` local workers.

    ``BackendError`` if there is no cluster, or a worker has no planbatch or another version of it.
    """
    import dask
    from distributed import Client, LocalCluster
    from distributed.comm import get_address_host_port

    # Tasks carry their workload: a copy on one worker would be lost with it.
    dask.config.set({"distributed.admin.large-graph-warning-threshold": "10GB"})
    with ExitStack() as stack:
        try:
            if scheduler is None:
                with _deaf_to_interrupts():
                    cluster = LocalCluster(
                        n_workers=jobs, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, scheduler_port=0
                    )
                where: dict[str, Any] = {"address": stack.enter_context(cluster)}
            else:
                where = {"scheduler_file" if scheduler.endswith(".json") else "address": scheduler}
                if "address" in where:
                    get_address_host_port(scheduler)  # a client that fails here leaves threads that never end
            client = stack.enter_context(Client(**where, set_as_default=False, timeout=PATIENCE))
            client.wait_for_workers(1, timeout=PATIENCE)
            check_workers(client, version)
        except BackendError:
            raise
        except (OSError, TimeoutError, ValueError) as error:
            address = scheduler or "this machine"
            raise BackendError(f"backend: no Dask cluster at {address}: {error}") from error
        yield partial(_run, client)


def check_workers(client: "Client", version: Callable[[], str]) -> None:
    """Raise ``BackendError`` if a worker has no planbatch, or another version of it."""
    expected = version()
    for worker, reply in client.run(version, on_error="return").items():
        if isinstance(reply, BaseException):
            raise BackendError(f"backend: {worker} cannot import planbatch: {reply}")
        if reply != expected:
            raise BackendError(f"backend: {worker} runs another version of the code ({reply}, not {expected})")


def _run(client: "Client", tasks: Sequence[Task], _progress: Progress | None) -> Generator[Finished, None, None]:
    """Yield the index of each task with its outcome or failure, as they finish; nothing reports progress."""
    from distributed import as_completed

    waiting = list(reversed(range(len(tasks))))
    lost = [0] * len(tasks)
    under_way: dict[Any, int] = {}
    results = as_completed(loop=client.loop)

    def submit() -> None:
        # One task more than there are workers, so that no worker waits for its next task.
        while waiting and len(under_way) <= max(sum(client.ncores().values()), 1):
            index = waiting.pop()
            key = f"planbatch-{uuid4().hex}"
            future = client.submit(run_pickled, pack(tasks[index]), key=key, pure=False)
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
        client.cancel(list(under_way), force=True)


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
