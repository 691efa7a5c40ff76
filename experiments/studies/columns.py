"""The table of several policies on one workload."""

from collections.abc import Mapping, Sequence
from typing import Any

from planbatch.experiments.common.table import Column, Table, time_column
from planbatch.experiments.common.text import change, number, share
from planbatch.experiments.studies.metrics import Metric

#: The policy that others are measured against.
REFERENCE = "easy"
_FIGURES = (
    time_column("mean_wait", "mean\nwait", "min"),
    time_column("median_wait", "median\nwait", "min"),
    time_column("p95_wait", "95%\nwait", "min"),
    time_column("max_wait", "max.\nwait", "min"),
    Column("mean_bounded_slowdown", "slow-\ndown", number, best="min"),
    time_column("makespan", "make-\nspan", "min"),
    Column("utilisation", "used", share, best="max"),
)
_DEADLINES = (
    time_column("regular_mean_wait", "regular\nwait"),
    Column("missed_deadlines", "missed\ndeadl.", "{:,}".format),
    Column("infeasible_deadlines", "infeas.\ndeadl.", "{:,}".format),
)
_CLOCK = time_column("seconds", "time", style="dim")


def summary_table(title: str, summaries: Sequence[Mapping[str, Any]], extra_metrics: Sequence[Metric] = ()) -> Table:
    """Lay out summaries, with the change of the mean wait against EASY if that is among them.

    The summaries have the values of the extra metrics by name.
    """
    reference = next((summary["mean_wait"] for summary in summaries if summary["policy"] == REFERENCE), None)
    columns = [Column("policy", "policy"), *_FIGURES]
    rows = [dict(summary) for summary in summaries]
    if reference is not None:
        columns.append(Column("change", "change", str))
        for row in rows:
            row["change"] = "" if row["policy"] == REFERENCE else change(row["mean_wait"], reference)
    if rows and all("missed_deadlines" in row for row in rows):
        columns += _DEADLINES
    for metric in extra_metrics:
        name, colon, parameters = metric.name.partition(":")
        columns.append(metric.column(name.replace("-", "\n") + (f"{colon}\n{parameters}" if parameters else "")))
    changes = "no change: easy is not among them" if reference is None else "change: of the mean wait against EASY"
    note = f"slowdown: mean bounded slowdown; used: utilisation; {changes}"
    return Table("comparison", title, [*columns, _CLOCK], rows, note, tight=True)
