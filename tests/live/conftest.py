"""The lab: a Slurm cluster for the tests that need one.

Tests that run side by side have a lab each, on ports of its own: labs mostly wait, and disturb each other less than
tests that compute.
"""

from collections.abc import Iterator

import pytest

from tests import needs
from tests.live.lab.lab import Lab


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the lab are integration tests, unless they are nightly ones."""
    for item in items:
        if item.path.name.startswith("test_lab") and item.get_closest_marker("nightly") is None:
            item.add_marker("integration")


@pytest.fixture(scope="session")
def slurm_is_there() -> None:
    """Slurm's packages are installed."""
    needs.slurm()


@pytest.fixture(scope="session")
def strict_lab(slurm_is_there) -> Iterator[Lab]:
    """Eight nodes in ``main``, one in ``side``; jobs arrive held as long as a driver is there."""
    with Lab(side=1, strict=True) as lab:
        yield lab


@pytest.fixture(scope="session")
def soft_lab(slurm_is_there) -> Iterator[Lab]:
    """Eight nodes; jobs arrive as usual."""
    with Lab() as lab:
        yield lab


@pytest.fixture
def lab(strict_lab) -> Iterator[Lab]:
    """The strict cluster with an empty queue and all daemons; no driver was ever there."""
    strict_lab.forget_drivers()
    strict_lab.mend()
    strict_lab.cancel_all()
    strict_lab.cancel_all("side")
    yield strict_lab
    strict_lab.mend()
