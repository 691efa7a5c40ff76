"""Tests of experiments.results."""
