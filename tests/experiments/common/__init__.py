"""Tests of experiments.common."""
