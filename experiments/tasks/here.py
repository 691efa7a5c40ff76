"""Tasks one after the other in this process, which Ctrl-C ends at once."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from threading import Event, Thread
from typing import Any

from planbatch.experiments.tasks.board import POLL_SECONDS, Progress, Tell


class AbandonedError(BaseException):
    """Nobody waits for a task any more; no failure of it."""


def one_by_one(
    tasks: Sequence[Callable[[Tell], Any]], progress: Progress | None = None
) -> Iterator[tuple[int, Any]]:
    """Run tasks, and yield the place of each with its result.

    Each runs in a thread beside this one: Ctrl-C reaches this thread only, which so need not wait until a compiled
    kernel comes back. The task left behind ends when it next tells how far it has come.
    """
    for place, task in enumerate(tasks):
        over = Event()
        try:
            yield place, _beside(partial(task, until_over(over, place, progress)))
        finally:
            over.set()


def until_over(over: Event, place: int, progress: Progress | None) -> Tell:
    """Give what tells how far a task has come, and ends it where nobody waits for it any more."""

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
