"""A comparison as a table for the terminal."""

from rich import box
from rich.table import Table
from rich.text import Text

from planbatch.experiments.studies.columns import REFERENCE, shown_columns
from planbatch.experiments.studies.compare import Comparison


def comparison_table(comparison: Comparison) -> Table:
    """Lay out a comparison: one row per policy, the best figure of every column marked.

    Parameters
    ----------
    comparison : Comparison
        The replays.

    Returns
    -------
    rich.table.Table
        Print it with ``rich.print``.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.experiments import comparison_table
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> table = comparison_table(pb.compare(workload, ["fcfs", "easy"]))
    >>> table.row_count
    2
    """
    summaries = comparison.summaries
    changes = REFERENCE in comparison.finished
    table = Table(
        title=Text(comparison.title, no_wrap=True, overflow="ignore"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=0,
        caption="slowdown: mean bounded slowdown; used: utilisation"
        + (
            "; change: of the mean wait against EASY"
            if changes
            else "; no change: easy is not among them"
        ),
        caption_justify="left",
    )
    table.add_column("policy", no_wrap=True, vertical="bottom")
    columns = shown_columns(summaries, comparison.asked)
    for column in columns:
        heading = f"{column.heading}\n({column.unit})" if column.unit else column.heading
        style = "dim" if column.heading == "time" else ""
        table.add_column(heading, justify="right", no_wrap=True, vertical="bottom", style=style)
    for row, summary in enumerate(summaries):
        cells = (
            Text(column.texts[row], style="bold green" if row in column.best else "")
            for column in columns
        )
        table.add_row(Text(summary["policy"]), *cells)
    return table
