"""Small experiments, and how their results are compared."""

import os
from pathlib import Path

from planbatch.experiments import Experiment, PolicySpec, Spans, read_experiment, run_experiment
from planbatch.experiments.runs.store import Store
from planbatch.experiments.studies.grid import RunReport
from planbatch.experiments.workloads.lublin import synthetic_workload

ROOT = Path(__file__).resolve().parents[3]

#: Twelve cells of a few milliseconds each.
GRID = """\
title = "Small"
seeds = [0, 1]
evaluations = 5

[[workload]]
first = 60

[[workload]]
first = 60
load = 1.5

[[policy]]
name = ["fcfs", "easy"]

[[policy]]
name = "plan"
objective = ["wait", "squared-wait"]
"""

#: The same cells, in processes. With the environment variable PATIENT, two of them last until that file exists, so that
#: a command can be disturbed while it runs.
LONG = GRID.replace('"easy"', '"patient.py:patient"').replace('name = "plan"', 'name = "plan"\noptimizer = "tabu"')
PATIENT = """\
import os
import time

import planbatch as pb
from planbatch.baselines.policy import Traits


def patient(problem, rng):
    while "PATIENT" in os.environ and not os.path.exists(os.environ["PATIENT"]):
        time.sleep(0.01)
    return pb.decode(problem, range(len(problem)))


patient.traits = Traits(draws=False)
"""


def small(spans: Spans | None = None, seeds: tuple[int, ...] = (0,)) -> Experiment:
    """Give a grid of one workload of 80 jobs and two policies."""
    policies = [PolicySpec("easy"), PolicySpec("plan-wait", evaluations=5)]
    return Experiment([synthetic_workload(jobs=80, capacity=32, seed=2)], policies, seeds, spans=spans)


def write(folder: Path, text: str = GRID) -> Path:
    path = folder / "grid.toml"
    path.write_text(text)
    (folder / "patient.py").write_text(PATIENT)
    return path


def undisturbed(folder: Path) -> RunReport:
    """Run the grid without any disturbance."""
    return run_experiment(read_experiment(write(folder)), folder / "undisturbed")


def tables(folder: Path) -> dict[str, bytes]:
    """Give every table of an experiment that does not depend on the clock, byte by byte."""
    paths = [*folder.glob("cells/*/*.parquet"), *folder.glob("summary.*")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def assert_whole(folder: Path) -> int:
    """Assert that whatever stands at the place of a cell is a whole one; return how many there are."""
    store = Store(folder)
    keys = [p.name for p in folder.glob("cells/*") if not p.name.startswith(".")]
    for key in keys:
        assert store.load(key) is not None
    return len(keys)


def environment() -> dict[str, str]:
    """Give the environment in which another process imports this project."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}
