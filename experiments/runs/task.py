"""Tasks, and their failures."""

import io
import pickle
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any

from cloudpickle import CloudPickler

from planbatch.planner.failures import USER_ERRORS, text_of
from planbatch.planner.optimizer import SearchInterrupted
from planbatch.planner.registry.source import pickle_recipe, user_location

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
    """The outcome of a task without a result."""

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

    def cause(self, name: str) -> BaseException:
        """Return the exception of the task, or ``ChildProcessError`` with its name if it was lost without one."""
        return self.exception or ChildProcessError(f"{name}: {self.error}")


def attempt(task: Callable[..., Any], *given: Any) -> Any:
    """Call a task; return its result or its failure.

    Ctrl-C reaches no task: a search that was interrupted in one was so by its optimizer.
    """
    try:
        return task(*given)
    except (*USER_ERRORS, SearchInterrupted) as error:
        text = text_of(error)
        place = user_location(error)
        where = "" if place is None or place[0] in text else f" ({place[0]}, line {place[1]})"
        name = type(error).__name__
        return Failure((f"{name}: {text}" if text else name) + where, error)


def without_progress(function: Callable[..., Any], *given: Any) -> Task:
    """Make a task of a function that does not report progress."""
    return partial(_call, function, given)


def _call(function: Callable[..., Any], arguments: tuple[Any, ...], _report: ProgressCallback) -> Any:
    return function(*arguments)


class _PluginPickler(CloudPickler):  # type: ignore[misc]
    """Pickles objects from users' files by the text of the file, anything else as cloudpickle does."""

    def reducer_override(self, obj: object) -> Any:
        users = pickle_recipe(obj) if isinstance(obj, FunctionType | type) else None
        return super().reducer_override(obj) if users is None else users


def pack(value: object) -> bytes:
    """Pack a task, or a part of one, for another process."""
    buffer = io.BytesIO()
    _PluginPickler(buffer).dump(value)
    return buffer.getvalue()


def unpack(data: bytes) -> Any:
    """Unpack what :func:`pack` made."""
    return pickle.loads(data)


def run_pickled(data: bytes) -> Any:
    """Run a packed task without progress reports; clusters call this on their workers."""
    return attempt(unpack(data), lambda _count: None)
