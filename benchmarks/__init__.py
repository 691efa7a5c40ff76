"""Measurements: against another commit, of searches, and of the Slurm driver."""
