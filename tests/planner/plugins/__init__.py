"""Tests of what users bring."""
