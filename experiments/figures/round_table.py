"""A comparison of optimizers as a table for the terminal."""

from rich import box
from rich.table import Table
from rich.text import Text

from planbatch.experiments.rounds.compare import budget_text
from planbatch.experiments.rounds.results import SHOWN, RoundComparison, written


def round_table(comparison: RoundComparison) -> Table:
    """Lay out the summary: one block per objective, the best figure of every column in it marked.

    Parameters
    ----------
    comparison : RoundComparison
        The searches.

    Returns
    -------
    rich.table.Table
        Print it with ``rich.print``.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.experiments import round_table
    >>> problem = pb.Round.of(
    ...     capacity=8, now=100, running=[(4, 200)], waiting=[(10, 8, 100), (20, 4, 300), (30, 2, 50)]
    ... )
    >>> found = pb.compare_rounds({"one": problem}, ["annealing", "tabu"], ["wait"], evaluations=100)
    >>> round_table(found).row_count
    2
    """
    summary = comparison.summary()
    rounds, budget = len(comparison.rounds), budget_text(comparison.budget)
    table = Table(
        title=Text(f"{rounds} round{'s' if rounds > 1 else ''}, {budget}"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=0,
        caption="excess: over the best known cost; gap: median, to what is proven; wins: searches "
        "that no other optimizer beat",
        caption_justify="left",
    )
    table.add_column("objective", no_wrap=True, vertical="bottom")
    table.add_column("optimizer", no_wrap=True, vertical="bottom")
    for heading, *_ in SHOWN:
        table.add_column(heading, justify="right", no_wrap=True, vertical="bottom")
    table.add_column("searches", justify="right", no_wrap=True, vertical="bottom", style="dim")
    failed = len(summary) > 0 and bool(summary["failed"].any())
    if failed:
        table.add_column("failed", justify="right", no_wrap=True, vertical="bottom")
    for objective in comparison.objectives:
        rows = summary[summary["objective"] == objective] if len(summary) else summary
        best = {
            name: rows[name].min() if less else rows[name].max()
            for _, name, less in SHOWN
            if len(rows)
        }
        for place, row in enumerate(rows.to_dict("records")):
            cells = [
                Text(
                    written(name, row[name]), style="bold green" if row[name] == best[name] else ""
                )
                for _, name, _ in SHOWN
            ]
            cells.append(Text(str(row["searches"])))
            if failed:
                cells.append(Text(str(row["failed"]), style="bold red" if row["failed"] else ""))
            table.add_row(Text(objective if place == 0 else ""), Text(row["optimizer"]), *cells)
    return table
