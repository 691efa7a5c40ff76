"""Tests of experiments.figures."""
