"""``planbatch cache``: what is kept, and what is deleted."""

import json
import os

import pytest

from planbatch.experiments.command.kernel_cache import (
    KEPT_VERSIONS,
    clear,
    clear_after,
    kept_kernels,
)
from planbatch.planner.kernels.cache import module_digest

CURRENT = f"planner.profile-{module_digest('planner.profile')}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Give a cache with the current kernels of one module and six old versions, the newest first."""
    monkeypatch.setenv("PLANBATCH_CACHE_DIR", str(tmp_path / "kernels"))
    names = [CURRENT, *(f"planner.profile-old{age}" for age in range(6)), "planner.gone-0"]
    for age, name in enumerate(names):
        path = tmp_path / "kernels" / name
        path.mkdir(parents=True)
        (path / "kernel").write_bytes(bytes(1000))
        os.utime(path, (10_000 - age, 10_000 - age))
    os.utime(tmp_path / "kernels" / CURRENT, (1, 1))
    return tmp_path / "kernels"


def left(folder):
    """List what is left."""
    return sorted(path.name for path in folder.iterdir())


def test_old_versions_go_and_the_current_one_stays(folder):
    """However old the current one is; a few versions stay for other checkouts."""
    assert clear() == 1000 * (6 - KEPT_VERSIONS)
    old = [f"planner.profile-old{age}" for age in range(KEPT_VERSIONS)]
    assert left(folder) == sorted([CURRENT, "planner.gone-0", *old])
    assert clear() == 0


def test_old_versions_go_once_new_kernels_are_kept(folder):
    """A run that compiled nothing looks no further."""
    before = left(folder)
    clear_after(20_000)
    assert left(folder) == before
    clear_after(9_999)
    assert len(left(folder)) == len(before) - (6 - KEPT_VERSIONS)


def test_all_of_it_can_go(folder):
    """And nothing is no error."""
    assert clear(everything=True) == 8000
    assert left(folder) == []
    folder.rmdir()
    assert list(kept_kernels()) == []
    assert clear(everything=True) == 0


def test_the_command(folder, run):
    """``info`` for people and for programs; ``clear``."""
    code, out, _ = run("cache", "info")
    assert code == 0
    assert out.count("planner.profile") == 7
    assert out.count("other version") == 7
    assert f"{folder}: 0.0 MB" in out
    told = json.loads(run("cache", "info", "--json")[1])
    assert told["folder"] == str(folder)
    assert [m["module"] for m in told["modules"] if m["current"]] == ["planner.profile"]
    assert run("cache", "clear", "--all")[1] == "0.0 MB deleted\n"
    assert left(folder) == []
