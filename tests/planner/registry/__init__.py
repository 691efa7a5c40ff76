"""Tests of planner.registry."""
