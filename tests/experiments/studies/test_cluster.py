"""An experiment as a job array: the commands of the manual, on an emulated Slurm cluster."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import needs
from tests.live.lab.lab import Lab

pytestmark = pytest.mark.integration
ROOT = Path(__file__).resolve().parents[3]
GRID = """\
[[workload]]
source = "embedded"
first = 80
load = [1.0, 1.2]
[[policy]]
name = ["fcfs", "easy", "conservative"]
"""


def test_a_job_array_runs_the_parts_of_an_experiment(tmp_path):
    """Three tasks write into one folder; whoever runs the whole finds every cell there."""
    needs.slurm()
    page = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    wrapped = re.search(r"--wrap '(planbatch experiment run .*?)'", page)[1]
    command = wrapped.replace("planbatch ", f"{Path(sys.executable).parent}/planbatch ", 1)
    (tmp_path / "grid.toml").write_text(GRID)
    task = command.replace("/64", "/3") + " --jobs 1"
    with Lab(nodes=2) as lab:
        words = ["sbatch", "--wait", "--array=1-3", "--cpus-per-task=1", "--wrap", task]
        subprocess.run(words, cwd=tmp_path, env=lab.environment, check=True)
    stored = list((tmp_path / "results" / "cells").iterdir())
    assert len(stored) == 6
    assert json.loads((tmp_path / "results" / "experiment.json").read_text())["cells"]
