"""Lists of hosts as Slurm writes them: ``n[1-2,07],login`` (manual page of scontrol, ``show hostnames``)."""

import re
from collections.abc import Iterator

#: More hosts than any cluster has: a range beyond it is a mistake, or an attack.
MOST_HOSTS = 1_000_000
_RANGE = re.compile(r"^(\d+)(?:-(\d+))?$")


def expand(text: str) -> tuple[str, ...]:
    """Return the names of the hosts in a list, in its order.

    >>> expand("n[1-2,7],login,r[08-10]c[1-2]")
    ('n1', 'n2', 'n7', 'login', 'r08c1', 'r08c2', 'r09c1', 'r09c2', 'r10c1', 'r10c2')
    >>> expand("")
    ()

    Raises
    ------
    ValueError
        If a bracket is open, a range is no range, or there are more than a million hosts.
    """
    names: list[str] = []
    for part in _parts(text.strip()):
        names += _of_part(part, text, MOST_HOSTS - len(names))
    return tuple(names)


def _parts(text: str) -> Iterator[str]:
    """Split at the commas outside brackets."""
    depth, start = 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if depth not in (0, 1):
            raise ValueError(
                f"hosts {text[:80]!r}: a bracket is opened twice, or closed before it is opened"
            )
        if letter == "," and not depth:
            yield text[start:place]
            start = place + 1
    if depth:
        raise ValueError(f"hosts {text[:80]!r}: the bracket is not closed; the text may be cut off")
    if text:
        yield text[start:]


def _of_part(part: str, text: str, room: int) -> list[str]:
    """Expand one part: texts and ranges in turn, each range beside all that stands before it."""
    if not part:
        raise ValueError(f"hosts {text[:80]!r}: a name is empty")
    pieces = re.split(r"\[([^\]]*)\]", part)
    names = [pieces[0]]
    for ranges, after in zip(pieces[1::2], pieces[2::2], strict=True):
        numbers = _numbers(ranges, text, room // max(len(names), 1))
        names = [f"{name}{number}{after}" for name in names for number in numbers]
    if len(names) > room:
        raise ValueError(f"hosts {text[:80]!r}: more than {MOST_HOSTS:,} hosts")
    return names


def _numbers(ranges: str, text: str, room: int) -> list[str]:
    """Expand ``1-3,07``; numbers keep their leading zeros."""
    numbers: list[str] = []
    for piece in ranges.split(","):
        match = _RANGE.match(piece.strip())
        if match is None or not piece.isascii():
            raise ValueError(
                f"hosts {text[:80]!r}: {piece!r} is neither a number nor a range such as 1-8"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise ValueError(f"hosts {text[:80]!r}: the range {piece!r} ends before it begins")
        if last - first >= room - len(numbers):
            raise ValueError(f"hosts {text[:80]!r}: more than {MOST_HOSTS:,} hosts")
        numbers += [str(number).zfill(len(match[1])) for number in range(first, last + 1)]
    return numbers
