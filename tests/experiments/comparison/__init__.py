"""Tests of experiments.comparison."""
