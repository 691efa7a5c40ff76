"""Tests of planner.kernels."""
