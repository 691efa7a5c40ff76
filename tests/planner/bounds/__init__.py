"""Tests of planner.bounds."""
