"""Tests of experiments.tasks."""
