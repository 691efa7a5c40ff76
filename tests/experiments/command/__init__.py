"""Tests of experiments.command."""
