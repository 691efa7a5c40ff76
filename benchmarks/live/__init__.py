"""Measurements of the Slurm driver: on the tests' emulated cluster, against a model of Slurm, and in replays."""
