"""Names of objects, and suggestions for misspelt ones."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

_makers: dict[str, Callable[[str, str], Any]] = {}


def register_factory(kind: str, make: Callable[[str, str], Any]) -> None:
    """Register the maker of named objects of a layer above: the planner accepts names of objectives, but has none.

    ``make(kind, name)`` raises ``ValueError`` if there is none of this name.
    """
    _makers[kind] = make


def create(kind: str, name: str) -> Any:
    """Make the object of a name with the maker that :func:`register_factory` registered for its kind."""
    return _makers[kind](kind, name)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a clause that suggests the nearest known name, or lists all."""
    names = list(known)
    near = get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}?" if near else f"choose one of {', '.join(names)}"
