"""Every public name has an example, and its docstring names each parameter; pytest runs the examples."""

import doctest
import importlib
import inspect
from collections.abc import Iterator
from types import FunctionType

import pytest

from manual.reference import PACKAGES, names
from manual.reference import docstring as docstring_of

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
NAMES = {name: module for package in PACKAGES for name, module in names(package).items()}
CONSTANTS = [
    name
    for name, module in NAMES.items()
    if not isinstance(getattr(importlib.import_module(module), name), FunctionType | type)
]


def docstring(name: str) -> str:
    """The docstring of a public name; of a constant, the string below it."""
    return docstring_of(NAMES[name], name)


def parameters(name: str) -> Iterator[str]:
    """The parameters of a public function."""
    value = inspect.unwrap(getattr(importlib.import_module(NAMES[name]), name))
    if inspect.isfunction(value):
        yield from inspect.signature(value).parameters


@pytest.mark.parametrize("name", NAMES)
def test_a_docstring_has_an_example_and_names_the_parameters(name):
    """Pytest runs the examples of functions and classes itself."""
    text = docstring(name)
    missing = [parameter for parameter in parameters(name) if parameter not in text.partition("Examples\n")[0]]
    assert missing == []
    assert doctest.DocTestParser().get_examples(text), "there is no example"


@pytest.mark.integration
@pytest.mark.parametrize("name", CONSTANTS)
def test_the_example_of_a_constant_runs(name, tmp_path, monkeypatch):
    """The string below a constant is no docstring to Python."""
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(docstring(name), {}, name, NAMES[name], 0)
    assert doctest.DocTestRunner(optionflags=FLAGS).run(test).failed == 0
