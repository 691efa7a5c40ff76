"""Tests of planner.orders."""
