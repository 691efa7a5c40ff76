"""Tests of experiments.runs."""
