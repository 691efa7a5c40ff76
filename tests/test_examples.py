"""Every public name has an example in its docstring that runs, and tells of each parameter."""

import ast
import doctest
import importlib
import inspect
import warnings
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

from manual.reference import PACKAGES, names

pytestmark = pytest.mark.integration

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
NAMES = {name: module for package in PACKAGES for name, module in names(package).items()}


@cache
def strings_below(module: str) -> dict[str, str]:
    """The strings below the assignments of a module: what they say of constants."""
    path = importlib.import_module(module).__file__
    assert path is not None
    body = ast.parse(Path(path).read_text(encoding="utf-8")).body
    found = {}
    for here, below in pairwise(body):
        targets = here.targets if isinstance(here, ast.Assign) else []
        targets = [here.target] if isinstance(here, ast.AnnAssign) else targets
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            found |= {t.id: str(below.value.value) for t in targets if isinstance(t, ast.Name)}
    return found


def plain(thing: Any) -> Any:
    """The function behind a kernel or a cache."""
    return inspect.unwrap(getattr(thing, "py_func", thing))


def docstring(name: str) -> str:
    """What is said of a public name: of a constant, the string below it."""
    module = NAMES[name]
    thing = plain(getattr(importlib.import_module(module), name))
    if inspect.isclass(thing) or inspect.isfunction(thing):
        return inspect.getdoc(thing) or ""
    for place in (module, "planbatch.planner.columns"):
        if name in strings_below(place):
            return strings_below(place)[name]
    raise AssertionError(f"{module}.{name} has no docstring")


def parameters(name: str) -> Iterator[str]:
    """The parameters of a public function."""
    thing = plain(getattr(importlib.import_module(NAMES[name]), name))
    if inspect.isfunction(thing):
        yield from inspect.signature(thing).parameters


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
