"""``planbatch list``: policies, objectives, metrics … by name."""

from typing import Annotated

from planbatch.experiments.cli.flags import Json
from planbatch.experiments.cli.parameters import KINDS, OneOf, argument, registry_of
from planbatch.experiments.cli.shell import print_result
from planbatch.experiments.cli.verb import verb


@verb
def command(*, kind: Annotated[str, argument(type=OneOf(KINDS), metavar="KIND")], as_json: Json = False) -> None:
    """List everything of a KIND by name, with parameters and one line each.

    KIND is policies, orders, objectives, optimizers, predictors, metrics or presets.

    Parameters follow a colon: NAME:KEY=VALUE,KEY=VALUE. Your own are FILE.py:NAME or MODULE:NAME, and packages register
    names with entry points.
    """
    from planbatch.experiments.common.table import Column, Table

    registry = registry_of(kind)
    rows = [
        {"name": name, "parameters": list(map(str, parameters)), "about": about}
        for name, parameters, about in registry.entries()
    ]
    columns = [
        Column("name", registry.kind),
        Column("about", "about", wrap=True),
        Column("parameters", "parameters", wrap=True),
    ]
    listed = [{**row, "parameters": ", ".join(row["parameters"])} for row in rows]
    arguments = ", ".join(registry.arguments)
    note = f"your own: FILE.py:NAME or MODULE:NAME, a function ({arguments}), or entry points in planbatch.{kind}"
    print_result(as_json, {kind: rows}, Table("names", "", columns, listed, note))
