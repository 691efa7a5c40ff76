"""Tests of experiments.workloads."""
