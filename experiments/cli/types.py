"""Types of the values of flags and arguments: names that shells complete, one of a few words, lengths of time."""

from collections.abc import Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

from planbatch.planner.durations import length_of
from planbatch.planner.names import did_you_mean


class Name(click.ParamType):  # type: ignore[type-arg]
    """A name of something that ``planbatch list`` lists, which shells complete."""

    name = "name"

    def __init__(self, kind: str = "") -> None:
        self.kind = kind

    def names(self) -> Iterable[str]:
        """Return all names."""
        from planbatch.experiments.cli.registries import registry_of

        return registry_of(self.kind).names()

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with a text."""
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


class ArchiveName(Name):
    """The name of a log of the Parallel Workloads Archive, which shells complete."""

    def names(self) -> Iterable[str]:
        """Return all names."""
        from planbatch.experiments.workloads.archive import CATALOGUE

        return CATALOGUE


class Log(Name):
    """A log: a file, or the name of one that was fetched; shells complete both."""

    name = "log"

    def names(self) -> Iterable[str]:
        """Return the names of fetched logs."""
        from planbatch.experiments.workloads.archive import CATALOGUE, cached_path

        return [log.name for log in CATALOGUE.values() if cached_path(log).is_file()]

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with a text, and have the shell complete files."""
        file = CompletionItem(incomplete, type="file")
        return [file, *super().shell_complete(ctx, param, incomplete)]


class OneOf(click.Choice):  # type: ignore[type-arg]
    """One of a few words; the error for any other suggests the nearest."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word if it is one of the choices."""
        if value in self.choices:
            return value
        what = param.name.replace("_", "-") if param is not None else self.name
        raise ValueError(f"{what}: there is no {value!r}; {did_you_mean(str(value), self.choices)}")

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Return the sentence that follows the error about a missing argument."""
        return f"Choose one of {', '.join(self.choices)}."


class Seconds(click.ParamType):  # type: ignore[type-arg]
    """A number of seconds; the error for any other says so."""

    name = "seconds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        try:
            return float(str(value))
        except ValueError:
            name = getattr(param, "name", None) or self.name
            raise ValueError(f"{name}: {value!r} is not a number of seconds, such as 0.5 or 60") from None


class Duration(click.ParamType):  # type: ignore[type-arg]
    """A length of time, such as ``30s``, ``2h`` or ``7d``; ``number`` is the type of the seconds."""

    name = "time"

    def __init__(self, number: type[float] = float) -> None:
        self.number = number

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the length in seconds, rounded down if they are whole."""
        if isinstance(value, int | float):
            return self.number(value)
        name = getattr(param, "name", None) or "time"
        try:
            seconds = length_of(str(value).strip())
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        if seconds <= 0:
            raise ValueError(f"{name}: {str(value)!r} is not above zero")
        return self.number(seconds)
