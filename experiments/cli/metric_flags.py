"""The flag of further metrics, its check, and their values for programs."""

from collections.abc import Callable, Mapping
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


def plain(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return figures for JSON output: NaN, of a metric that failed or what was not measured, is null."""
    return {key: None if value != value else value for key, value in figures.items()}
