"""Examples in docstrings run. Every public name has one, and its docstring names each parameter."""

import doctest
import importlib
import inspect
import pkgutil
import warnings
from collections.abc import Iterator

import matplotlib.pyplot as plt
import pytest

from manual.reference import PACKAGES, names
from manual.reference import docstring as said_of

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
MODULES = [
    module.name
    for package in ("planner", "objectives", "baselines", "experiments")
    for module in pkgutil.walk_packages(
        importlib.import_module(f"planbatch.{package}").__path__, f"planbatch.{package}."
    )
]
NAMES = {name: module for package in PACKAGES for name, module in names(package).items()}


def docstring(name: str) -> str:
    """What is said of a public name: of a constant, the string below it."""
    return said_of(NAMES[name], name)


def parameters(name: str) -> Iterator[str]:
    """The parameters of a public function."""
    value = inspect.unwrap(getattr(importlib.import_module(NAMES[name]), name))
    if inspect.isfunction(value):
        yield from inspect.signature(value).parameters


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_helpers_run(name):
    """Most helpers are tested by them alone. Docstrings with a section of examples are public: see below."""
    module = importlib.import_module(name)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        if test.docstring is None or "Examples\n" not in test.docstring:
            assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


@pytest.mark.integration
@pytest.mark.parametrize("name", NAMES)
def test_an_example_runs(name, tmp_path, monkeypatch):
    """As it is printed, in an empty folder; a parameter that is not told of is named."""
    monkeypatch.chdir(tmp_path)
    text = docstring(name)
    untold = [one for one in parameters(name) if one not in text.partition("Examples\n")[0]]
    assert untold == []
    (test,) = [doctest.DocTestParser().get_doctest(text, {}, name, NAMES[name], 0)]
    assert test.examples, "there is no example"
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    said: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)
    plt.close("all")
