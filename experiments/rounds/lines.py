"""Finding the line of a field in a JSON file, which ``json`` does not report."""

import json
import re

_SPACE = re.compile(r"\s*")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def line_of(text: str, field: str) -> int:
    r"""Find the line of a field, such as ``waiting[3].procs``, or of the last part of its path that the JSON has.

    >>> line_of('{"now": 1,\n "waiting": [{"id": 1},\n  {"id": 2}]}', "waiting[1].id")
    3
    """
    steps = [name or int(index) for name, index in _STEP.findall(field)]
    index = _skip(text, 0)
    for step in steps:
        inner = _member(text, index, step)
        if inner is None:
            break
        index = inner
    return text.count("\n", 0, index) + 1


def _skip(text: str, at: int) -> int:
    """Return the place of the next character that is no white space."""
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


def _member(text: str, at: int, step: str | int) -> int | None:
    """Return where the value of a key, or an element, of the object or list at a place begins; None without it."""
    opened = text[at]
    if opened != ("{" if isinstance(step, str) else "["):
        return None
    at, count = _skip(text, at + 1), 0
    while text[at] not in "]}":
        name: str | int = count
        if opened == "{":
            name, at = json.JSONDecoder().raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        if name == step:
            return at
        _, at = json.JSONDecoder().raw_decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
        count += 1
    return None
