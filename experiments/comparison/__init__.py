"""Comparing policies on workloads: the replays and their results."""
