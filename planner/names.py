"""Help for those who misspell a name."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Half a sentence that suggests the nearest known name, or lists them all."""
    names = list(known)
    near = get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}?" if near else f"choose one of {', '.join(names)}"
