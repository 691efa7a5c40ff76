"""The core's digest covers its sources, compiler and flags; its stub says what the compiled module has."""

import hashlib
from pathlib import Path

import pytest

from manual.stub import STUB, stub
from planbatch import _core
from planbatch.experiments.replay import identity

CORE = Path(__file__).parents[2] / "core"


def test_the_installed_core_is_built_from_these_sources():
    """Otherwise all other tests are of another core; `make .venv/.installed` builds it."""
    paths = [path for pattern in ("*.hpp", "*.cpp") for path in CORE.rglob(pattern)]
    names = sorted(path.relative_to(CORE).as_posix() for path in paths)
    text = "".join(name + hashlib.sha256((CORE / name).read_bytes()).hexdigest() for name in names)
    digest, build = _core.DIGEST.split("-")
    assert digest == hashlib.sha256(text.encode()).hexdigest()
    assert len(build) == len(digest)


def test_keys_of_results_cover_the_core(monkeypatch):
    ours = identity.code_digest()
    monkeypatch.setattr(_core, "DIGEST", "another core")
    identity.code_digest.cache_clear()
    others = identity.code_digest()
    identity.code_digest.cache_clear()
    assert others != ours


# The stub of the core is that of the core which is installed.


pytestmark = pytest.mark.integration


@pytest.mark.integration
def test_the_stub_is_up_to_date():
    """Otherwise type checkers look at another core; `python -m manual.stub` writes it anew."""
    assert STUB.read_text(encoding="utf-8") == stub()
