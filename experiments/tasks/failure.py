"""What becomes of a task that has no result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Failure:
    """What became of a task that has no result.

    Attributes
    ----------
    error : str
        What went wrong, in a line.
    """

    error: str


def attempt(task: Callable[..., Any], *given: Any) -> Any:
    """Call a task; give its result, or its failure."""
    try:
        return task(*given)
    except (Exception, SystemExit) as error:
        told = " ".join(str(error).split())
        return Failure(f"{type(error).__name__}: {told}" if told else type(error).__name__)
