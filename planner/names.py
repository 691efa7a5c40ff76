"""Names in place of objects, and help for those who misspell one."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

_makers: dict[str, Callable[[str], Any]] = {}


def provide(kind: str, make: Callable[[str], Any]) -> None:
    """Let names stand for objects that a layer above defines: the planner takes names of objectives, and has none.

    Parameters
    ----------
    kind : str
        What is made, such as ``objective``.
    make : callable
        ``make(name)``; raises ``ValueError`` if there is none of this name.
    """
    _makers[kind] = make


def make_named(kind: str, name: str) -> Any:
    """The object of a name, from what :func:`provide` was given for its kind."""
    return _makers[kind](name)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Half a sentence that suggests the nearest known name, or lists them all."""
    names = list(known)
    near = get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}?" if near else f"choose one of {', '.join(names)}"
