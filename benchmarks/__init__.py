"""Measurements of this code base against another of its commits."""
