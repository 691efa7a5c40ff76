"""Tasks on this machine: one by one, in threads or in processes."""

from collections.abc import Generator, Sequence
from threading import Event
from types import TracebackType
from typing import Any

from planbatch import _core
from planbatch.experiments.runs.processes import end, in_processes
from planbatch.experiments.runs.serial import AbandonedError, run_serially, until_over
from planbatch.experiments.runs.task import Finished, Progress, Task, attempt


class _Local:
    """A context that has nothing to clean up."""

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


class Serial(_Local):
    """Tasks one by one in this process."""

    def run(
        self, tasks: Sequence[Task], progress: Progress | None = None
    ) -> Generator[Finished, None, None]:
        """Yield the index of each task with its result or failure, as they finish."""
        yield from run_serially(tasks, progress)


class Threads(_Local):
    """Tasks in threads of this process: the core runs without the interpreter's lock."""

    def run(
        self, tasks: Sequence[Task], progress: Progress | None = None
    ) -> Generator[Finished, None, None]:
        """Yield the index of each task with its result or failure, as they finish."""
        from joblib import Parallel, delayed

        over = Event()

        def one(index: int) -> Finished | None:
            try:
                return index, attempt(tasks[index], until_over(over, index, progress))
            except AbandonedError:
                return None

        pool = Parallel(
            n_jobs=self.jobs, backend="threading", return_as="generator_unordered",
            batch_size=1, pre_dispatch="n_jobs",
        )  # fmt: skip
        results = pool(delayed(one)(index) for index in range(len(tasks)))
        try:
            yield from filter(None, results)
        except BaseException:
            over.set()
            _core.cancel_all()  # a long search reports nothing before its round is over
            raise
        finally:
            end(results)


class Processes(_Local):
    """Tasks in processes of this machine; a process that crashes loses no other task's result."""

    def run(
        self, tasks: Sequence[Task], progress: Progress | None = None
    ) -> Generator[Finished, None, None]:
        """Yield the index of each task with its result or failure, as they finish."""
        yield from in_processes(tasks, self.jobs, progress)
