"""Tuned parameters as a table: the past and later spans beside EASY's and the default's."""

from rich import box
from rich.table import Table
from rich.text import Text

from planbatch.experiments.studies.columns import REFERENCE
from planbatch.experiments.studies.tune import Tuned


def tune_table(tuned: Tuned) -> Table:
    """Lay out the Pareto front of the past, with what each came to later; one row per policy."""
    tuning = tuned.tuning
    table = Table(
        title=Text(f"{tuning.policy}, {len(tuned.trials)} trials"), title_justify="left",
        box=box.SIMPLE_HEAD, show_edge=False, caption_justify="left",
        caption=f"tuned on {tuning.past}; the other columns were held out",
    )  # fmt: skip
    table.add_column("policy", overflow="fold")
    for goal in tuning.goals:
        for span in (tuning.past, *tuning.later):
            table.add_column(Text(f"{goal.name}\n{span}"), justify="right", no_wrap=True)
    for row in (*tuned.beside, *tuned.front):
        cells = [
            goal.written(values[place])
            for place, goal in enumerate(tuning.goals)
            for values in row.values
        ]
        table.add_row(Text(row.policy), *cells, style="bold" if row.policy == REFERENCE else "")
    return table
