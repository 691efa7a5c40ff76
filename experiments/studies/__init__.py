"""Many replays for one question: comparisons, grids, tuning, and their metrics."""
