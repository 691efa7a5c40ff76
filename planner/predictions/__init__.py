"""Predictors of run times (experimental): causal by construction, since a predictor is a history."""
