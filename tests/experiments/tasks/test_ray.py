"""Experiments on Ray, where it is installed; it is no part of the development environment, for its size."""

import subprocess
import sys

import pytest

from planbatch.experiments.grid import read_experiment, run_experiment
from tests.experiments.grid.grids import environment, tables, write

pytest.importorskip("ray")


def test_the_tables_are_those_of_one_process(tmp_path):
    """Byte by byte, on a Ray of this machine."""
    file, out = write(tmp_path), tmp_path / "out"
    subprocess.run(
        [sys.executable, "-m", "planbatch", "experiment", "run", file, "--out", out,
         "--backend", "ray", "--jobs", "2"],
        env=environment(), capture_output=True, check=True,
    )  # fmt: skip
    run_experiment(read_experiment(file), tmp_path / "reference")
    assert tables(out) == tables(tmp_path / "reference")
