"""Registries: objects of one kind by name: planbatch's, those of installed packages, and users' own."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeGuard

from planbatch.planner.arguments import short_repr
from planbatch.planner.failures import text_of
from planbatch.planner.names import did_you_mean
from planbatch.planner.registry.parameters import Parameter, parameters_of, select_settings, settings_of, signature_of
from planbatch.planner.registry.reference import Reference, parse
from planbatch.planner.registry.source import PluginError, find, user_location

#: References of docstrings to other parts.
_ROLE = re.compile(r":\w+:`~?([^`]*)`")


@dataclass(frozen=True)
class Registry:
    """Objects of one kind by name.

    A name leads to an object or to a *maker* of objects. A class, or a function that can be called without positional
    arguments, is a maker; its parameters are settings. Anything else is an object; the parameters of a function after
    those of its kind are settings.

    Attributes
    ----------
    kind : str
        What they are: ``policy``, ``order``, ``objective``, ``optimizer``, ``metric``.
    known : mapping of str to object
        Planbatch's objects or makers, by name.
    arguments : tuple of str
        What a function of the kind is called with.
    accept : callable
        ``accept(target, name, values)``: returns the object as planbatch uses it; ``values`` are the settings of a
        function.
    plural : str
        What several are called: the entry points of packages are in the group ``planbatch.PLURAL``.
    documented : callable
        Returns the owner of the docstring of an object or maker.
    others : mapping of tuple of str to str
        Arguments of functions of other kinds, and what these are named here, such as ``plan:{}``: for messages.
    """

    kind: str
    known: Mapping[str, Any]
    arguments: tuple[str, ...]
    accept: Callable[[Any, str, tuple[Any, ...]], Any]
    plural: str
    documented: Callable[[Any], Any] = lambda target: target
    others: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    _loaded: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def names(self) -> list[str]:
        """Return all names that need no file or module."""
        return [*self.known, *(name for name in self.plugins() if name not in self.known)]

    def plugins(self) -> dict[str, EntryPoint]:
        """Return the entry points of installed packages."""
        return _entry_points_of(f"planbatch.{self.plural}")

    def reference(self, text: str) -> Reference:
        """Take a name apart."""
        base = text.partition(":")[0]
        return parse(text, self.known if base in self.known else self.plugins())

    def parameters(self, text: str) -> tuple[Parameter, ...]:
        """Return the settings of a name."""
        return self.settings(self._target(self.reference(text)))

    def make(self, text: str, **defaults: Any) -> Any:
        """Make the object of a name.

        Parameters
        ----------
        text : str
            ``name``, ``name:TEXT``, ``name:key=value,key=value``, where the name is known, ``FILE.py:name`` or
            ``MODULE:name``.
        **defaults
            Values of parameters that the text does not give; those that the object does not take are ignored.

        Raises
        ------
        ValueError
            If there is no such name (the message has the nearest), or a parameter is unknown or wrong; as
            ``PluginError``, if a user's file cannot be imported or what it defines has the wrong signature.
        """
        if not isinstance(text, str):
            raise ValueError(f"{self.kind}: {short_repr(text)} is not a name")
        reference = self.reference(text)
        target = self._target(reference)
        self._check_signature(reference, target)
        parameters = self.settings(target)
        defaults = select_settings(defaults, parameters)
        needed = tuple(replace(p, default=defaults.get(p.name, p.default)) for p in parameters)
        settings = defaults | settings_of(reference, needed)
        try:
            if is_maker(target):
                has_settings = reference.short is not None or reference.settings
                value = _call_maker(target, settings, reference.display_name if has_settings else "")
                return self.accept(value, reference.display_name, ())
            values = tuple(settings.get(p.name, p.default) for p in parameters) if settings else ()
            return self.accept(target, reference.display_name, values)
        except PluginError:
            raise
        except Exception as error:
            place = user_location(error)
            if not reference.source and place is None:
                raise
            where = reference.text if place is None else f"{place[0]}, line {place[1]}"
            kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            raise PluginError(f"{where}: {kind}{text_of(error)}") from error

    def entries(self) -> Iterator[tuple[str, tuple[Parameter, ...], str]]:
        """Yield name, parameters and first sentence of all that need no file or module."""
        for name in self.names():
            target = self._target(self.reference(name))
            yield name, self.settings(target), first_sentence(self.documented(target))

    def _target(self, reference: Reference) -> Any:
        """Return the object or maker of a reference."""
        name = reference.name
        if reference.source:
            return find(reference.source, name)
        if name in self.known:
            return self.known[name]
        if name in self.plugins():
            return self._registered_target(name)
        if name.endswith(".py"):
            raise ValueError(f"{self.kind}: {name} is a file; name what it defines: {name}:NAME")
        suggestion = did_you_mean(name, self.names())
        raise ValueError(
            f"{self.kind}: there is no {reference.text!r}; {suggestion}{'' if suggestion.endswith('?') else '.'} "
            f"Your own is FILE.py:NAME, MODULE:NAME, or an entry point in planbatch.{self.plural}"
        )

    def _registered_target(self, name: str) -> Any:
        if name not in self._loaded:
            point = self.plugins()[name]
            try:
                self._loaded[name] = point.load()
            except Exception as error:
                raise PluginError(
                    f"{self.kind} {name}: {point.value} cannot be loaded: {type(error).__name__}: {text_of(error)}"
                ) from error
        return self._loaded[name]

    def settings(self, target: object) -> tuple[Parameter, ...]:
        """Return the settings of an object or maker."""
        if is_maker(target):
            return parameters_of(target)
        return parameters_of(target, len(self.arguments)) if is_function(target) else ()

    def _check_signature(self, reference: Reference, target: object) -> None:
        """Raise unless a function takes what its kind is called with."""
        if not is_function(target) or is_maker(target):
            return
        needed = [parameter.name for parameter in _required_parameters(target)]
        if len(needed) != len(self.arguments) or tuple(needed) in self.others:
            code = getattr(getattr(target, "py_func", target), "__code__", None)
            where = f"{code.co_filename}, line {code.co_firstlineno}" if code else reference.text
            suggestion = self.others.get(tuple(needed), "").format(reference.text)
            raise PluginError(
                f"{where}: {reference.name}({', '.join(needed)}): a function used as {self.kind} takes "
                f"({', '.join(self.arguments)}), then parameters with defaults"
                + (f"; did you mean {suggestion}?" if suggestion else "")
            )


@cache
def _entry_points_of(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=group)}


def _call_maker(maker: Callable[..., Any], settings: Mapping[str, Any], name: str) -> Any:
    """Call a maker; what has settings of its own is named after them, if it lets itself be named."""
    takes_name = name and "name" in signature_of(maker).parameters
    return maker(**settings, **({"name": name} if takes_name else {}))


def is_function(target: object) -> TypeGuard[Callable[..., Any]]:
    """Tell whether something is a function, a kernel or a part of one."""
    return inspect.isroutine(getattr(target, "py_func", target)) or isinstance(target, partial)


def is_maker(target: object) -> TypeGuard[Callable[..., Any]]:
    """Tell whether something is a maker: a class, or a function without positional parameters that are needed."""
    return inspect.isclass(target) or (is_function(target) and not _required_parameters(target))


def _required_parameters(target: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters of a function that a call must give by place."""
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = signature_of(target).parameters.values()
    return [p for p in parameters if p.default is p.empty and p.kind in by_place]


def first_sentence(value: object) -> str:
    """Return the first sentence of a documentation, without markup and full stop."""
    text = _ROLE.sub(r"\1", inspect.getdoc(value) or "").replace("``", "")
    return " ".join(text.split("\n\n")[0].split()).rstrip(".")
