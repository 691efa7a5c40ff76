"""Tasks on a Ray cluster: one that is there already, or this machine."""

from collections.abc import Generator, Sequence
from types import TracebackType
from typing import Any

from planbatch.experiments.tasks.pickled import packed, run_packed
from planbatch.experiments.tasks.task import (
    ATTEMPTS,
    BackendError,
    Failure,
    Finished,
    Progress,
    Task,
)


class RayBackend:
    """A Ray cluster; a context.

    Parameters
    ----------
    jobs : int
        Tasks at a time, where Ray is started here.
    scheduler : str, optional
        Address of a cluster that is there already (``auto`` or ``ray://host:10001``).
    """

    def __init__(self, jobs: int, scheduler: str | None = None) -> None:
        self.jobs = jobs
        self.scheduler = scheduler

    def __enter__(self) -> "RayBackend":
        import ray

        try:
            if self.scheduler is None:
                ray.init(num_cpus=self.jobs, include_dashboard=False, log_to_driver=False)
            else:
                ray.init(address=self.scheduler, log_to_driver=False)
        except (OSError, ValueError, RuntimeError) as error:
            where = self.scheduler or "this machine"
            raise BackendError(f"backend: no Ray cluster at {where}: {error}") from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        import ray

        ray.shutdown()

    def run(
        self, tasks: Sequence[Task], progress: Progress | None = None
    ) -> Generator[Finished, None, None]:
        """Yield the place of each task with its outcome or failure, as they finish."""
        import ray

        remote = ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1)(run_packed)
        waiting = list(reversed(range(len(tasks))))
        under_way: dict[Any, int] = {}
        most = int(ray.cluster_resources().get("CPU", 1)) + 1
        try:
            while waiting or under_way:
                while waiting and len(under_way) < most:
                    place = waiting.pop()
                    under_way[remote.remote(packed(tasks[place]))] = place
                ready, _ = ray.wait(list(under_way), num_returns=1)
                for reference in ready:
                    place = under_way.pop(reference)
                    try:
                        outcome = ray.get(reference)
                    except ray.exceptions.RayError as error:
                        outcome = Failure(f"Ray lost it: {str(error).splitlines()[0]}")
                    yield place, outcome
        finally:
            for reference in under_way:
                ray.cancel(reference, force=True)
