"""How values look to people: in messages, as durations in words and on the clock, and as small tables in HTML."""

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from numpy.typing import NDArray

#: Units of time (s), largest first. A unit is used from two on: 90 min rather than 1.5 h.
UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
#: A table in a notebook has no more rows than this.
MOST_ROWS = 10
#: Notebooks mark the rows of tables by their own colours, light or dark; only the alignment is ours.
_LEFT, _RIGHT = "text-align: left", "text-align: right"


def unit_for(seconds: float) -> tuple[str, int]:
    """Return the unit that suits a duration, and its length (s)."""
    return next((unit for unit in UNITS if seconds >= 2 * unit[1]), UNITS[-1])


def duration(seconds: float) -> str:
    """Write a duration in the unit that suits it.

    >>> duration(0), duration(119), duration(120), duration(5400), duration(86400 * 333)
    ('0 s', '119 s', '2.0 min', '90.0 min', '333 d')
    """
    name, length = unit_for(seconds)
    value = seconds / length
    return f"{value:,.0f} {name}" if length == 1 or value >= 99.95 else f"{value:.1f} {name}"


def hms(seconds: float) -> str:
    """Write a duration as hours, minutes and seconds: for columns of durations of all lengths.

    >>> hms(2), hms(5400), hms(86400 * 333 + 59.6)
    ('0:00:02', '1:30:00', '7,992:01:00')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60:,}:{minutes % 60:02}:{rest:02}"


def moment(seconds: int, epoch: int | None) -> str:
    """Write a time: as a clock (UTC) if it is known when time 0 was, in Unix time (s), else in seconds.

    >>> moment(3600, 850_000_000), moment(3600, None)
    ('1996-12-08 00:06:40', '3,600 s')
    """
    if epoch is None:
        return f"{seconds:,} s"
    try:
        return f"{datetime.fromtimestamp(epoch + seconds, UTC):%Y-%m-%d %H:%M:%S}"
    except (OverflowError, ValueError, OSError):  # beyond the year 9999
        return f"{seconds:,} s"


def counted(count: int, noun: str) -> str:
    """Write a number with its noun.

    >>> counted(1, "cell"), counted(2000, "cell")
    ('1 cell', '2,000 cells')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def short_repr(value: object) -> str:
    """Return a value as messages show it: short, or only its type.

    >>> short_repr("5"), short_repr([1, 2]), short_repr({"a": "b" * 99})
    ("'5'", '[1, 2]', 'a dict')
    """
    text = repr(value)
    return text if len(text) <= 40 and " at 0x" not in text and "\n" not in text else with_article(type(value).__name__)


def with_article(noun: str) -> str:
    """Return a noun behind its article.

    >>> with_article("int")
    'an int'
    """
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def brief_repr(instance: "DataclassInstance") -> str:
    """Return a dataclass as it would be made: only what differs from the defaults."""
    values = []
    for one in fields(instance):
        value = getattr(instance, one.name)
        default = one.default if one.default_factory is MISSING else one.default_factory()
        if one.repr and (default is MISSING or value != default):
            values.append(f"{one.name}={value!r}")
    return f"{type(instance).__name__}({', '.join(values)})"


def table_repr(table: NamedTuple, always: Sequence[str], never: int) -> str:
    """Return a table of columns: how many jobs it has, and the beginning of each column that says anything."""
    columns = []
    for name, column in table._asdict().items():
        if column is not None and (name in always or (column.size and not _empty(column, never))):
            beginning = " ".join(map(str, column[:3].tolist()))
            columns.append(f"{name} {beginning}{' …' if len(column) > 3 else ''}")
    return f"{type(table).__name__}({counted(len(table[0]), 'job')}: {', '.join(columns)})"


def _empty(column: "NDArray[Any]", never: int) -> bool:
    return any(bool((column == value).all()) for value in (never, -1, 0))


def html_table(headings: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", more: int = 0) -> str:
    """Return a small table in HTML, all texts escaped.

    The first cell of each row is its heading; ``headings``, of the columns, may be empty; ``caption`` is a line above
    the table, and a last row says how many ``more`` there are.
    """
    parts = ["<table>"]
    if caption:
        parts.append(f'<caption style="{_LEFT}">{escape(caption)}</caption>')
    if headings:
        cells = (
            f'<th scope="col" style="{_RIGHT if column else _LEFT}">{escape(heading)}</th>'
            for column, heading in enumerate(headings)
        )
        parts.append(f"<thead><tr>{''.join(cells)}</tr></thead>")
    parts.append("<tbody>")
    for first, *others in rows:
        cells = (f'<td style="{_RIGHT}">{escape(cell)}</td>' for cell in others)
        parts.append(f'<tr><th scope="row" style="{_LEFT}">{escape(first)}</th>{"".join(cells)}</tr>')
    if more:
        wide = max(len(headings), 1)
        parts.append(f'<tr><td colspan="{wide}" style="{_LEFT}">… and {more:,} more</td></tr>')
    return "".join([*parts, "</tbody></table>"])
