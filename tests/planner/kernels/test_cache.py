"""Where compiled kernels are kept, and what they are known by."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from planbatch.planner.kernels import cache

ROOT = Path(cache.__file__).resolve().parents[2]


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Give a source tree: ``top`` imports ``middle``, which imports ``bottom``; ``other`` stands alone."""
    sources = {
        "planner/top.py": "from planbatch.planner import (\n    middle,\n)\n",
        "planner/middle.py": "from planbatch.objectives.bottom import thing\n",
        "objectives/bottom.py": "thing = 1\n",
        "planner/other.py": "import os\n",
    }
    for name, text in sources.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(cache, "SOURCES", tmp_path)
    forget()
    yield tmp_path
    forget()


def forget():
    """Look at the sources anew."""
    cache._source.cache_clear()
    cache.module_digest.cache_clear()


def digests():
    """Look at the sources anew, and give the digest of each module."""
    forget()
    return {name: cache.module_digest(f"planner.{name}") for name in ("top", "middle", "other")}


def test_an_edit_changes_what_depends_on_it_and_nothing_else(tree):
    """However long the chain of imports."""
    before = digests()
    (tree / "objectives" / "bottom.py").write_text("thing = 2\n")
    after = digests()
    assert after["top"] != before["top"]
    assert after["middle"] != before["middle"]
    assert after["other"] == before["other"]


def test_an_edit_at_the_top_leaves_what_it_imports(tree):
    """A policy that is edited costs no kernel of the decoder."""
    before = digests()
    (tree / "planner" / "top.py").write_text("x = 1\n")
    after = digests()
    assert after["top"] != before["top"]
    assert after["middle"] == before["middle"]


def test_neither_place_nor_time_of_the_sources_counts(tree, tmp_path_factory, monkeypatch):
    """A second checkout, or a container's layer, finds the same kernels."""
    before = digests()
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "sources"
    tree.rename(elsewhere)
    os.utime(elsewhere / "planner" / "top.py", ns=(1, 1))
    monkeypatch.setattr(cache, "SOURCES", elsewhere)
    assert digests() == before


def test_the_versions_of_what_compiles_count(tree, monkeypatch):
    """Code compiled by another numba is not ours."""
    before = digests()
    monkeypatch.setattr(cache, "_VERSIONS", "another numba")
    assert set(digests().values()).isdisjoint(before.values())


def test_the_real_kernels_depend_on_what_they_call():
    """The search depends on the decoder, the decoder not on the search."""
    search = cache._dependencies("planner.optimizers.annealing.kernels")
    assert {"planner.kernels.decode", "planner.kernels.native", "planner.kernels.cache"} <= search
    assert "planner.optimizers.annealing.kernels" not in cache._dependencies(
        "planner.kernels.decode"
    )


SCRIPT = """
from planbatch.objectives import wait
from planbatch.planner.kernels.native import compiled_for
from planbatch.planner.kernels.signatures import COST
print(sum(compiled_for(COST.signature, wait.mean_wait).stats.cache_hits.values()))
compiled_for(COST.signature, wait.mean_squared_wait)
"""


def run(folder: Path, script: str = SCRIPT) -> str:
    """Run a script in another process, with a cache folder of its own."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PLANBATCH_CACHE_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout.strip() + done.stderr.strip()


def files(folder: Path) -> dict[str, bytes]:
    """Read the compiled kernels of a folder."""
    return {p.name: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_what_one_process_compiles_another_loads(tmp_path):
    """The second one has a hit, and writes nothing."""
    assert run(tmp_path) == "0"
    kept = files(tmp_path)
    assert kept
    assert run(tmp_path) == "1"
    assert files(tmp_path) == kept


def test_a_damaged_file_is_compiled_anew(tmp_path):
    """Half a kernel is no kernel."""
    run(tmp_path)
    for path in tmp_path.rglob("mean_wait-*"):
        path.write_bytes(path.read_bytes()[:100])
    assert run(tmp_path) == "0"
    assert run(tmp_path) == "1"


def test_where_nothing_can_be_written_it_compiles_in_memory_and_says_so_once(tmp_path):
    """A file stands where the folder should be."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    told = run(blocked)
    assert told.startswith("0")
    assert told.count("UserWarning") == 1
    assert "compiled in memory only" in told


def test_the_folder_is_the_users_choice(monkeypatch, tmp_path):
    """``PLANBATCH_CACHE_DIR`` wins over the user's cache."""
    monkeypatch.setenv("PLANBATCH_CACHE_DIR", str(tmp_path / "mine"))
    assert cache.cache_folder() == tmp_path / "mine"
    monkeypatch.delenv("PLANBATCH_CACHE_DIR")
    assert cache.cache_folder().parts[-2:] == ("planbatch", "kernels")
