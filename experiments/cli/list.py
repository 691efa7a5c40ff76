"""``planbatch list``: what there is, by name."""

import json
from typing import TYPE_CHECKING

import click

from planbatch.experiments.cli.shell import print_table

if TYPE_CHECKING:
    from planbatch.planner.registry.registry import Registry

KINDS = ("policies", "orders", "objectives", "optimizers", "predictors", "metrics")


@click.command()
@click.argument("kind", type=click.Choice(KINDS))
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(kind: str, as_json: bool) -> None:
    """List what there is of a KIND by name, with parameters and one line each.

    Parameters follow a colon: NAME:KEY=VALUE,KEY=VALUE. Your own stand beside them as FILE.py:NAME or MODULE:NAME, and
    packages register names with entry points.
    """
    registry = registry_of(kind)
    rows = list(registry.described())
    if as_json:
        found = [
            {"name": name, "parameters": list(map(str, parameters)), "about": about}
            for name, parameters, about in rows
        ]
        click.echo(json.dumps({kind: found}, ensure_ascii=False))
        return

    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column(registry.kind, no_wrap=True)
    table.add_column("about", ratio=3)
    table.add_column("parameters", ratio=2)
    for name, parameters, about in rows:
        table.add_row(Text(name), Text(about), Text(", ".join(map(str, parameters))))
    arguments = ", ".join(registry.arguments)
    table.caption = Text(
        f"your own: FILE.py:NAME or MODULE:NAME, a function ({arguments}), or entry points in planbatch.{kind}"
    )
    table.caption_justify = "left"
    print_table(table)


def registry_of(kind: str) -> "Registry":
    """Return the registry of a kind."""
    if kind == "policies":
        from planbatch.baselines.catalogue import POLICY_NAMES

        return POLICY_NAMES
    if kind == "orders":
        from planbatch.planner.orders.catalogue import ORDER_NAMES

        return ORDER_NAMES
    if kind == "objectives":
        from planbatch.objectives.catalogue import OBJECTIVE_NAMES

        return OBJECTIVE_NAMES
    if kind == "optimizers":
        from planbatch.planner.optimizers import OPTIMIZER_NAMES

        return OPTIMIZER_NAMES
    if kind == "predictors":
        from planbatch.planner.history.predictors import PREDICTOR_NAMES

        return PREDICTOR_NAMES
    from planbatch.experiments.studies.metrics import METRIC_NAMES

    return METRIC_NAMES
