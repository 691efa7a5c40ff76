"""How objects look in notebooks: durations in words and on the clock, and small tables in HTML."""

from collections.abc import Iterable, Sequence
from html import escape

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


def counted(count: int, noun: str) -> str:
    """Write a number with its noun.

    >>> counted(1, "cell"), counted(2000, "cell")
    ('1 cell', '2,000 cells')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def html_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", more: int = 0
) -> str:
    """Return a small table in HTML, all texts escaped.

    Parameters
    ----------
    headings : sequence of str
        Of the columns; empty for a table without a row of headings.
    rows : iterable of sequences of str
        The cells; the first of each is the heading of its row.
    caption : str
        A line above the table.
    more : int
        How many rows are left out; a last row says so.
    """
    parts = ["<table>"]
    if caption:
        parts.append(f'<caption style="{_LEFT}">{escape(caption)}</caption>')
    if headings:
        cells = (
            f'<th scope="col" style="{_RIGHT if place else _LEFT}">{escape(heading)}</th>'
            for place, heading in enumerate(headings)
        )
        parts.append(f"<thead><tr>{''.join(cells)}</tr></thead>")
    parts.append("<tbody>")
    for first, *others in rows:
        cells = (f'<td style="{_RIGHT}">{escape(cell)}</td>' for cell in others)
        parts.append(
            f'<tr><th scope="row" style="{_LEFT}">{escape(first)}</th>{"".join(cells)}</tr>'
        )
    if more:
        wide = max(len(headings), 1)
        parts.append(f'<tr><td colspan="{wide}" style="{_LEFT}">… and {more:,} more</td></tr>')
    return "".join([*parts, "</tbody></table>"])
