"""Fixtures that several test files share."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

from planbatch.experiments.cli import main as cli
from tests.examples import examples
from tests.needs import log_in

collect_ignore = ["without_numba"]  # replaces numba in the process that imports it
# The same examples in every run, and no time limits: the machine may be busy.
settings.register_profile("planbatch", deadline=None, derandomize=True, max_examples=examples(100))
settings.load_profile("planbatch")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long, so that no process is left with it at the end while the others are idle.

    But for clusters, which keep to the clock.
    """
    items.sort(key=lambda item: not _tiers(item) or "lab" in item.path.name)


def _tiers(item: pytest.Item) -> list[str]:
    """The tiers of a test that is no unit test."""
    return [tier for tier in ("integration", "nightly") if item.get_closest_marker(tier)]


@pytest.fixture(autouse=True)
def no_processes(request, monkeypatch):
    """A unit test starts no Python: one that does is an integration test."""
    start = subprocess.Popen.__init__

    def checked(process, args, *more, **options):
        assert args[0] != sys.executable, "a unit test starts no process: mark it integration"
        start(process, args, *more, **options)

    if not _tiers(request.node) and "live" not in request.path.parts:
        monkeypatch.setattr("subprocess.Popen.__init__", checked)


@pytest.fixture(autouse=True)
def nothing_fetched(tmp_path_factory, monkeypatch):
    """Tests find no logs that whoever runs them happens to have fetched: some replay all that they find."""
    folder = tmp_path_factory.getbasetemp() / "nothing-fetched"
    monkeypatch.setattr("planbatch.experiments.workloads.archive.user_cache_path", lambda name: folder / name)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path) -> Callable[..., tuple[int, str, str]]:
    """Run the command in this process, in a folder of its own; return exit code, output and error output."""
    monkeypatch.chdir(tmp_path)

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["planbatch", *map(str, words)])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        return exit_.value.code, *capsys.readouterr()

    return call


@pytest.fixture
def real_log() -> Callable[[str], Path]:
    """Give the path of a real log by its name; see :func:`log_in`."""
    shared = Path(__file__).resolve().parent.parent.parent / "shared" / "workloads"
    return partial(log_in, Path(os.environ.get("PLANBATCH_WORKLOADS", shared)))
