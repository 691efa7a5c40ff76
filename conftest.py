"""Examples in docstrings, collected by pytest: each in an empty folder; sections of examples are integration tests."""

import sys

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the sections of examples, which may start processes and replays."""
    for item in items:
        if isinstance(item, pytest.DoctestItem) and "Examples\n" in (item.dtest.docstring or ""):
            item.add_marker("integration")


@pytest.fixture(autouse=True)
def empty_folder(request, tmp_path, monkeypatch):
    """Run an example in an empty folder, and close its pictures."""
    if not isinstance(request.node, pytest.DoctestItem):
        yield
        return
    monkeypatch.chdir(tmp_path)
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
