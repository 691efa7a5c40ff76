"""Tests of the metrics by name."""
