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
    """Return a clause that suggests the nearest known name, or lists all; case does not matter.

    >>> did_you_mean("EASY", ["fcfs", "easy"]), did_you_mean("fcfs,easy", ["fcfs", "easy"])
    ('did you mean easy?', 'did you mean fcfs, easy, each by itself?')
    """
    names = {each.lower(): each for each in known}
    several = [part.strip() for part in name.lower().split(",")]
    if len(several) > 1 and all(part in names for part in several):
        return f"did you mean {', '.join(names[part] for part in several)}, each by itself?"
    near = get_close_matches(name.lower(), names, n=1)
    return f"did you mean {names[near[0]]}?" if near else f"choose one of {', '.join(names.values())}"
