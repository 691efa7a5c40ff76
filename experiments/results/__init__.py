"""Finished replays on disk: one store, one format, one reader."""
