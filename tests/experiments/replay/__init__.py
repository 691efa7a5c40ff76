"""Tests of experiments.replay."""
