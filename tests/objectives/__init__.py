"""Tests of objectives."""
