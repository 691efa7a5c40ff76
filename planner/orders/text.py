"""The grammar of orders: ``ORDER``, ``ORDER@T``, ``PRIMARY/BACKFILLING``, ``PRIMARY/BACKFILLING@T``."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from planbatch.planner.durations import seconds_of
from planbatch.planner.registry.reference import without_brackets, without_sources

_NOT_IN_PATHS = re.compile(r"[^/.:@]*")


@dataclass(frozen=True)
class OrderText:
    """An order as it is written, taken apart."""

    primary: str  #: the order of the queue
    backfilling: str | None = None  #: the order in which jobs are backfilled, if it is another one
    threshold: int | None = None  #: jobs that have waited for longer (s) come first, in FCFS order
    display_name: str = ""  #: what tables show: without files and modules


def take_apart(text: str, is_order: Callable[[str], bool]) -> OrderText:
    """Take the text of an order apart, such as ``fcfs/sjf``, ``saf@20h``, ``orders/my.py:slow:power=2/sjf@1d``.

    A slash separates two orders if an order (``is_order(text)``) precedes it; otherwise it belongs to the path of a
    file. Brackets hold a part together. Raises ``ValueError`` if what follows the ``@`` is not a duration.
    """
    base, at, end = text.rpartition("@")
    threshold = None
    if at and _NOT_IN_PATHS.fullmatch(end.replace(".", "")):
        try:
            threshold = seconds_of(end)
        except ValueError as error:
            raise ValueError(f"order: {text}: after the @, {error}") from None
    else:
        base, end = text, ""
    primary, backfilling = _split(base, is_order)
    parts = [without_sources(part) for part in (primary, backfilling) if part is not None]
    display_name = "/".join(parts) + (f"@{end}" if threshold is not None else "")
    return OrderText(primary, backfilling, threshold, display_name)


def _split(text: str, is_order: Callable[[str], bool]) -> tuple[str, str | None]:
    """Split at the first slash outside of brackets with an order before it."""
    depth, slashes = 0, []
    for i, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "/" and depth == 0:
            slashes.append(i)
    for i in slashes:
        if is_order(without_brackets(text[:i])):
            return without_brackets(text[:i]), without_brackets(text[i + 1 :])
    if slashes and ":" not in text:  # no file: the first of the two is misspelt
        return text[: slashes[0]], text[slashes[0] + 1 :]
    return without_brackets(text), None
