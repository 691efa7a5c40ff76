"""The parameters of makers and functions: read from signatures, given as text."""

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from planbatch.planner.registry.reference import Reference, split

#: Parameters with the name in tables, which are no settings.
HIDDEN = frozenset({"name"})
_PLAIN = (bool, int, float, str)
_WORDS = {bool: "true or false", int: "a whole number", float: "a number"}
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class Parameter:
    """One setting of an object."""

    name: str  #: its name
    kind: Any  # its type: ``bool``, ``int``, ``float``, ``str``, a ``Literal`` of words, a ``tuple`` of one of them
    default: object = inspect.Parameter.empty  # the value if none is given; ``inspect.Parameter.empty`` if one must be
    short: bool = False  #: whether the text after the colon may give it without its name

    def __str__(self) -> str:
        if self.default is inspect.Parameter.empty or self.default is None:
            return self.name
        default = self.default
        if isinstance(default, tuple):
            default = f"({','.join(map(str, default))})"
        if isinstance(default, bool):
            default = str(default).lower()
        return f"{self.name}={getattr(default, '__name__', default)}"

    def read(self, text: str) -> Any:
        """Read a value; ``ValueError`` if the text is none; the message says what it should be."""
        if isinstance(text, str):
            return _read(self.name, self.kind, text)
        return text


def _read(name: str, kind: Any, text: str) -> Any:
    if typing.get_origin(kind) is tuple:
        inner = typing.get_args(kind)[0]
        return tuple(_read(name, inner, part) for part in split(text) if part)
    if typing.get_origin(kind) is Literal:
        if text not in typing.get_args(kind):
            raise ValueError(f"{name}: {text!r} is none of {', '.join(typing.get_args(kind))}")
        return text
    try:
        return _TRUTHS[text.lower()] if kind is bool else kind(text)
    except (ValueError, KeyError):
        raise ValueError(f"{name}: {text!r} is not {_WORDS[kind]}") from None


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a function, a kernel or a class, with annotations evaluated if they can be."""
    function = getattr(function, "py_func", function)
    is_plain = inspect.isroutine(function) or isinstance(function, type | functools.partial)
    return (_signature_once if is_plain else _signature)(function)


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(function, eval_str=True)
    except (NameError, TypeError, SyntaxError):
        return inspect.signature(function)


_signature_once = functools.lru_cache(maxsize=256)(_signature)


def parameters_of(function: Callable[..., Any], skip: int = 0) -> tuple[Parameter, ...]:
    """Return the settings of a maker, or of a function after its first ``skip`` parameters."""
    result = []
    listed = list(signature_of(function).parameters.values())[skip:]
    many = inspect.isclass(function) and len([p for p in listed if p.name not in HIDDEN]) > 1
    for i, parameter in enumerate(listed):
        plain = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        kind = _kind(parameter)
        if plain and kind is not None and parameter.name not in HIDDEN:
            short = i == 0 and not many
            result.append(Parameter(parameter.name, kind, parameter.default, short))
    return tuple(result)


def _kind(parameter: inspect.Parameter) -> Any:
    """Return the type that the text of a parameter is read as; None if it cannot be given as text."""
    annotation = parameter.annotation
    if annotation is inspect.Parameter.empty:
        default = parameter.default
        return type(default) if type(default) in _PLAIN else str
    return _readable(annotation)


def _readable(annotation: object) -> Any:
    if annotation in _PLAIN:
        return annotation
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _readable(typing.get_args(annotation)[0])
    if origin is Literal:
        return annotation
    if origin is tuple:
        return annotation if _readable(typing.get_args(annotation)[0]) in _PLAIN else None
    if origin in (typing.Union, types.UnionType):
        kinds = [kind for kind in map(_readable, typing.get_args(annotation)) if kind is not None]
        return kinds[0] if kinds else None
    return None


def settings_of(reference: Reference, parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    """Return the values of a reference by the names of its parameters, read.

    Raises ``ValueError`` if it gives one that is not taken, one twice, or a text that is no such value; or leaves out
    one that is needed.
    """
    settings = dict(reference.settings)
    name = reference.name
    if reference.short is not None:
        short = next((parameter for parameter in parameters if parameter.short), None)
        if short is None:
            raise ValueError(f"{name}: unknown parameter {reference.short!r}; {parameters_text(name, parameters)}")
        if short.name in settings:
            raise ValueError(f"{name}: {short.name} is given twice")
        settings[short.name] = reference.short
    by_name = {parameter.name: parameter for parameter in parameters}
    for key in settings:
        if key not in by_name:
            raise ValueError(f"{name}: there is no parameter {key}; {parameters_text(name, parameters)}")
    for parameter in parameters:
        if parameter.default is inspect.Parameter.empty and parameter.name not in settings:
            raise ValueError(f"{name}: {parameter.name} must be given; {parameters_text(name, parameters)}")
    try:
        return {key: by_name[key].read(text) for key, text in settings.items()}
    except ValueError as error:
        raise ValueError(f"{name}: {error}; {parameters_text(name, parameters)}") from None


def parameters_text(name: str, parameters: tuple[Parameter, ...]) -> str:
    """Return the parameters of an object as a clause."""
    if not parameters:
        return f"{name} takes no parameters"
    return f"{name} takes {', '.join(map(str, parameters))}"


def select_settings(settings: Mapping[str, Any], parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    """Return the settings that an object takes."""
    names = {parameter.name for parameter in parameters}
    return {key: value for key, value in settings.items() if key in names}
