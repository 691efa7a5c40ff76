"""Tasks, and their failures."""

import pickle
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from planbatch.planner.failures import RAISED, text_of
from planbatch.planner.optimizer import SearchInterrupted
from planbatch.planner.registry.source import place_of

#: Reports the progress of a task; for a replay, how many jobs it has started.
ProgressCallback = Callable[[int], None]
#: Receives the index of a task and its progress; possibly called from another thread.
Progress = Callable[[int, int], None]
#: A unit of work: called with a :data:`ProgressCallback`; returns its result.
Task = Callable[[ProgressCallback], Any]
#: The index of a task, and its result or :class:`Failure`.
Finished = tuple[int, Any]
#: Runs tasks, and yields the index of each with its result or failure, as they finish.
Backend = Callable[[Sequence[Task], Progress | None], Generator[Finished, None, None]]
#: How often a task that was lost with its worker is run before it counts as failed.
ATTEMPTS = 4


class BackendError(ValueError):
    """A backend is not known, not installed, or cannot be reached."""


@dataclass(frozen=True)
class Failure:
    """Stands for the result of a task that has none."""

    error: str  # what went wrong, in one line
    #: What the task raised, if it raised and the exception can be sent between processes.
    exception: BaseException | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        exception = self.exception
        try:
            pickle.loads(pickle.dumps(exception))
        except Exception:  # whatever its own pickling raises
            exception = None
        return Failure, (self.error, exception)

    def reraise(self, name: str) -> None:
        """Raise the exception of the task, or ``ChildProcessError`` with its name if it was lost without one."""
        if self.exception is not None:
            raise self.exception
        raise ChildProcessError(f"{name}: {self.error}")


def attempt(task: Callable[..., Any], *given: Any) -> Any:
    """Call a task; return its result or its failure.

    Ctrl-C reaches no task: a search that was interrupted in one was so by its optimizer.
    """
    try:
        return task(*given)
    except (*RAISED, SearchInterrupted) as error:
        text = text_of(error)
        place = place_of(error)
        where = "" if place is None or place[0] in text else f" ({place[0]}, line {place[1]})"
        name = type(error).__name__
        return Failure((f"{name}: {text}" if text else name) + where, error)


def without_progress(function: Callable[..., Any], *given: Any) -> Task:
    """Make a task of a function that does not report progress."""
    return partial(_call, function, given)


def _call(function: Callable[..., Any], arguments: tuple[Any, ...], report: ProgressCallback) -> Any:
    return function(*arguments)
