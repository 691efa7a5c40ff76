"""Policies side by side on workloads: lists of replays, and views of their results."""
