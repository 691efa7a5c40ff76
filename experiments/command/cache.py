"""``planbatch cache``: the compiled kernels on disk."""

import json

import click

from planbatch.experiments.command.shell import print_table


@click.group()
def command() -> None:
    """Look at the compiled kernels on disk, or delete them.

    They are in the user's cache, or where the environment variable PLANBATCH_CACHE_DIR points.
    """


@command.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def info(as_json: bool) -> None:
    """Show the folder of the kernels, and how many there are of each module."""
    from rich.table import Table

    from planbatch.experiments.command.kernel_cache import kept_kernels
    from planbatch.planner.kernels.cache import cache_folder

    found = list(kept_kernels())
    if as_json:
        rows = [one._asdict() | {"folder": str(one.folder)} for one in found]
        click.echo(json.dumps({"folder": str(cache_folder()), "modules": rows}))
        return
    table = Table("module", "", box=None)
    table.add_column("kernels", justify="right")
    table.add_column("MB", justify="right")
    for one in found:
        state = "" if one.current else "other version"
        table.add_row(one.module, state, f"{one.kernels:,}", f"{one.size / 1e6:.1f}")
    print_table(table)
    click.echo(f"{cache_folder()}: {sum(one.size for one in found) / 1e6:.1f} MB")


@command.command()
@click.option(
    "--all", "everything", is_flag=True, help="Delete all; by default, only old versions."
)
def clear(everything: bool) -> None:
    """Delete kernels of old versions of the sources (or all): what is needed is compiled again."""
    from planbatch.experiments.command.kernel_cache import clear

    click.echo(f"{clear(everything) / 1e6:.1f} MB deleted")
