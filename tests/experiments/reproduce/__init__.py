"""Tests of experiments.reproduce."""
