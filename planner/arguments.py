"""Arguments of users: what is wrong with one is said in a sentence that names it."""

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from planbatch.planner.budget import Budget
from planbatch.planner.names import did_you_mean


def shown(value: Any) -> str:
    """Return a value as messages show it: short, or only its type.

    >>> shown("5"), shown([1, 2]), shown({"a": "b" * 99})
    ("'5'", '[1, 2]', 'a dict')
    """
    text = repr(value)
    return text if len(text) <= 40 and " at 0x" not in text else _with_article(type(value).__name__)


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def whole(name: str, value: Any, least: int = 0, what: str = "") -> int:
    """Return a whole number.

    Raises
    ------
    ValueError
        If it is none, or below the least.
    """
    number = isinstance(value, Integral) or (isinstance(value, Real) and value == value // 1)
    if isinstance(value, bool | np.bool_) or not number or value < least:
        raise ValueError(
            f"{name}: {shown(value)} is not a whole number{what and f' of {what}'}, {least} or more"
        )
    return int(value)


def budget_of(evaluations: Any, seconds: Any, default: int) -> Budget:
    """Return the budget of these evaluations and seconds; of the default number of evaluations without both."""
    if evaluations is None and seconds is None:
        evaluations = default
    if evaluations is not None:
        evaluations = whole("evaluations", evaluations)
    if seconds is not None and (
        isinstance(seconds, bool)
        or not isinstance(seconds, Real)
        or not 0 <= float(seconds) < np.inf
    ):
        raise ValueError(f"seconds: {shown(seconds)} is not a number of seconds, 0 or more")
    return Budget(None if seconds is None else float(seconds), evaluations)


def generator(seed: Any) -> np.random.Generator:
    """Return the random numbers of a seed."""
    return np.random.default_rng(whole("seed", seed))


def expect(name: str, value: Any, kind: type, cure: str) -> None:
    """Raise a ``ValueError`` unless an argument is of a type; ``cure`` says how to make one."""
    if not isinstance(value, kind):
        wanted = _with_article(kind.__name__)
        raise ValueError(f"{name}: {shown(value)} is not {wanted}; {cure}")


def as_list(name: str, values: Any) -> list[Any]:
    """Return a non-empty list of some values, or of one."""
    several = isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)
    listed = list(values) if several else [values]
    if not listed:
        raise ValueError(f"{name}: there is none; give at least one")
    return listed


def known_keywords(given: Any, known: Any) -> None:
    """Raise a ``ValueError`` for the first keyword that is not known, with the nearest that is."""
    for name in given:
        if name not in known:
            raise ValueError(f"there is no keyword {name}; {did_you_mean(name, known)}")
