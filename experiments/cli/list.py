"""``planbatch list``: what there is, by name."""

import click

from planbatch.experiments.cli.flags import json_option
from planbatch.experiments.cli.registries import KINDS, registry_of
from planbatch.experiments.cli.shell import print_json, print_table
from planbatch.experiments.cli.verb import OneOf, verb


@verb
@click.argument("kind", type=OneOf(KINDS), metavar="KIND")
@json_option
def command(kind: str, as_json: bool) -> None:
    """List what there is of a KIND by name, with parameters and one line each.

    KIND is policies, orders, objectives, optimizers, predictors, metrics or presets.

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
        print_json({kind: found})
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
