"""Tests of experiments.cli."""
