"""The note that kernels have yet to be compiled."""

import click

from planbatch.planner.kernels.cache import cache_folder


def announce_compilation() -> None:
    """Print to standard error that this run compiles the kernels, if none are on disk yet."""
    if not cache_folder().exists():
        click.echo("Compiling the kernels for the first time; later starts load them.", err=True)
