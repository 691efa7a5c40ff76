"""What the command says to people, apart from its results."""

import click


def to_stderr(line: str) -> None:
    """Print a line on standard error."""
    click.echo(line, err=True)
