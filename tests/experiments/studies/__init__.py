"""Tests of experiments.studies."""
