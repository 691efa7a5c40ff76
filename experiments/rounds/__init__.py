"""Scheduling rounds: captured from replays, stored as files, and searched by several optimizers."""
