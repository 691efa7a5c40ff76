"""What is told when kernels have yet to be compiled."""

import click

from planbatch.planner.kernels.cache import cache_folder


def announce_compilation() -> None:
    """Say on standard error that this run compiles the kernels, where none are on disk yet."""
    if not cache_folder().exists():
        click.echo("Compiling the kernels for the first time; later starts load them.", err=True)
