"""Examples in docstrings run; most helpers are tested by them alone."""

import doctest
import pkgutil
from importlib import import_module

import pytest

ROOMS = ("common", "runs", "rounds", "studies", "figures", "report", "live", "cli")
MODULES = [
    "planbatch.planner.display",
    *(
        module.name
        for room in ROOMS
        for module in pkgutil.walk_packages(
            import_module(f"planbatch.experiments.{room}").__path__, f"planbatch.experiments.{room}."
        )
    ),
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = import_module(name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    # Those of classes and functions with sections are public: tests/test_examples.py runs them.
    for test in finder.find(module, name):
        if test.docstring is None or "Examples\n" not in test.docstring:
            assert doctest.DocTestRunner().run(test).failed == 0
