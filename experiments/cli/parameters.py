"""Parameters of verbs: what the annotations of a function declare, as flags and arguments, and the types of values."""

import functools
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from click.shell_completion import CompletionItem

from planbatch.experiments.common.schema import SettingSpec, setting_specs
from planbatch.planner.durations import duration_text, length_of
from planbatch.planner.names import did_you_mean
from planbatch.planner.settings import Setting

if TYPE_CHECKING:
    from planbatch.planner.registry.registry import Registry

# Types of values: names that shells complete, one of a few words, lengths of time

#: Kind → where its registry is.
_REGISTRIES = {
    "policies": ("baselines.catalogue", "POLICY_NAMES"),
    "orders": ("planner.orders.catalogue", "ORDER_NAMES"),
    "objectives": ("objectives.catalogue", "OBJECTIVE_NAMES"),
    "optimizers": ("planner.optimizers", "OPTIMIZER_NAMES"),
    "predictors": ("planner.history.predictors", "PREDICTOR_NAMES"),
    "metrics": ("experiments.studies.metrics", "METRIC_NAMES"),
    "presets": ("experiments.workloads.presets", "PRESET_NAMES"),
}
KINDS = tuple(_REGISTRIES)


def registry_of(kind: str) -> "Registry":
    """Return the registry of a kind."""
    module, name = _REGISTRIES[kind]
    return getattr(import_module(f"planbatch.{module}"), name)


class Name(click.ParamType):  # type: ignore[type-arg]
    """A name of something that ``planbatch list`` lists, which shells complete."""

    name = "name"

    def __init__(self, kind: str = "") -> None:
        self.kind = kind

    def names(self) -> Iterable[str]:
        """Return all names."""
        return registry_of(self.kind).names()

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with a text."""
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


class ArchiveName(Name):
    """The name of a log of the Parallel Workloads Archive."""

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

    def convert(self, value: object, param: click.Parameter | None, _ctx: click.Context | None) -> Any:
        """Return the word if it is one of the choices."""
        if value in self.choices:
            return value
        what = param.name.replace("_", "-") if param is not None else self.name
        raise ValueError(f"{what}: there is no {value!r}; {did_you_mean(str(value), self.choices)}")

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:  # noqa: ARG002 - keywords
        """Return the sentence that follows the error about a missing argument."""
        return f"Choose one of {', '.join(self.choices)}."


class Seconds(click.ParamType):  # type: ignore[type-arg]
    """A number of seconds; the error for any other says so."""

    name = "seconds"

    def convert(self, value: object, param: click.Parameter | None, _ctx: click.Context | None) -> float:
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

    def convert(self, value: object, param: click.Parameter | None, _ctx: click.Context | None) -> float:
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


# Flags and arguments

#: Headings of flags; those without one are under the last.
POLICIES, SEARCH, LOG, MACHINE, CLUSTER, RUN, OUTPUT = (
    "Policies", "Search", "Log", "Machine", "Cluster", "Run", "Output"
)  # fmt: skip
#: Paths of files, and of folders.
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
#: The types of values that are not click's own, by the type in Python and the unit.
_TYPES = {
    (Path, "FILE"): FILE,
    (Path, "FOLDER"): FOLDER,
    (Path, ""): click.Path(path_type=Path),
    (float, "TIME"): Duration(),
    (float, "S"): Seconds(),
    (int, "TIME"): Duration(int),
}


class Option(click.Option):
    """A flag that help lists under a heading, ``panel``; everything else is :class:`click.Option`'s."""

    def __init__(self, names: Sequence[str], *, panel: str = OUTPUT, **arguments: Any) -> None:
        super().__init__(names, **arguments)
        self.panel = panel


@dataclass(frozen=True)
class Flag(Setting):
    """The annotation of a parameter that is a flag; see :func:`flag`."""

    panel: str = OUTPUT
    arguments: dict[str, Any] = field(default_factory=dict)


def flag(about: str, unit: str = "", *, name: str | None = None, panel: str = OUTPUT, **arguments: Any) -> Flag:
    """Return the annotation of a parameter that is a flag, listed under the heading ``panel``.

    Its name is the parameter's, or ``name``, as in ``-o --out``. Paths are checked as the FILE or FOLDER that ``unit``
    says, and a TIME may be written as ``2h``. ``arguments`` are those of :class:`click.Option` that do not follow from
    the parameter's type and default.
    """
    return Flag(about, unit, name, panel=panel, arguments=arguments)


@dataclass(frozen=True)
class Argument(Setting):
    """The annotation of a parameter that is an argument; see :func:`argument`."""

    arguments: dict[str, Any] = field(default_factory=dict)


def argument(**arguments: Any) -> Argument:
    """Return the annotation of a parameter that is an argument; ``arguments`` are those of :class:`click.Argument`."""
    return Argument("", arguments=arguments)


@dataclass(frozen=True)
class Group(Setting):
    """The annotation of a parameter that is made of several flags; see :func:`group`."""

    options: Sequence[click.Parameter] = ()
    make: Callable[..., Any] = dict


def group(make: Callable[..., Any], options: Sequence[click.Parameter] | None = None, panel: str = OUTPUT) -> Group:
    """Return the annotation of a parameter that ``make``, a function or a class, makes of several flags.

    They are ``options``, by default what the parameters of ``make`` declare; those without a heading are under
    ``panel``.
    """
    if options is None:
        make, options = as_callback(make, panel)
    return Group("", options=options, make=make)


def option(setting: SettingSpec, panel: str, **changes: Any) -> Option:
    """Return the flag of a setting; ``changes`` are arguments of :class:`click.Option`."""
    default = None if setting.default is SettingSpec.empty else setting.default
    if setting.setting.unit == "TIME" and default is not None:
        default = duration_text(default)
    arguments: dict[str, Any] = {"help": setting.setting.about, "default": default}
    if setting.type is bool:
        arguments["is_flag"] = True
    else:
        arguments["type"] = _type_of(setting)
        arguments["metavar"] = setting.setting.unit or None
        arguments["multiple"] = setting.several
        arguments["show_default"] = bool(changes.get("default", default))
    return Option([*setting.flag.split(), setting.name], panel=panel, **arguments | changes)


def _type_of(setting: SettingSpec) -> Any:
    """Return the type of the values, for click."""
    if typing.get_origin(setting.type) is Literal:
        return OneOf(typing.get_args(setting.type))
    plain = setting.type if setting.type in (int, float, Path) else str
    return _TYPES.get((plain, setting.setting.unit), plain)


def _parameter(setting: SettingSpec, panel: str) -> click.Parameter:
    """Return the flag or the argument that a parameter declares; ``panel`` is the heading if it names none."""
    note = setting.setting
    if isinstance(note, Argument):
        arguments: dict[str, Any] = {"type": _type_of(setting), "required": True}
        if setting.default is not SettingSpec.empty:
            arguments["required"] = False
            if not setting.several:  # click gives none of several as ()
                arguments["default"] = setting.default
        return click.Argument([setting.name], **arguments | note.arguments)
    if isinstance(note, Flag):
        return option(setting, note.panel, **note.arguments)
    return option(setting, panel)


def as_callback(function: Callable[..., Any], panel: str = OUTPUT) -> tuple[Callable[..., Any], list[click.Parameter]]:
    """Return a function as click calls it, and the flags and arguments that its annotations declare.

    Parameters are annotated with :func:`flag`, :func:`argument`, :func:`group`, or a setting under the heading
    ``panel``; others keep their defaults.
    """
    settings = setting_specs(function)
    groups = {name: setting.setting for name, setting in settings.items() if isinstance(setting.setting, Group)}
    parameters: list[click.Parameter] = []
    for name, setting in settings.items():
        parameters += groups[name].options if name in groups else [_parameter(setting, panel)]

    @functools.wraps(function, updated=())
    def callback(**values: Any) -> Any:
        for name, note in groups.items():
            names = [str(parameter.name) for parameter in note.options]
            values[name] = note.make(**{own: values.pop(own) for own in names})
        return function(**values)

    return callback, parameters
