"""Predictions of run times: causal by construction, since a predictor is a history, and told what has happened."""
