"""One schema for all settings: declared once, in an annotation, and read from there by flags, TOML files and manuals.

A declaration is a field of a dataclass or a parameter of a function, annotated with
:class:`~planbatch.planner.settings.Setting`: name, type and default are its own, the sentence and the unit are the
annotation's. pydantic checks the values that files give.
"""

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from planbatch.planner.settings import Setting

_WORDS = {str: "a text", int: "a whole number", bool: "true or false", float: "a number", Path: "a path",
          dict: "a table", str | int: "a text or a whole number", Any: "a text or a table"}  # fmt: skip


@dataclass(frozen=True)
class SettingSpec:
    """One setting, as it is declared."""

    name: str  #: the Python keyword
    type: Any  #: its type, ``None`` for "not given" left out; of several values, that of one
    default: Any  #: its value if it is not given
    setting: Setting  #: what it says about itself
    several: bool = False  #: whether it takes several values
    empty: ClassVar[Any] = inspect.Parameter.empty  # the default of what must be given

    @property
    def key(self) -> str:
        """The key in TOML files."""
        return self.name.replace("_", "-")

    @property
    def flag(self) -> str:
        """The flag of the command; empty for none."""
        return f"--{self.key}" if self.setting.flag is None else self.setting.flag

    @cached_property
    def in_files(self) -> Any:
        """The type of a value in TOML files."""
        return self.setting.in_files or self.type

    def accepts(self, value: object) -> bool:
        """Return whether a value of a file has the type of one of its values."""
        from pydantic import TypeAdapter, ValidationError

        try:
            TypeAdapter(self.in_files).validate_python(value, strict=True)
        except ValidationError:
            return False
        return True

    @property
    def expected(self) -> str:
        """What a value is, in words."""
        return _WORDS[self.in_files]


def setting_specs(target: Callable[..., Any]) -> dict[str, SettingSpec]:
    """Return the settings that a dataclass or a function declares, by name."""
    result = {}
    for parameter in inspect.signature(target, eval_str=True).parameters.values():
        if typing.get_origin(parameter.annotation) is not Annotated:
            continue
        kind, *notes = typing.get_args(parameter.annotation)
        setting = next((note for note in notes if isinstance(note, Setting)), None)
        if setting is not None:
            plain = _plain(kind)
            several = typing.get_origin(plain) is tuple
            one = _plain(typing.get_args(plain)[0]) if several else plain
            result[parameter.name] = SettingSpec(parameter.name, one, parameter.default, setting, several)
    return result


def _plain(kind: object) -> Any:
    """Return what of a type can be written as text: of a union, its first such part."""
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        parts = typing.get_args(kind)
        return next(part for part in parts if part in _WORDS or typing.get_origin(part) in (tuple, Literal))
    return dict if origin is dict else kind


def by_key(*groups: Mapping[str, SettingSpec]) -> dict[str, SettingSpec]:
    """Return settings by their keys in TOML files."""
    return {setting.key: setting for group in groups for setting in group.values()}
