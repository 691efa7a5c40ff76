"""Tests of planner.history."""
