"""The flag of further metrics, and its check."""

from collections.abc import Callable
from typing import Any

from planbatch.experiments.cli.verb import Name, flag

metric_option: Callable[[Callable[..., Any]], Callable[..., Any]] = flag(
    "--metric",
    "metrics",
    multiple=True,
    type=Name("metrics"),
    metavar="NAME",
    help="A further column, such as p99-wait, size-wait:64- or your own, FILE.py:NAME; may be repeated. "
    "planbatch list metrics has all.",
)


def check_metrics(names: tuple[str, ...]) -> None:
    """Raise a ``ValueError``, before anything runs, if a metric cannot be made."""
    from planbatch.experiments.studies.metrics import as_metrics

    as_metrics(names)
