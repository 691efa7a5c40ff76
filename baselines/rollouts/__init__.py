"""Rollouts: what starts now is chosen by simulating what would follow."""
