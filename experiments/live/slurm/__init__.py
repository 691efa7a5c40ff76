"""Slurm: its clients' output as snapshots, and rounds made of them."""
