"""Tests of experiments.rounds."""
