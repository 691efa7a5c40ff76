"""Experiments: grids, results folders, and what may happen to them."""
