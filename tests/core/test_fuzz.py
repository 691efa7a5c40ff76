"""The core on random input; with sanitizers where ``make sanitize`` has built it."""

import subprocess
import sys

import pytest

from manual import ROOT

pytestmark = pytest.mark.nightly

SANITIZED = ROOT / "build" / "sanitize"


def test_a_core_with_sanitizers_finds_nothing():
    """Twenty seconds of rounds, good and bad."""
    if not any(SANITIZED.glob("_core.*.so")):
        pytest.skip("needs a core with sanitizers: make sanitize")
    command = [sys.executable, "-m", "tests.core.fuzz", "--core", str(SANITIZED), "--seconds", "20"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
