"""The Standard Workload Format: read and written."""
