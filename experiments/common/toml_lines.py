"""Finding the line of a key in a TOML file, which ``tomllib`` does not report."""

import re

_HEADER = re.compile(r"^\s*\[\[?\s*[\"']?([\w.-]+)[\"']?\s*\]\]?")


def line_of(text: str, table: str = "", index: int = 0, key: str | None = None, value: str | None = None) -> int:
    """Find the line of a key of a TOML file, or of a value on its line or behind it, counted from 1.

    ``table`` is the name of the table, empty for the keys before the first one, and ``index`` counts those of this
    name; without a key, it is the line of the table's header. A best guess if the file is written in an unusual way.
    """
    lines = text.splitlines()
    first, last = _extent(lines, table, index)
    result = first
    if key is not None:
        spelled = re.escape(key).replace("_", "[-_]").replace(r"\-", "[-_]")
        pattern = re.compile(rf"(^|[\s{{,])[\"']?{spelled}[\"']?\s*=")
        result = next((i for i in range(first, last) if pattern.search(_bare(lines[i]))), first)
    if value is not None:
        result = next((i for i in range(result, last) if value in lines[i]), result)
    return result + 1


def _bare(line: str) -> str:
    """Return a line without its comment."""
    return line.partition("#")[0]


def _extent(lines: list[str], table: str, index: int) -> tuple[int, int]:
    """Find the first line of a table, and the first one behind it."""
    heads = [(i, match[1]) for i, line in enumerate(lines) if (match := _HEADER.match(line))]
    ends = [i for i, _ in heads[1:]] + [len(lines)]
    if not table:
        return 0, heads[0][0] if heads else len(lines)
    own = [(i, end) for (i, name), end in zip(heads, ends, strict=True) if name == table]
    return own[index] if index < len(own) else (0, len(lines))
