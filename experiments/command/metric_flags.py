"""The flag of further metrics."""

from collections.abc import Callable
from typing import Any

import click

metric_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="A further column, such as p99-wait, size-wait:64- or your own, FILE.py:NAME; may be repeated. "
    "planbatch list metrics has all.",
)
