"""Values as Slurm writes them: numbers in either dialect of JSON, times and durations in text, lists of resources.

Up to 22.05 a number is a plain number, or null; from 23.02 on it is ``{"set", "infinite", "number"}``, and states and
flags are lists.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar, cast

from planbatch.experiments.live.slurm.snapshot import JobArray

#: The output of a client's program: text, or parsed JSON.
Output = str | Mapping[str, Any]
Row = Mapping[str, Any]
Read = TypeVar("Read")


def json_object(output: Output, program: str) -> Row | None:
    """Return the JSON object, or None if it is text."""
    if not isinstance(output, str):
        return output
    if not output.lstrip().startswith("{"):
        return None
    try:
        return cast("Row", json.loads(output))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}: {error.msg}"
        raise ValueError(f"{program}: its JSON is cut off or damaged ({where})") from None


def first_error(data: Row) -> object:
    """Return the first of the errors that JSON reports, an object or a text; None if there is none."""
    errors = data.get("errors")
    return errors[0] if isinstance(errors, list) and errors else errors or None


def each_row(data: Row, key: str, name: str, program: str, read: Callable[[Row], Read]) -> list[Read]:
    """Read every row of a list; messages name the row."""
    if first := first_error(data):
        words = first.get("description") or first.get("error") if isinstance(first, dict) else first
        raise ValueError(f"{program}: it reports an error: {str(words)[:200]}")
    rows = data.get(key)
    if not isinstance(rows, list):
        raise ValueError(
            f"{program}: its JSON has no list {key!r}; it may be cut off, or of a version that is not known"
        )
    result = []
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise ValueError(f"{program}: {key}[{i}] is no object")
        try:
            result.append(read(row))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            what = f"the field {error} is missing" if isinstance(error, KeyError) else str(error)
            raise ValueError(f"{program}: {key}[{i}] ({str(row.get(name))[:40]}): {what}") from None
    return result


#: The largest number that Slurm gives, but for those that mean none; times are in s, memory in MB.
MOST = 2**37
#: NO_VAL and INFINITE of Slurm's C code, in 16, 32 and 64 bits: no number, and no limit.
_NO_NUMBER = frozenset((0xFFFE, 0xFFFFFFFE, 0xFFFFFFFFFFFFFFFE, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF))
_NO_TEXT = frozenset(("", "(null)", "null", "none", "n/a", "unknown", "none assigned"))
_NO_LIMIT = frozenset(("UNLIMITED", "INFINITE", "PARTITION_LIMIT", "NOT_SET", "INVALID"))
_CLOCK = re.compile(r"^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$", re.ASCII)
_UNITS = {"": 1.0, "K": 1 / 1024, "M": 1.0, "G": 1024.0, "T": 1024.0**2, "P": 1024.0**3}
_AMOUNT = re.compile(r"^(\d+(?:\.\d*)?)([KMGTP]?)$", re.ASCII)
_GRES = re.compile(r"^(?:gres[:/])?gpu(?:[:/=]([^:=()]+))?(?:[:=](\d+))?(?:\(.*\))?$", re.ASCII)


def number(value: object, field: str = "") -> int | None:
    """Return a number, of either JSON dialect; None if there is none, or it is infinite; else ``ValueError``.

    >>> number(5), number({"set": True, "infinite": False, "number": 5}), number("5")
    (5, 5, 5)
    >>> number(None), number({"set": False, "infinite": False, "number": 0}), number({"set": True, "infinite": True})
    (None, None, None)
    """
    if type(value) is not int:  # most are
        if isinstance(value, Mapping):
            if value.get("infinite") or not value.get("set", True):
                return None
            value = value.get("number")
        if value is None or value == "":
            return None
        if isinstance(value, str) and re.fullmatch(r"-?\d+", value, re.ASCII):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
            raise ValueError(f"{field}: {str(value)[:60]!r} is not a whole number")
        value = int(value)
    if -MOST <= value <= MOST:
        return value
    if value in _NO_NUMBER:
        return None
    raise ValueError(f"{field}: {str(value)[:60]} is too large")


def limit(value: object, field: str = "") -> int | None:
    """Return a number, of either JSON dialect; None also for NO_VAL and INFINITE."""
    result = number(value, field)
    return None if result in _NO_NUMBER else result


def words(value: object) -> tuple[str, ...]:
    """Return states or flags in capitals: a list, or one text.

    >>> words("RUNNING"), words(["idle", "drain"]), words(None)
    (('RUNNING',), ('IDLE', 'DRAIN'), ())
    """
    if value is None or value == "":
        return ()
    return tuple(str(item).upper() for item in (value if isinstance(value, list) else [value]))


def text(value: object) -> str:
    """Return a text; Slurm's words for none become the empty text.

    >>> text("(null)"), text("N/A"), text(None), text("a b")
    ('', '', '', 'a b')
    """
    if not value:  # most are
        return ""
    result = str(value)
    return "" if result.strip().lower() in _NO_TEXT else result


def moment(value: str) -> int:
    """Return a time in seconds since 1970, 0 if it is not known; dates are in UTC.

    >>> moment("1795279967"), moment("2026-11-21T16:52:47"), moment("Unknown")
    (1795279967, 1795279967, 0)
    """
    if not text(value):
        return 0
    if value.isascii() and value.isdigit():
        return number(value, "time") or 0
    try:
        return int(datetime.fromisoformat(value).replace(tzinfo=UTC).timestamp())
    except ValueError:
        raise ValueError(f"{value[:40]!r} is no time such as 2026-11-21T16:52:47") from None


def seconds(value: str) -> int | None:
    """Return a duration; None for no limit.

    >>> seconds("1-02:03:04"), seconds("2-0"), seconds("02:03:04"), seconds("2:00"), seconds("30"), seconds("UNLIMITED")
    (93784, 172800, 7384, 120, 1800, None)
    """
    if not text(value) or value.upper() in _NO_LIMIT:
        return None
    match = _CLOCK.match(value)
    if match is None:
        raise ValueError(f"{value[:40]!r} is no duration such as 1-02:03:04")
    days, first, second, third = (int(part or 0) for part in match.groups())
    if match[1] or match[4]:  # days-hours[:minutes[:seconds]], hours:minutes:seconds
        return number(((days * 24 + first) * 60 + second) * 60 + third, "duration")
    return number(first * 60 + second, "duration")


def tres(value: str) -> dict[str, int]:
    """Return the amounts in a list of trackable resources; memory in MB.

    >>> tres("cpu=16,mem=1.50G,node=2,license/m=1,gres/gpu=4")
    {'cpu': 16, 'mem': 1536, 'node': 2, 'license/m': 1, 'gres/gpu': 4}
    """
    return dict(_amounts(value))


@lru_cache(maxsize=4096)  # many jobs ask for the same
def _amounts(value: str) -> Mapping[str, int]:
    result = {}
    for pair in filter(None, text(value).split(",")):
        name, _, amount = pair.rpartition("=")
        match = _AMOUNT.match(amount.upper())
        if name and match:
            scale = _UNITS[match[2]] if name == "mem" else 1.0
            result[name] = number(float(match[1]) * scale // 1, name) or 0
    return result


@lru_cache(maxsize=4096)
def gpus_in(value: str) -> int:
    """Return the GPUs in a list of generic resources, in every form that Slurm has had.

    >>> gpus_in("gpu:2"), gpus_in("gres:gpu:a100:4"), gpus_in("gres/gpu=3"), gpus_in("gpu"), gpus_in("nic:1")
    (2, 4, 3, 1, 0)
    >>> gpus_in("gpu:a100:4(S:0-1),gpu:t4:2(IDX:0,1)")
    6
    """
    total = 0
    for item in re.findall(r"[^,(]+(?:\([^)]*\))?", text(value)):
        match = _GRES.match(item.strip())
        if match is None:
            continue
        kind, amount = match.groups()
        if amount is None and kind is not None and kind.isdigit():
            kind, amount = None, kind
        total += 1 if amount is None else number(amount, "gpu") or 0
    return total


def gpus_of_tres(amounts: Mapping[str, int]) -> int:
    """Return the GPUs among trackable resources: those of all kinds, or else the sum over the kinds."""
    if "gres/gpu" in amounts:
        return amounts["gres/gpu"]
    return sum(amount for name, amount in amounts.items() if name.startswith("gres/gpu:"))


#: More hosts than any cluster has: a larger range is a mistake or an attack.
MOST_HOSTS = 1_000_000
_RANGE = re.compile(r"^(\d+)(?:-(\d+))?$")


def expand(text: str) -> tuple[str, ...]:
    """Return the names of the hosts in a list, in its order; a ``ValueError`` if it is none, or of more than a million.

    >>> expand("n[1-2,7],login,r[08-10]c[1-2]"), expand("a[1]-ib"), expand("")
    (('n1', 'n2', 'n7', 'login', 'r08c1', 'r08c2', 'r09c1', 'r09c2', 'r10c1', 'r10c2'), ('a1-ib',), ())
    """
    names: list[str] = []
    for part in _parts(text.strip()) if text else ():
        names += _of_part(part, text, MOST_HOSTS - len(names))
    return tuple(names)


def _parts(text: str) -> Iterator[str]:
    """Split at the commas outside brackets."""
    depth, start = 0, 0
    for i, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if depth not in (0, 1):
            raise ValueError(f"hosts {text[:80]!r}: a bracket is opened twice, or closed before it is opened")
        if letter == "," and not depth:
            yield text[start:i]
            start = i + 1
    if depth:
        raise ValueError(f"hosts {text[:80]!r}: the bracket is not closed; the text may be cut off")
    if text:
        yield text[start:]


def _of_part(part: str, text: str, room: int) -> list[str]:
    """Expand one part: texts and ranges in turn, each range combined with all before it."""
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
            raise ValueError(f"hosts {text[:80]!r}: {piece!r} is neither a number nor a range such as 1-8")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise ValueError(f"hosts {text[:80]!r}: the range {piece!r} ends before it begins")
        if last - first >= room - len(numbers):
            raise ValueError(f"hosts {text[:80]!r}: more than {MOST_HOSTS:,} hosts")
        numbers += [str(number).zfill(len(match[1])) for number in range(first, last + 1)]
    return numbers


#: Slurm's largest array has about 4 million tasks.
MOST_TASKS = 4_000_001
_PIECE = re.compile(r"^(\d+)(?:-(\d+)(?::(\d+))?)?$", re.ASCII)


def pending_tasks(array: int, text: str, most: int | None = None) -> JobArray:
    """Return the rest of an array that waits, given its tasks as Slurm writes them.

    Lists end with ``...`` from about 64 letters on. ``most`` is how many may run at once, if it stands in a field of
    its own. A ``ValueError`` if the tasks cannot be read.

    >>> pending_tasks(59, "0-3%2").tasks, pending_tasks(59, "1,3,5-9:2,1...").tasks
    ((0, 1, 2, 3), (1, 3, 5, 7, 9))
    """
    listed, _, throttle = text.strip("[]").partition("%")
    cut_off = listed.endswith("...") or throttle.endswith("...")
    pieces = listed.split(",")
    if cut_off and not throttle:
        pieces = pieces[:-1]  # its last number may lack digits
    is_mask = listed.startswith("0x")
    tasks = _of_mask(listed) if is_mask else [task for piece in pieces for task in _range(piece, text)]
    if len(tasks) >= MOST_TASKS:
        raise ValueError(f"array {array}: {text[:60]!r} are more tasks than Slurm allows")
    if throttle.isdigit():
        most = int(throttle)
    return JobArray(array, None, tuple(tasks), cut_off, most or None)


def _range(piece: str, text: str) -> range:
    match = _PIECE.match(piece.strip())
    if match is None:
        raise ValueError(f"array: {text[:60]!r} is no list of tasks such as 0-3,7")
    first, last, step = int(match[1]), int(match[2] or match[1]), int(match[3] or 1)
    if last < first or step < 1 or last >= MOST_TASKS:
        raise ValueError(f"array: {piece[:60]!r} is no range of tasks")
    return range(first, last + 1, step)


def _of_mask(text: str) -> list[int]:
    """Read a hexadecimal mask: bit k stands for task k."""
    mask = int(text, 16)
    return [task for task in range(mask.bit_length()) if mask >> task & 1]
