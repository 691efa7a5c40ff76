"""Tasks one after the other in this process, which Ctrl-C ends at once."""

from collections.abc import Callable, Generator, Sequence
from functools import partial
from threading import Event, Thread
from typing import Any

from planbatch.experiments.tasks.task import Finished, Progress, Task, Tell, attempt

#: How often the thread of a task is looked at (s).
POLL_SECONDS = 0.1


class AbandonedError(BaseException):
    """Nobody waits for a task any more; no failure of it."""


def one_by_one(
    tasks: Sequence[Task], progress: Progress | None = None
) -> Generator[Finished, None, None]:
    """Run tasks in their order, and yield the place of each with its result or failure.

    Each runs in a thread beside this one. Only this thread receives Ctrl-C, so it does not have to wait for a compiled
    kernel; the task left behind ends when it next reports how far it has come.
    """
    for place, task in enumerate(tasks):
        over = Event()
        try:
            yield place, _beside(partial(attempt, task, until_over(over, place, progress)))
        finally:
            over.set()


def until_over(over: Event, place: int, progress: Progress | None) -> Tell:
    """Make the function by which a task reports, and which ends it once nobody waits for it any more."""

    def tell(count: int) -> None:
        if over.is_set():
            raise AbandonedError
        if progress is not None:
            progress(place, count)

    return tell


def _beside(task: Callable[[], Any]) -> Any:
    """Run a task in a thread, and wait for it; return or raise what it does."""
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
