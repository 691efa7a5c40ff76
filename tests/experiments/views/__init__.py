"""Tests of experiments.views."""
