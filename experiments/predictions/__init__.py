"""Predictions of run times, causal by construction: a predictor is told what has happened, and nothing else."""
