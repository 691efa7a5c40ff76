"""Finding the line of a field in a JSON file, which ``json`` does not report."""

import json
import re

_SPACE = re.compile(r"\s*")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def line_of(text: str, field: str) -> int:
    r"""Find the line of a field, or that of the last part of its path that is there.

    Parameters
    ----------
    text : str
        A valid JSON document.
    field : str
        The path of the field, such as ``waiting[3].procs``.

    Returns
    -------
    int
        The line, counted from 1.

    >>> line_of('{"now": 1,\n "waiting": [{"id": 1},\n  {"id": 2}]}', "waiting[1].id")
    3
    """
    steps = [name or int(place) for name, place in _STEP.findall(field)]
    place = _skip(text, 0)
    for step in steps:
        inner = _member(text, place, step)
        if inner is None:
            break
        place = inner
    return text.count("\n", 0, place) + 1


def _skip(text: str, place: int) -> int:
    """Return the place of the next character that is no white space."""
    match = _SPACE.match(text, place)
    assert match is not None
    return match.end()


def _member(text: str, place: int, step: str | int) -> int | None:
    """Return where the value of a key, or an element, of the object or list at a place begins; None without it."""
    opened = text[place]
    if opened != ("{" if isinstance(step, str) else "["):
        return None
    place, count = _skip(text, place + 1), 0
    while text[place] not in "]}":
        name: str | int = count
        if opened == "{":
            name, place = json.JSONDecoder().raw_decode(text, place)
            place = _skip(text, _skip(text, place) + 1)
        if name == step:
            return place
        _, place = json.JSONDecoder().raw_decode(text, place)
        place = _skip(text, place)
        if text[place] == ",":
            place = _skip(text, place + 1)
        count += 1
    return None
