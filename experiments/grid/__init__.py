"""Experiments: grids of workloads, policies and seeds, run in parallel, stored cell by cell, and resumable."""

from planbatch.experiments.grid.run import RunReport, run_experiment
from planbatch.experiments.grid.spec import Experiment, PolicySpec, WorkloadSpec
from planbatch.experiments.grid.toml_file import read_experiment
from planbatch.experiments.replay.spans import Spans

__all__ = [
    "Experiment",
    "PolicySpec",
    "RunReport",
    "Spans",
    "WorkloadSpec",
    "read_experiment",
    "run_experiment",
]
