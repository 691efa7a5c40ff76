"""Tests of experiments.grid."""
