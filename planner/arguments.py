"""Checks of users' arguments; errors name the argument."""

from collections.abc import Collection, Iterable, Mapping
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

from planbatch.planner.columns import MAX_VALUE, NEVER, IntArray
from planbatch.planner.display import short_repr, with_article
from planbatch.planner.names import did_you_mean

T = TypeVar("T")
#: How users obtain what functions expect.
CURES = {
    "Round": "read_round and capture give rounds, and Round.of makes one",
    "Plan": "solve and decode give plans, and Plan(starts) makes one",
    "Trace": "replay gives traces",
    "Comparison": "compare gives comparisons",
    "RoundComparison": "compare_rounds gives them",
    "Workload": "load_workload and Workload.from_frame give workloads",
    "Results": "read_results gives them",
    "SwfLog": "planbatch.experiments.read_log gives logs",
    "Axes": "matplotlib's subplots gives some; ax.figure.savefig writes a picture",
}


def whole(name: str, value: Any, least: int | None = 0, what: str = "", most: int | None = MAX_VALUE) -> int:
    """Return a whole number; ``ValueError`` if it is none, below the least or above the most."""
    number = isinstance(value, Integral) or (isinstance(value, Real) and value == value // 1)
    if isinstance(value, bool | np.bool_) or not number or (least is not None and value < least):
        kind = "a positive whole number" if least == 1 else "a whole number"
        limit = "" if least in (None, 1) else f", {least} or more"
        raise ValueError(f"{name}: {short_repr(value)} is not {kind}{what and f' of {what}'}{limit}")
    if most is not None and abs(value) > most:
        raise ValueError(f"{name}: {short_repr(value)} is too large; give at most {most:,}")
    return int(value)


def number(name: str, value: object, what: str = "a number") -> float:
    """Return a number that is positive and finite, or raise a ``ValueError`` that says what it should be."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < np.inf:
        raise ValueError(f"{name}: {short_repr(value)} is not {what}")
    return float(value)


def generator(seed: object) -> np.random.Generator:
    """Return the random numbers of a seed."""
    return np.random.default_rng(whole("seed", seed, most=None))


def expect(name: str, value: object, kind: type[T]) -> T:
    """Return an argument of a type, or raise a ``ValueError`` that says how to obtain one."""
    if not isinstance(value, kind):
        expected = with_article(kind.__name__)
        cure = CURES.get(kind.__name__)
        raise ValueError(f"{name}: {short_repr(value)} is not {expected}{(cure and f'; {cure}') or ''}")
    return value


def expect_all(name: str, values: object, kind: type[T]) -> tuple[T, ...]:
    """Return some values of a type, or one, as a tuple; a ``ValueError`` shows the first that is of another."""
    return tuple(expect(name, value, kind) for value in as_list(name, values, least=0))


def number_rows(name: str, rows: object, width: int, form: str) -> IntArray:
    """Return rows of whole numbers as an array of shape (n, width); a ``ValueError`` names the first other.

    ``form`` is what a row should be.
    """
    listed = as_list(name, rows, least=0)
    for i, row in enumerate(listed):
        if isinstance(row, str | Mapping) or not isinstance(row, Iterable) or len([*row]) != width:
            raise ValueError(f"{name}[{i}]: {short_repr(row)} is not {form}")
        for value in row:
            whole(f"{name}[{i}]", value, None, most=NEVER)
    return np.array([[int(value) for value in row] for row in listed], np.int64).reshape(-1, width)


def as_list(name: str, values: object, least: int = 1) -> list[Any]:
    """Return a list of some values, or of one; by default, not an empty one."""
    listed = (
        list(values) if isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping) else [values]
    )
    if len(listed) < least:
        raise ValueError(f"{name}: there is none; give at least one")
    return listed


def expect_function(name: str, value: object, form: str) -> None:
    """Raise a ``ValueError`` unless an argument is a function, or None; ``form`` says of what."""
    if value is not None and not callable(value):
        raise ValueError(f"{name}: {short_repr(value)} is not a function of {form}")


def check_keywords(keywords: Iterable[str], names: Collection[str]) -> None:
    """Raise a ``ValueError`` for the first keyword that is not known, with the nearest that is."""
    for name in keywords:
        if name not in names:
            raise ValueError(f"there is no keyword {name}; {did_you_mean(name, names)}")
