"""Replays and other tasks: run in parallel, stored, resumed, read and converted."""
