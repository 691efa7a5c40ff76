"""Metrics by name: figures of a finished replay, those of planbatch and users' own."""
