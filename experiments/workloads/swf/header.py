"""The header of a log in the Standard Workload Format: comment lines like ``; Key: value``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

#: ``; Key: value``; keys are single words; some files have no blank after the semicolon.
_FIELD = re.compile(r"^;\s*([A-Za-z][A-Za-z0-9_]*)\s*:(?!//)\s*(.*?)\s*$")
_NUMBERED = re.compile(r"^\s*(-?\d+)\s*(.*?)\s*$")
_LEADING_NUMBER = re.compile(r"^\s*(-?\d+)")


@dataclass(frozen=True)
class SwfHeader:
    """The comment lines of a log, and their fields.

    Attributes
    ----------
    lines : tuple of str
        All comment lines before the first job, as read; a log may have none.
    fields : mapping of str to str
        Key → value; the values of a key that occurs more than once (Note, Queue, Partition,
        Information …) are joined by line ends, and lines without a key continue the value before
        them.
    """

    lines: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        values: dict[str, list[str]] = {}
        key = None
        for line in self.lines:
            match = _FIELD.match(line)
            if match:
                key = match[1]
                values.setdefault(key, []).append(match[2])
            elif key is not None and line.strip("; \t"):
                values[key][-1] += "\n" + line.lstrip(";").strip()
        object.__setattr__(self, "fields", {name: "\n".join(parts) for name, parts in values.items()})

    def number(self, key: str) -> int | None:
        """Return the number that the value of ``key`` begins with, or ``None``.

        "1664 (72, 1368, 224)" counts as 1664: several headers of the archive add such remarks.
        """
        match = _LEADING_NUMBER.match(self.fields.get(key, ""))
        return int(match[1]) if match else None

    @property
    def capacity(self) -> int | None:
        """Processors of the machine: MaxProcs, else MaxNodes, if positive; else ``None``."""
        for key in ("MaxProcs", "MaxNodes"):
            number = self.number(key)
            if number is not None and number > 0:
                return number
        return None

    @property
    def unix_start_time(self) -> int | None:
        """The Unix time that submit times count from, or ``None``."""
        return self.number("UnixStartTime")

    @property
    def queues(self) -> dict[int, str]:
        """Number of a queue → its name and remarks."""
        return self._numbered("Queue")

    @property
    def partitions(self) -> dict[int, str]:
        """Number of a partition → its name and remarks."""
        return self._numbered("Partition")

    @property
    def notes(self) -> tuple[str, ...]:
        """The lines of the notes."""
        return tuple(self.fields["Note"].split("\n")) if "Note" in self.fields else ()

    def _numbered(self, key: str) -> dict[int, str]:
        matches = (_NUMBERED.match(line) for line in self.fields.get(key, "").split("\n"))
        return {int(match[1]): match[2] for match in matches if match}

    def queue_number(self, queue: str | int) -> int | None:
        """Find a queue's number by its number or its name; ``None`` for an unknown name."""
        text = str(queue).strip()
        if re.fullmatch(r"-?\d+", text):
            return int(text)
        for number, remark in self.queues.items():
            if remark.lower() == text.lower() or remark.lower().split()[:1] == [text.lower()]:
                return number
        return None

    def replaced(self, key: str, value: int | str) -> "SwfHeader":
        """Set the only value of ``key``, in place of the first one or else at the end."""
        line = f"; {key}: {value}"
        indices = [i for i, text in enumerate(self.lines) if (m := _FIELD.match(text)) and m[1] == key]
        if not indices:
            return SwfHeader((*self.lines, line))
        lines = [text for i, text in enumerate(self.lines) if i not in indices[1:]]
        lines[indices[0]] = line
        return SwfHeader(tuple(lines))

    def noted(self, text: str) -> "SwfHeader":
        """Add a note at the end."""
        return SwfHeader((*self.lines, f"; Note: {text}"))
