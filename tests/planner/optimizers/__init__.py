"""Tests of planner.optimizers."""
