"""Workloads, replay, metrics, parallel runs, reports, the command line."""
