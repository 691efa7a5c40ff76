"""A folder of results that several tests read."""

from pathlib import Path

import numpy as np
import pytest

from planbatch.experiments.workloads.lublin import synthetic_workload
from tests.experiments.report.folders import run_grid


@pytest.fixture(scope="session")
def grid(tmp_path_factory) -> Path:
    """Give two small workloads, one with users, under three policies; never written to by tests."""
    folder = tmp_path_factory.mktemp("grid")
    workloads = [
        synthetic_workload(jobs=400, capacity=64, seed=1, load=0.9),
        synthetic_workload(jobs=150, capacity=32, seed=2, load=0.8),
    ]
    with_users = workloads[0].take(slice(None), user=np.arange(400) % 7)
    run_grid(folder, [with_users, workloads[1]], ["fcfs", "easy", "plan-squared-wait"])
    return folder
