"""Experiments: a grid of workloads, policies and seeds, run in parallel, stored cell by cell, and resumed."""

from experiments.experiment.run import RunReport, run_experiment
from experiments.experiment.spec import Experiment, PolicySpec, Spans, WorkloadSpec
from experiments.experiment.toml_file import read_experiment

__all__ = [
    "Experiment",
    "PolicySpec",
    "RunReport",
    "Spans",
    "WorkloadSpec",
    "read_experiment",
    "run_experiment",
]
