"""Parameters of verbs: what the annotations of a function declare, as flags and arguments of the command."""

import functools
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import click

from planbatch.experiments.cli.types import Duration, OneOf, Seconds
from planbatch.experiments.common.schema import Declared, declared
from planbatch.planner.durations import duration_text
from planbatch.planner.settings import Setting

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


def option(setting: Declared, panel: str, **changes: Any) -> Option:
    """Return the flag of a setting; ``changes`` are arguments of :class:`click.Option`."""
    default = None if setting.default is Declared.empty else setting.default
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


def _type_of(setting: Declared) -> Any:
    """Return the type of the values, for click."""
    if typing.get_origin(setting.type) is Literal:
        return OneOf(typing.get_args(setting.type))
    plain = setting.type if setting.type in (int, float, Path) else str
    return _TYPES.get((plain, setting.setting.unit), plain)


def _parameter(setting: Declared, panel: str) -> click.Parameter:
    """Return the flag or the argument that a parameter declares; ``panel`` is the heading if it names none."""
    note = setting.setting
    if isinstance(note, Argument):
        arguments: dict[str, Any] = {"type": _type_of(setting), "required": True}
        if setting.default is not Declared.empty:
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
    settings = declared(function)
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
