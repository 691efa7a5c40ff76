"""The columns of a comparison for people: in the terminal and in notebooks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planbatch.experiments.common.text import change, durations, number, share
from planbatch.experiments.studies.metrics import Metric

#: The policy that others are measured against.
REFERENCE = "easy"
#: Heading, name of the figure in summaries, how it is written, and which value is best.
_FIGURES = (
    ("mean\nwait", "mean_wait", durations, min),
    ("median\nwait", "median_wait", durations, min),
    ("95%\nwait", "p95_wait", durations, min),
    ("max.\nwait", "max_wait", durations, min),
    ("slow-\ndown", "mean_bounded_slowdown", number, min),
    ("make-\nspan", "makespan", durations, min),
    ("used", "utilisation", share, max),
)
_DEADLINES = (
    ("regular\nwait", "regular_mean_wait", durations, None),
    ("missed\ndeadl.", "missed_deadlines", "{:,}".format, None),
    ("infeas.\ndeadl.", "infeasible_deadlines", "{:,}".format, None),
)
_CLOCK = (("time", "seconds", durations, None),)


@dataclass(frozen=True)
class ShownColumn:
    """One column, written.

    Attributes
    ----------
    heading : str
        With line breaks for narrow columns.
    unit : str
        The unit of all its figures; empty if it has none.
    texts : list of str
        One figure per row.
    best : frozenset of int
        The rows with the best figure.
    """

    heading: str
    unit: str
    texts: list[str]
    best: frozenset[int] = frozenset()

    @property
    def one_line(self) -> str:
        """The heading with its unit on one line."""
        words = self.heading.replace("-\n", "").replace("\n", " ")
        return f"{words} ({self.unit})" if self.unit else words


def shown_columns(
    summaries: Sequence[Mapping[str, Any]], asked: Sequence[Metric] = ()
) -> list[ShownColumn]:
    """Write the summaries of several policies as columns; all durations of a column have one unit.

    Parameters
    ----------
    summaries : sequence of mapping
        See :attr:`Comparison.summaries`.
    asked : sequence of Metric
        Further metrics, whose values are in the summaries by name.
    """
    with_deadlines = all("missed_deadlines" in summary for summary in summaries)
    columns = [_written(summaries, *figure) for figure in _FIGURES]
    reference = next((one["mean_wait"] for one in summaries if one["policy"] == REFERENCE), None)
    if reference is not None:
        changes = [
            "" if one["policy"] == REFERENCE else change(one["mean_wait"], reference)
            for one in summaries
        ]
        columns.append(ShownColumn("change", "", changes))
    if with_deadlines and summaries:
        columns += [_written(summaries, *figure) for figure in _DEADLINES]
    for metric in asked:
        write = durations if metric.unit == "s" else metric.written
        name, colon, given = metric.name.partition(":")
        heading = name.replace("-", "\n") + (f"{colon}\n{given}" if given else "")
        columns.append(_written(summaries, heading, metric.name, write, None))
    return columns + [_written(summaries, *figure) for figure in _CLOCK]


def _written(
    summaries: Sequence[Mapping[str, Any]], heading: str, name: str, write: Any, goal: Any
) -> ShownColumn:
    """Write one figure of all summaries."""
    values = [one[name] for one in summaries]
    unit, texts = durations(values) if write is durations else ("", [write(v) for v in values])
    best = goal(values) if goal is not None and values else None
    marked = frozenset(i for i, value in enumerate(values) if value == best)
    return ShownColumn(heading, unit if values else "", texts, marked)
