"""JSON that Slurm's clients print: its object, and the rows of its lists."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

#: What a client printed: text, or JSON that was read already.
Printed = str | Mapping[str, Any]
Row = Mapping[str, Any]
Found = TypeVar("Found")


def object_in(printed: Printed, program: str) -> Row | None:
    """Return the JSON object, or None if it is text."""
    if not isinstance(printed, str):
        return printed
    if not printed.lstrip().startswith("{"):
        return None
    try:
        data = json.loads(printed)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{program}: its JSON is cut off or damaged (line {error.lineno}: {error.msg})"
        ) from None
    if not isinstance(data, dict):
        raise ValueError(f"{program}: its JSON is no object")
    return data


def each_row(
    data: Row, key: str, name: str, program: str, read: Callable[[Row], Found]
) -> list[Found]:
    """Read every row of a list; messages name the row."""
    if data.get("errors"):
        first = data["errors"][0]
        said = first.get("description") or first.get("error") if isinstance(first, dict) else first
        raise ValueError(f"{program}: it reports an error: {str(said)[:200]}")
    rows = data.get(key)
    if not isinstance(rows, list):
        raise ValueError(
            f"{program}: its JSON has no list {key!r}; it may be cut off, or of a version that is not known"
        )
    found = []
    for place, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise ValueError(f"{program}: {key}[{place}] is no object")
        try:
            found.append(read(row))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            what = f"the field {error} is missing" if isinstance(error, KeyError) else str(error)
            raise ValueError(
                f"{program}: {key}[{place}] ({str(row.get(name))[:40]}): {what}"
            ) from None
    return found
