"""A folder of results that several tests read."""

from pathlib import Path

import pytest

from experiments.synthetic import synthetic_workload
from tests.report.folders import run_grid


@pytest.fixture(scope="session")
def grid(tmp_path_factory) -> Path:
    """Give two small workloads under three policies; never written to by tests."""
    folder = tmp_path_factory.mktemp("grid")
    workloads = [
        synthetic_workload(jobs=400, capacity=64, seed=1, load=0.9),
        synthetic_workload(jobs=150, capacity=32, seed=2, load=0.8),
    ]
    run_grid(folder, workloads, ["fcfs", "easy", "plan-squared-wait"])
    return folder
