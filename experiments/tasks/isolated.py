"""Tasks that fail alone: an exception or a crash costs one task its result, and no other."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from planbatch.experiments.tasks.board import Tell
from planbatch.experiments.tasks.failure import attempt
from planbatch.experiments.tasks.processes import in_processes

Task = Callable[[], Any]


def run_isolated(tasks: Sequence[Task], jobs: int = 1) -> Iterator[tuple[int, Any]]:
    """Run tasks, and yield the place of each with its result, or its failure, as they finish.

    Parameters
    ----------
    tasks : sequence of callable
        Called without arguments.
    jobs : int
        Processes. With 1, the tasks run in this one, in their order; then a task that ends its process ends all.

    Yields
    ------
    place : int
        Which task.
    result : object
        What the task returned, or a :class:`Failure`.
    """
    if jobs > 1:
        yield from in_processes([partial(_attempt, task) for task in tasks], jobs)
    else:
        for place, task in enumerate(tasks):
            yield place, attempt(task)


def _attempt(task: Task, tell: Tell) -> Any:
    """Run a task that does not tell how far it has come."""
    return attempt(task)
