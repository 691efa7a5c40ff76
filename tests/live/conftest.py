"""The lab: a Slurm cluster for the tests that need one."""

import fcntl
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import needs
from tests.live.lab.lab import Lab


@pytest.fixture(scope="session")
def no_other_lab() -> Iterator[None]:
    """Wait for the labs of other processes: two at a time would share the cores, and measure each other."""
    needs.slurm()
    with (Path(tempfile.gettempdir()) / "planbatch-lab.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="module")
def strict_lab(no_other_lab) -> Iterator[Lab]:
    """Eight nodes in ``main``, one in ``side``; jobs arrive held as long as a driver is there."""
    with Lab(side=1, strict=True) as lab:
        yield lab


@pytest.fixture(scope="module")
def soft_lab(no_other_lab) -> Iterator[Lab]:
    """Eight nodes; jobs arrive as usual."""
    with Lab() as lab:
        yield lab
